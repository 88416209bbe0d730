import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { json, pipelines } from "./arguments.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { wrapToWidth } from "./show/fit.ts"
import { showStatus } from "./show/status.ts"

const options = {
  verify: Options.boolean("verify").pipe(Options.withDescription("Have the ledger's whole file checked for damage.")),
  json,
}

const about = "Shows what the ledger holds: imported, verified, in doubt, the last run."

/** `status [NAME…]`: what the ledger holds. */
export const status = {
  name: "status",
  about,
  options,
  command: Command.make("status", { ...options, pipelines }, (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const project = yield* openProject([])
      const { projectStatus } = yield* Effect.promise(() => import("../jobs/status.ts"))
      const status = yield* projectStatus(project, input.pipelines, { verify: input.verify })
      const { damage, ledger, missed, untouched } = status
      if (input.json) yield* output.print(JSON.stringify({ ...status, damage: damage ?? null }))
      else {
        for (const { message } of missed) yield* output.print(wrapToWidth(message, output.out.width).join("\n"))
        if (!ledger.exists) {
          if (untouched.length > 0 || missed.length === 0) {
            yield* output.print(
              missed.length === 0
                ? `Nothing was imported yet: there is no ledger ${ledger.file}.`
                : `Nothing was imported yet by ${untouched.join(", ")}.`,
            )
          }
        } else if (status.pipelines.length > 0) {
          yield* output.print(showStatus(status.pipelines.map((one) => ({ ...one, nextRun: undefined })), output.out))
        }
        if (ledger.exists && untouched.length > 0) {
          yield* output.print(`Nothing was imported yet by ${untouched.join(", ")}.`)
        }
        if (damage !== undefined && damage.length === 0) {
          yield* output.print(missed.length === 0 ? "The ledger is sound." : "The file itself is sound.")
        }
        for (const finding of damage ?? []) yield* output.print(`The ledger is damaged: ${finding}`)
      }
      if (damage !== undefined && damage.length > 0) return yield* new CommandEnded({ status: 70, next: undefined })
      // As their runs would end.
      if (missed.length > 0) {
        return yield* new CommandEnded({
          status: 2,
          next: commandFor(yield* Invocation, ["status", ...input.pipelines]),
        })
      }
    })).pipe(Command.withDescription(about)),
}
