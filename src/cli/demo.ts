import * as Effect from "effect/Effect"
import { exits, mostSevere } from "../domain/exit.ts"
import { counted } from "../domain/words.ts"
import type { Demonstrated, DemonstrationStep } from "../jobs/demo.ts"
import { command, json } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { stopCleanly } from "./runs.ts"
import { liveRuns } from "./terminal/progress.ts"
import { paints } from "./terminal/screen.ts"
import { showSummary } from "./terminal/summary.ts"

const titles: { readonly [S in DemonstrationStep]: string } = {
  import: "Importing the sample pipelines into the practice service, over HTTP",
  again: "The same runs again: every row is already imported, so nothing is sent",
  reconcile: "Reading every submission back",
}

export const demo = command({
  name: "demo",
  about: "Imports the sample pipelines into the practice service and shows the results. Needs no setup.",
  examples: [
    { words: "demo", about: "Imports, imports again, reads everything back, and says where the reports are." },
    { words: "demo --json", about: "Prints each report as one line of JSON, for a program." },
  ],
  arguments: {},
  options: { json },
  *run(input, { output }) {
    const interrupted = yield* stopCleanly
    const { demonstrate } = yield* Effect.promise(() => import("../jobs/demo.ts"))
    const runs = yield* liveRuns
    let step: DemonstrationStep | undefined
    const paint = paints(output.out)
    const done = (one: Demonstrated) =>
      Effect.gen(function*() {
        yield* runs.done(one.report.pipeline)
        if (input.json) {
          return yield* output.print(JSON.stringify({ event: one.step, folder: one.folder, ...one.report }))
        }
        if (one.step !== step) yield* output.print(`\n${paint.strong(titles[one.step])}\n`)
        step = one.step
        yield* output.print(
          one.step === "import" ? `${showSummary(one.report, one.folder, output.out)}\n` : shortSummary(one),
        )
      })
    const { folder, steps } = yield* demonstrate({ progress: runs.show, done, interrupted })
    if (!input.json) {
      yield* output.print([
        "",
        `${
          paint.strong("Everything is in")
        } ${folder}: the pipelines, the ledger and what the practice service received. Delete the folder when you no longer need it.`,
        "Reports:",
        ...steps.filter(({ step }) => step === "import").map((one) => `  ${one.folder}/report.html`),
      ].join("\n"))
    }
    const status = mostSevere(steps.map(({ report }) => report.exitCode))
    if (status !== exits.complete.code) {
      const next = steps.find(({ report }) => report.exitCode === status)?.report.next
      return yield* new CommandEnded({ status, next })
    }
  },
})

const shortSummary = ({ report }: Demonstrated): string =>
  report.mode === "reconcile"
    ? `${report.pipeline}: ${
      counted(report.readBack.verified, "submission")
    } verified, ${report.readBack.differing} differing, ${report.readBack.missing} missing`
    : `${report.pipeline}: ${
      counted(report.rows.read, "row")
    } read, ${report.rows.alreadyImported} already imported, ${report.rows.imported} sent`
