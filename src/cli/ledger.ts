import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { exits } from "../domain/exit.ts"
import { anyKeyOf, counted, present } from "../domain/words.ts"
import { userName } from "../jobs/userName.ts"
import { createFile } from "../project/disk.ts"
import {
  argument,
  choice,
  choosing,
  command,
  type CommandGroup,
  filePath,
  flag,
  json,
  neededReason,
  pipeline,
  pipelines,
  source,
  text,
  texts,
  to,
} from "./command.ts"
import { CommandEnded, requireNew, UsageWrong } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { chosenPipelines, openProject } from "./openProject.ts"
import { withProgress } from "./terminal/progress.ts"
import { confirm } from "./terminal/prompt.ts"

/** Loads the jobs of these commands. */
const upkeep = Effect.promise(() => import("../jobs/upkeep.ts"))

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const compact = command({
  name: "compact",
  about:
    "Makes the ledger's file smaller. Forgets old runs, and rejected rows that recent runs no longer found in the source. In PostgreSQL, it rewrites the tables (`VACUUM FULL`). Between two calls, autovacuum is enough.",
  examples: [
    { words: "ledger compact", about: "Compacts the ledger." },
    { words: "ledger compact --json", about: "Writes what was forgotten as JSON, for a program." },
  ],
  arguments: {},
  options: { json },
  *run(input, { output }) {
    const project = yield* openProject([])
    const { compactLedger } = yield* upkeep
    const done = yield* withProgress("ledger", () => compactLedger(project))
    yield* output.print(
      input.json
        ? JSON.stringify(done)
        : `${size(done.before)} before, ${size(done.after)} now. Removed ${counted(done.runs, "old run")} and ${
          counted(done.rejected, "rejected row")
        } that recent runs no longer found.`,
    )
  },
})

const backup = command({
  name: "backup",
  about:
    "Writes a copy of a ledger in a file, with its secret. You can do this while runs are in progress. For a ledger in PostgreSQL, use `pg_dump`, or continuous archiving (`pg_basebackup`).",
  examples: [
    {
      words: "ledger backup /safe/ledger.db",
      about: "Writes the copy, and its secret to /safe/ledger.db.key.",
    },
    { words: "ledger backup ledger-$(date +%F).db", about: "Writes one copy a day." },
  ],
  arguments: { file: argument("FILE", "Where to write the copy.") },
  options: { json },
  *run(input, { output }) {
    const path = yield* Path.Path
    const project = yield* openProject([])
    const { backUp } = yield* upkeep
    const to = path.resolve(input.file)
    const bytes = yield* withProgress("ledger", () => backUp(project, to))
    yield* output.print(
      input.json
        ? JSON.stringify({ file: to, secret: `${to}.key`, bytes })
        : `Written: ${to} (${
          size(bytes)
        }), and its secret in ${to}.key. Keep both together, and protect them as you protect the rows.`,
    )
  },
})

const key = command({
  name: "key",
  about: "Makes a key for a new ledger in PostgreSQL, and prints it once.",
  examples: [
    { words: "ledger key", about: "Prints a key for FORMFERRY_LEDGER_KEY." },
    { words: "ledger key > ledger.key", about: "Writes the key to a file. Keep it secret." },
  ],
  arguments: {},
  options: {},
  *run(_, { output }) {
    const { newLedgerKey } = yield* upkeep
    yield* output.print(yield* newLedgerKey)
    output.say(
      "Store this key where every host finds it: in the variable that `ledger.key` in config/formferry.yaml names. Keep a copy with the backups of the database. "
        + "Without the key, no row is recognised.",
    )
  },
})

const migrate = command({
  name: "migrate",
  about:
    "Creates the tables of a ledger in PostgreSQL, if there are none. Needed only if the user of `ledger.url` may not create them. The tables of a different build are not changed: while a run is in progress there, the command exits with code 6, otherwise with code 2.",
  examples: [
    { words: "ledger migrate", about: "Creates the tables for the user of ledger.url." },
    {
      words: "ledger migrate --owner formferry",
      about: "Creates them for the user formferry, if ledger.url names an administrator this time.",
    },
  ],
  arguments: {},
  options: {
    owner: text("USER", "The database user who will use the ledger. Default: the user of `ledger.url`."),
    json,
  },
  *run(input, { output }) {
    const project = yield* openProject([])
    const { migrateLedger } = yield* upkeep
    const created = yield* migrateLedger(project, input.owner)
    yield* output.print(
      input.json
        ? JSON.stringify({ created })
        : created
        ? "The ledger's tables were created."
        : "Nothing to do: the ledger's tables are those of this build.",
    )
  },
})

const move = command({
  name: "move",
  about:
    "Moves the ledger to the place that `newLedger` in config/formferry.yaml names: from a file to PostgreSQL, or back. No run may be in progress.",
  examples: [
    { words: "ledger move", about: "Moves the ledger, or continues a move that was interrupted." },
    { words: "ledger move --cancel", about: "Opens the old ledger again, if the move has not finished." },
  ],
  arguments: {},
  options: { cancel: flag("Keep the old ledger. Possible until everything was copied."), json },
  *run(input, { output }) {
    const project = yield* openProject([])
    const { cancelProjectMove, moveProject } = yield* upkeep
    if (input.cancel) {
      const { cancelled, removal } = yield* cancelProjectMove(project)
      return yield* output.print(
        input.json
          ? JSON.stringify({ cancelled })
          : cancelled
          ? `The move was cancelled: the ledger can be used again. Before you move it to the same place again, remove what was copied${
            removal === undefined ? "" : `: ${removal}`
          }.`
          : "Nothing to do: the ledger is not being moved.",
      )
    }
    const done = yield* withProgress("ledger", () => moveProject(project))
    yield* output.print(
      input.json
        ? JSON.stringify(done)
        : `The ledger ${done.from} was moved to ${done.to}. ${
          done.records === 0 ? "" : `${counted(done.records, "record")} were copied and compared. `
        }Now remove \`ledger\` from config/formferry.yaml, and rename \`newLedger\` to \`ledger\`. Until then, every run is refused.`,
    )
  },
})

const exportRows = command({
  name: "export",
  about: "Writes all rows of pipelines with their states and submission ids, as CSV or JSON Lines.",
  examples: [
    { words: "ledger export contacts --out rows.csv", about: "Writes the rows of one pipeline to a file." },
    { words: "ledger export --format jsonl", about: "Writes all rows to stdout, one JSON object per line." },
  ],
  arguments: { pipelines },
  options: {
    ...choosing,
    format: choice("FORMAT", ["csv", "jsonl"], "The format of the rows. Default: csv."),
    out: filePath("FILE", "Write to this file, which must not exist yet, instead of stdout."),
  },
  *run(input, { output }) {
    const project = yield* openProject([])
    const names = yield* chosenPipelines(input)
    const { exportLedger } = yield* upkeep
    const text = exportLedger(project, names, input.format ?? "csv")
    if (input.out === undefined) {
      const written = Stream.runForEach(text, output.printData)
      // No progress is needed if the rows themselves scroll by.
      return yield* output.interactive ? written : withProgress("ledger", () => written)
    }
    const file = input.out
    yield* requireNew(file)
    yield* withProgress(
      "ledger",
      () => createFile(file, (append) => Stream.runForEach(Stream.encodeText(text), append), 0o600),
    )
    output.say(`Written: ${file}`)
  },
})

const forget = command({
  name: "forget",
  about: "Forgets rows permanently. A keyed digest of the key stays, so that the row is not imported again.",
  examples: [
    { words: "ledger forget contacts --rows K-17 --because 'request 12'", about: "Forgets one row." },
    {
      words: "ledger forget contacts --rows K-17 K-18 --reports --because 'request 13'",
      about: "Forgets two rows, and removes them from the reports.",
    },
  ],
  arguments: { pipeline },
  options: {
    rows: { ...texts("KEY", "Keys of the rows."), isRequired: true },
    because: neededReason("The reason. It stays in the ledger, so it must not name a person."),
    reports: flag("Also empty the reports that contain the rows. Their counts stay."),
    json,
  },
  *run(input, { output }) {
    const { pipeline } = input
    const project = yield* openProject([pipeline])
    const { forgetRows } = yield* upkeep
    const asked = { ...input, keys: [...new Set(input.rows)], by: yield* userName }
    const { busy, ...done } = yield* withProgress(pipeline, () => forgetRows(project, asked))
    const lines = present([
      done.keys.length !== done.already.length
      && `${
        counted(done.keys.length - done.already.length, "row")
      } of ${pipeline} forgotten: the ledger keeps only a keyed digest of the key, so that the row is not imported again.${
        busy === undefined ? "" : " But the deleted data is still on the disk."
      }`,
      done.already.length > 0
      && `Already forgotten, with only the digest of the key left: ${done.already.join(", ")}.`,
      done.unknown.length > 0
      && `The ledger has no row with ${anyKeyOf(done.unknown)}.`,
      ...done.submissions.map(({ form, submissionId }) =>
        `Submission ${submissionId} is still in form ${form}: delete it there.`
      ),
      ...(done.reports.length === 0
        ? []
        : done.emptied
        ? [`Emptied, except for their counts: ${done.reports.map(({ folder }) => folder).join(", ")}`]
        : [
          "The reports below still contain forgotten rows. Delete them, or run this command again with `--reports`.",
          ...done.reports.map(({ files, folder }) => `  ${folder} (${files.join(", ")})`),
        ]),
      "The source, backups of the ledger and other copies are unchanged.",
    ])
    yield* output.print(input.json ? JSON.stringify(done) : lines.join("\n"))
    if (busy !== undefined) return yield* busy
  },
})

/** The number of pairs of keys that are shown before you agree. */
const shownPairs = 50

const rekey = command({
  name: "rekey",
  about: "Records the new keys of rows whose keys were reformatted. Shows the pairs of keys and asks you to confirm.",
  examples: [
    { words: "ledger rekey contacts", about: "Pairs vanished rows with new ones, and asks you to confirm." },
    { words: "ledger rekey contacts --map keys.csv", about: "Takes the pairs from a file." },
  ],
  arguments: { pipeline },
  options: {
    map: filePath("FILE", "A file of key pairs with a header, the earlier key first."),
    source,
    yes: flag("Record the keys without asking."),
    to,
    json,
  },
  *run(input, { output }) {
    const { pipeline } = input
    const project = yield* openProject([pipeline])
    const { rekeyPipeline } = yield* Effect.promise(() => import("../jobs/rekey.ts"))
    const rekeyed = (hideProgress: Effect.Effect<void>) =>
      rekeyPipeline(project, {
        pipeline,
        to: input.to,
        map: input.map,
        source: input.source,
        agreed: ({ pairs }) =>
          Effect.gen(function*() {
            yield* hideProgress
            if (!input.json) {
              yield* output.print(
                pairs.slice(0, shownPairs).map((pair) => pair.shown ?? `${pair.old} → ${pair.new}`).join("\n"),
              )
              if (pairs.length > shownPairs) {
                yield* output.print(`and ${counted(pairs.length - shownPairs, "more row")}`)
              }
            }
            if (input.yes) return true
            if (input.json || !output.interactive) {
              return yield* new UsageWrong({
                message: `${
                  counted(pairs.length, "row key")
                } would be recorded. Nothing was recorded. Look at the pairs, then add \`--yes\`.`,
                lacks: "--yes",
              })
            }
            return yield* confirm(`Record ${counted(pairs.length, "new row key")}?`)
          }),
      })
    const done = yield* withProgress(pipeline, rekeyed)
    if (input.json) return yield* output.print(JSON.stringify(done))
    yield* output.print(
      done.pairs.length > 0
        ? `${counted(done.recorded, "row key")} recorded.`
        : input.map === undefined
        ? `No new row of ${pipeline} resembles a row that vanished from its source.`
        : `Nothing to do: the ledger already has the new ${done.already === 1 ? "key" : "keys"} of ${
          counted(done.already, "row")
        }, and none of the earlier ones.`,
    )
    if (done.ambiguous.length > 0) {
      const more = done.ambiguous.length - shownPairs
      yield* output.print(
        `${
          counted(done.ambiguous.length, "earlier key")
        } can't be paired with certainty. Write the pairs into a file, and pass it with --map:\n${
          present([...done.ambiguous.slice(0, shownPairs), more > 0 && `and ${counted(more, "more key")}`]).join(
            "\n",
          )
        }`,
      )
      return yield* new CommandEnded({
        status: exits.attention.code,
        next: commandFor(yield* Invocation, ["ledger", "export", pipeline]),
      })
    }
  },
})

export const ledger: CommandGroup = {
  name: "ledger",
  about:
    "Maintains the ledger: compacts it, backs it up, exports its rows, forgets rows, records new row keys, prepares PostgreSQL, or moves the ledger.",
  commands: [compact, backup, exportRows, forget, rekey, key, migrate, move],
}
