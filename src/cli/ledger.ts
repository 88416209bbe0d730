import { Args, Command, Options, Prompt } from "@effect/cli"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import type { ExportFormat } from "../jobs/upkeep.ts"
import type { Project } from "../project/Project.ts"
import { nearest, oneOf, quoted } from "../project/suggestion.ts"
import { counted } from "../report/words.ts"
import { json, to } from "./arguments.ts"
import { UsageWrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"
import { Output } from "./Output.ts"
import { userName } from "./userName.ts"

const optional = <A>(option: Options.Options<A>) => option.pipe(Options.optional, Options.map(Option.getOrUndefined))

const options = {
  format: optional(
    Options.choice("format", ["csv", "jsonl"]).pipe(Options.withDescription("export: csv (default) or jsonl.")),
  ),
  out: optional(
    Options.text("out").pipe(
      Options.withPseudoName("FILE"),
      Options.withDescription("export: into this file, which is not there yet, instead of stdout."),
    ),
  ),
  rows: Options.text("rows").pipe(
    Options.withPseudoName("KEY"),
    Options.withDescription("forget: keys of the rows, several behind one another."),
    Options.repeated,
  ),
  because: optional(
    Options.text("because").pipe(
      Options.withPseudoName("TEXT"),
      Options.withDescription("forget: why. It stays in the ledger: name nobody in it."),
    ),
  ),
  map: optional(
    Options.text("map").pipe(
      Options.withPseudoName("FILE"),
      Options.withDescription("rekey: pairs of keys in a file with a header, the earlier key first."),
    ),
  ),
  yes: Options.boolean("yes").pipe(Options.withDescription("rekey: record the keys without asking.")),
  to,
  reports: Options.boolean("reports").pipe(
    Options.withDescription("forget: empty the reports that hold the rows too; their counts stay."),
  ),
  json,
}

const actions = ["compact", "backup", "export", "forget", "rekey"] as const
type Action = (typeof actions)[number]

/** Which options belong to which action, as typed. */
const belongs: { readonly [O in "format" | "out" | "rows" | "because" | "reports" | "map" | "yes" | "to"]: Action } = {
  format: "export",
  out: "export",
  rows: "forget",
  because: "forget",
  reports: "forget",
  map: "rekey",
  yes: "rekey",
  to: "rekey",
}

interface Input {
  readonly format: ExportFormat | undefined
  readonly out: string | undefined
  readonly rows: ReadonlyArray<string>
  readonly because: string | undefined
  readonly reports: boolean
  readonly map: string | undefined
  readonly yes: boolean
  readonly to: string | undefined
  readonly json: boolean
  readonly words: ReadonlyArray<string>
}

const wrong = (message: string) => new UsageWrong({ message, command: "ledger" })

const about =
  "Looks after the ledger: compact it, back it up while a run goes on, export its rows, forget a row for good, give rows the keys that they have now."

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const given = (input: Input): ReadonlyArray<keyof typeof belongs> =>
  (Object.keys(belongs) as Array<keyof typeof belongs>).filter((name) => {
    const value = input[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
  })

/** `ledger compact | backup FILE | export [NAME…] | forget NAME --rows KEY… --because TEXT`. */
export const ledger = {
  name: "ledger",
  about,
  options,
  command: Command.make(
    "ledger",
    {
      ...options,
      words: Args.text({ name: "compact | backup FILE | export [NAME…] | forget NAME | rekey NAME" }).pipe(
        Args.repeated,
      ),
    },
    (input) =>
      Effect.gen(function*() {
        const [word, ...names] = input.words
        const action = actions.find((one) => one === word)
        if (action === undefined) {
          const near = word === undefined ? undefined : nearest(word, actions)
          return yield* wrong(
            word === undefined
              ? `What is to be done: ${oneOf(actions.map(quoted), "or")}?`
              : `The ledger has no ${quoted(word)}. ${
                near === undefined ? `There are ${oneOf(actions.map(quoted), "and")}.` : `Did you mean ${quoted(near)}?`
              }`,
          )
        }
        const stray = given(input).find((name) => belongs[name] !== action)
        if (stray !== undefined) return yield* wrong(`\`--${stray}\` belongs to \`ledger ${belongs[stray]}\`.`)
        const project = yield* openProject(action === "forget" || action === "rekey" ? names.slice(0, 1) : [])
        switch (action) {
          case "compact":
            return yield* names.length > 0 ? wrong("`ledger compact` takes no name.") : compact(project, input)
          case "backup":
            return yield* backup(project, names, input)
          case "export":
            return yield* exportRows(project, names, input)
          case "forget":
            return yield* forget(project, names, input)
          case "rekey":
            return yield* rekey(project, names, input)
        }
      }),
  ).pipe(Command.withDescription(about)),
}

const compact = (project: Project, input: Input) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { compactLedger } = yield* Effect.promise(() => import("../jobs/upkeep.ts"))
    const done = yield* compactLedger(project)
    yield* output.print(
      input.json
        ? JSON.stringify(done)
        : `${size(done.before)} before, ${size(done.after)} now. ${counted(done.runs, "old run")} and ${
          counted(done.rejected, "rejected row")
        } that no run meets any more were forgotten.`,
    )
  })

const backup = (project: Project, names: ReadonlyArray<string>, input: Input) =>
  Effect.gen(function*() {
    const output = yield* Output
    const path = yield* Path.Path
    const [file] = names
    if (file === undefined || names.length > 1) return yield* wrong("`ledger backup` takes one file: where to.")
    const { backUp } = yield* Effect.promise(() => import("../jobs/upkeep.ts"))
    const to = path.resolve(file)
    const bytes = yield* backUp(project, to)
    yield* output.print(
      input.json
        ? JSON.stringify({ file: to, secret: `${to}.key`, bytes })
        : `${size(bytes)} in ${to}, and its secret in ${to}.key: keep both together, and as safe as the rows.`,
    )
  })

const exportRows = (project: Project, names: ReadonlyArray<string>, input: Input) =>
  Effect.gen(function*() {
    const output = yield* Output
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { exportLedger } = yield* Effect.promise(() => import("../jobs/upkeep.ts"))
    const text = exportLedger(project, names, input.format ?? "csv")
    if (input.out === undefined) {
      return yield* Stream.runForEach(text, output.printData)
    }
    const file = path.resolve(input.out)
    if (yield* fs.exists(file)) return yield* wrong(`${file} is there already: choose another name.`)
    yield* Stream.run(Stream.encodeText(text), fs.sink(file, { flag: "wx", mode: 0o600 }))
    output.tell(`Written: ${file}`)
  })

const forget = (project: Project, names: ReadonlyArray<string>, input: Input) =>
  Effect.gen(function*() {
    const output = yield* Output
    const [pipeline] = names
    if (pipeline === undefined || names.length > 1) return yield* wrong("`ledger forget` takes one pipeline's name.")
    if (input.rows.length === 0) return yield* wrong("Say which rows: `--rows KEY…`.")
    if (input.because === undefined || input.because.trim() === "") {
      return yield* wrong("`--because` needs a reason, such as the number of the request.")
    }
    const { forgetRows } = yield* Effect.promise(() => import("../jobs/upkeep.ts"))
    const done = yield* forgetRows(project, {
      pipeline,
      keys: [...new Set(input.rows)],
      because: input.because,
      by: yield* userName,
      reports: input.reports,
    })
    if (input.json) return yield* output.print(JSON.stringify(done))
    const lines = [
      ...(done.keys.length === done.already.length ? [] : [
        `${
          counted(done.keys.length - done.already.length, "row")
        } of ${pipeline} forgotten: nothing but a keyed digest of the key is left in the ledger, so that it is not imported again.`,
      ]),
      ...(done.already.length === 0
        ? []
        : [`Forgotten already, with nothing but the digest of the key left: ${done.already.join(", ")}.`]),
      ...(done.unknown.length === 0 ? [] : [`Nothing was known of ${done.unknown.join(", ")}.`]),
      ...done.submissions.map(({ form, submissionId }) =>
        `Submission ${submissionId} stands in form ${form} all the same: delete it there.`
      ),
      ...(done.reports.length === 0
        ? []
        : done.emptied
        ? [`Emptied, but for their counts: ${done.reports.map(({ folder }) => folder).join(", ")}`]
        : [
          "These reports still hold it; delete them, or run this again with --reports:",
          ...done.reports.map(({ files, folder }) => `  ${folder} (${files.join(", ")})`),
        ]),
      "The source, backups of the ledger and files that others made hold what they held.",
    ]
    yield* output.print(lines.join("\n"))
  })

/** Pairs of keys that are shown before a person agrees. */
const shownPairs = 50

const rekey = (project: Project, names: ReadonlyArray<string>, input: Input) =>
  Effect.gen(function*() {
    const output = yield* Output
    const path = yield* Path.Path
    const [pipeline] = names
    if (pipeline === undefined || names.length > 1) return yield* wrong("`ledger rekey` takes one pipeline's name.")
    const { rekeyPipeline } = yield* Effect.promise(() => import("../jobs/rekey.ts"))
    const done = yield* rekeyPipeline(project, {
      pipeline,
      to: input.to,
      map: input.map === undefined ? undefined : path.resolve(input.map),
      agreed: ({ pairs }) =>
        Effect.gen(function*() {
          if (!input.json) {
            yield* output.print(pairs.slice(0, shownPairs).map((pair) => `${pair.old} → ${pair.new}`).join("\n"))
            if (pairs.length > shownPairs) yield* output.print(`and ${counted(pairs.length - shownPairs, "more row")}`)
          }
          if (input.yes) return true
          if (input.json || !output.interactive) {
            return yield* wrong(
              `${
                counted(pairs.length, "row key")
              } would be recorded. Nothing was. Look at the pairs, then add \`--yes\`.`,
            )
          }
          return yield* Prompt.run(Prompt.confirm({ message: `Record ${counted(pairs.length, "new row key")}?` }))
        }),
    })
    if (input.json) return yield* output.print(JSON.stringify(done))
    yield* output.print(
      done.pairs.length === 0
        ? `No new row of ${pipeline} looks like a row that left its source.`
        : `${counted(done.recorded, "row key")} recorded.`,
    )
    if (done.ambiguous > 0) {
      yield* output.print(
        `${counted(done.ambiguous, "row")} can't be paired with certainty: write the pairs into a file, and use --map.`,
      )
    }
  })
