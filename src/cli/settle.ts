import * as Effect from "effect/Effect"
import { exits } from "../domain/exit.ts"
import { reasonPlaceholder, reasonWanted } from "../domain/reason.ts"
import { nextRunTexts, settleAdvice, settledText, type SettleResult } from "../domain/settled.ts"
import { visible } from "../domain/visible.ts"
import { count, counted, numbers, present } from "../domain/words.ts"
import type { SettleEvidence, WhichRows } from "../jobs/settle.ts"
import { userName } from "../jobs/userName.ts"
import {
  choice,
  command,
  filePath,
  flag,
  json,
  pipeline,
  reason,
  texts,
  to,
  type Values,
  wholeNumber,
} from "./command.ts"
import { CommandEnded, type UsageWrong, wrong } from "./Failure.ts"
import { commandFor } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { withProgress } from "./terminal/progress.ts"
import { cutToWidth, paints, type Screen, table, wrapToWidth } from "./terminal/screen.ts"

const options = {
  results: filePath("FILE", "An export of the form's results, with their submission ids."),
  complete: flag("Vouch that the export is complete: rows that are not in it did not land. Needs --because."),
  as: choice("OUTCOME", ["landed", "not-landed"], "Manually: whether the rows have landed."),
  all: flag("Manually: all rows in doubt."),
  batch: wholeNumber(
    1,
    "Manually: the rows of a batch, by its number in the column _batch of in-doubt.csv.",
    undefined,
    "ID",
  ),
  rows: texts("KEY", "Manually: rows, by their keys in the column _key of in-doubt.csv."),
  because: reason("The reason. Needed to settle manually."),
  to,
  json,
}

type Input = Values<typeof options>

/** `settle NAME`, `settle NAME --results FILE`, or `settle NAME --as OUTCOME (--all | --batch ID | --rows KEY…) --because TEXT`. */
export const settle = command({
  name: "settle",
  about:
    "Settles rows in doubt, from an export of the form's results or manually. The next run reads back the rows that landed and sends the others. Without options, settles from the form's list of submissions if the service can list, otherwise only shows the rows.",
  examples: [
    { words: "settle contacts --results results.csv", about: "Settles what an export of the form's results proves." },
    {
      words: "settle contacts --as landed --rows K-17 --because 'seen in the results'",
      about: "Settles one row manually.",
    },
  ],
  arguments: { pipeline },
  options,
  *run(input, { invocation, output }) {
    const evidence = yield* evidenceIn(input)
    const project = yield* openProject([input.pipeline])
    const { settlePipeline } = yield* Effect.promise(() => import("../jobs/settle.ts"))
    const by = yield* userName
    const result = yield* withProgress(input.pipeline, () => settlePipeline(project, { ...input, evidence, by }))
    for (const warning of result.warnings) output.say(`Warning: ${warning}`)
    yield* output.print(
      input.json
        ? JSON.stringify({ ...result, by, because: input.because ?? null })
        : showSettled(result, output.out),
    )
    if (result.left === 0) return
    const open = result.rows.find((row) => row.outcome === "in doubt")
    if (evidence._tag === "List" && result.list === undefined) {
      const how =
        `To settle them, export the form's results and run \`formferry settle ${input.pipeline}\` with --results FILE. If you know `
        + "whether they arrived, run it with --as landed or --as not-landed."
      output.say(wrapToWidth(how, output.err.width).join("\n"))
    }
    const to = { "--to": input.to }
    const next = evidence._tag !== "Person" && result.wants === "a person" && open !== undefined
      ? commandFor(invocation, ["acknowledge", input.pipeline], {
        ...to,
        "--rows": open.key,
        "--because": reasonPlaceholder,
      })
      // The list was read just now, so reading it again helps only later.
      : evidence._tag === "List" && result.list !== undefined
      ? commandFor(invocation, ["status", input.pipeline])
      : commandFor(invocation, ["settle", input.pipeline], { ...to, "--results": "FILE" })
    return yield* new CommandEnded({ status: exits.unproven.code, next })
  },
})

const needsReason = ({ because }: Input): Effect.Effect<void, UsageWrong> =>
  because === undefined ? wrong(`\`--because\` is missing. Give ${reasonWanted}: it is recorded.`) : Effect.void

/** Returns the rows and the evidence that the options name. */
const evidenceIn = (input: Input): Effect.Effect<SettleEvidence, UsageWrong> =>
  Effect.gen(function*() {
    const which = present([
      input.all && { _tag: "All" } as const,
      input.batch !== undefined && { _tag: "Batch", batch: input.batch } as const,
      input.rows.length > 0 && { _tag: "Rows", keys: [...new Set(input.rows)] } as const,
    ]) satisfies ReadonlyArray<WhichRows>
    const [rows, more] = which
    if (input.results !== undefined) {
      if (input.as !== undefined || rows !== undefined) {
        return yield* wrong(
          "With `--results`, the export decides the outcome of each row: omit `--as`, `--all`, `--batch` and `--rows`.",
        )
      }
      if (input.complete) yield* needsReason(input)
      return { _tag: "Export", file: input.results, isComplete: input.complete }
    }
    const isBare = rows === undefined && !input.complete && input.because === undefined
    if (input.as === undefined && isBare) return { _tag: "List" }
    if (input.as === undefined) {
      return yield* wrong(
        "Say how to settle the rows: from an export of the form's results with `--results FILE`, or manually with `--as landed` or `--as not-landed`.",
      )
    }
    if (input.complete) return yield* wrong("`--complete` describes an export: add `--results FILE`.")
    if (rows === undefined || more !== undefined) {
      return yield* wrong("Choose the rows: give one of `--all`, `--batch ID` or `--rows KEY…`.")
    }
    yield* needsReason(input)
    return { _tag: "Person", landed: input.as === "landed", which: rows }
  })

/** How a person settles rows with options. */
const ways = { vouch: "add --complete --because TEXT", settle: "settle them with --as landed or --as not-landed" }

/** How many rows the table shows. `--json` has all of them. */
const most = 50

/** Shows what `settle` did: the outcome of each row and why, the totals, and what is next. */
const showSettled = (result: SettleResult, screen: Screen): string => {
  const paint = paints(screen)
  const { file, list, pipeline, rows } = result
  const read = file === undefined ? list && { ...list, name: "The form's list" } : file
  if (rows.length === 0) return `No row of ${visible(pipeline)} is in doubt.`
  const tone = { landed: paint.good, "not landed": paint.strong, "in doubt": paint.bad } as const
  const next = nextRunTexts(result).flatMap((text) => wrapToWidth(text, screen.width))
  return present([
    read !== undefined && paint.soft(
      cutToWidth(
        `${read.name}: ${counted(read.submissions, "submission")}${
          read.lacking === 0
            ? ""
            : `; ${count(read.lacking)} that the ledger contains ${read.lacking === 1 ? "is" : "are"} missing from it`
        }`,
        screen.width,
      ),
    ),
    table(
      [numbers("row"), "key", numbers("batch"), "outcome", "because"],
      rows.slice(0, most).map((row) => [
        String(row.row),
        cutToWidth(row.key, 40),
        String(row.batch),
        { text: row.outcome, paint: tone[row.outcome] },
        row.reason,
      ]),
      screen,
    ),
    rows.length > most && `… and ${count(rows.length - most)} more; --json shows all`,
    paint.strong(settledText(result)),
    ...next,
    ...(result.left === 0 ? [] : settleAdvice(result, ways).flatMap((line) => wrapToWidth(line, screen.width))),
  ]).join("\n")
}
