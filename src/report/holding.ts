import { FileSystem, Path } from "@effect/platform"
import { Effect, Either } from "effect"
import Papa from "papaparse"
import type { RunReport } from "../domain/run.ts"
import { withoutApostrophe } from "./csv.ts"
import { parseReport } from "./reportFile.ts"
import { reportJson } from "./reportJson.ts"
import { ReportError } from "./RunFolder.ts"

/** A run's folder that holds something of rows, and in which of its files that shows. */
export interface Holding {
  readonly folder: string
  readonly files: ReadonlyArray<string>
}

/** The titles under which our CSVs have a row's key. */
const keyTitles = ["_key", "key"]

/** Whether a CSV of ours has a line with one of the keys; the ids of the submissions in those lines are added. */
const csvHolds = (text: string, keys: ReadonlySet<string>, ids: Set<string>): boolean => {
  let at: number | undefined
  let submission = -1
  let found = false
  Papa.parse<ReadonlyArray<string>>(text, {
    step: ({ data }, parser) => {
      if (at === undefined) {
        // Our own columns stand behind the source's.
        at = Math.max(...keyTitles.map((title) => data.lastIndexOf(title)))
        submission = data.lastIndexOf("submission_id")
        if (at < 0) parser.abort()
        return
      }
      const key = data[at]
      if (key === undefined || !(keys.has(key) || keys.has(withoutApostrophe(key)))) return
      found = true
      const id = data[submission] ?? ""
      if (id !== "") ids.add(id)
    },
  })
  return found
}

/**
 * Folders of a pipeline's runs whose files have one of these row keys, or one of the submission ids that belong to them. A folder of a run that died is among them when its spools hold one. What is masked
 * (`--redact`) holds no key.
 *
 * @param submissionIds those that are known; the reports tell others
 */
export const foldersHolding = (
  reports: string,
  pipeline: string,
  keys: ReadonlyArray<string>,
  submissionIds: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<Holding>, ReportError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const ofPipeline = path.join(reports, pipeline)
    const failed = (file: string) => Effect.mapError((cause: unknown) => new ReportError({ file, cause }))
    const list = (folder: string) => fs.readDirectory(folder).pipe(failed(folder))
    const there = yield* fs.exists(ofPipeline).pipe(failed(ofPipeline))
    const runs = there ? (yield* list(ofPipeline)).filter((one) => one !== "latest" && !one.startsWith(".")) : []
    const wanted = new Set(keys)
    const ids = new Set(submissionIds)
    const inJson = keys.map((key) => `"key":${JSON.stringify(key)}`)
    const look = Effect.forEach(runs.toSorted(), (run) =>
      Effect.gen(function*() {
        const folder = path.join(ofPipeline, run)
        const files = yield* Effect.filter((yield* list(folder)).toSorted(), (name) =>
          Effect.map(fs.readFileString(path.join(folder, name)).pipe(failed(path.join(folder, name))), (text) => {
            const compact = name.endsWith(".json") ? text.replaceAll('": ', '":') : text
            const csv = /\.csv(\.part)?$/.test(name) && csvHolds(text, wanted, ids)
            return csv || inJson.some((one) => compact.includes(one)) || [...ids].some((id) =>
              text.includes(id)
            )
          }))
        return { folder, files }
      }))
    const first = yield* look
    // What was learnt in one folder may stand in one before it.
    const holding = ids.size > submissionIds.length ? yield* look : first
    return holding.filter(({ files }) => files.length > 0)
  })

/** A report's counts, without anything of its rows or the service's words. */
const countsOf = (report: RunReport): RunReport => ({
  ...report,
  because: [],
  problems: report.problems.map((group) => ({ ...group, examples: [] })),
  differences: [],
  findings: report.findings.map((finding) => ({ ...finding, examples: [] })),
  normalised: [],
  inDoubt: [],
  warnings: ["Rows of this run were forgotten on a person's request: only its counts are kept."],
  ...(report.replaced === undefined ? {} : { replaced: { ...report.replaced, examples: [] } }),
})

/** Removes all files of a run but report.json, of which the counts stay: they are the pipeline's history, and tell a ledger that vanished. */
export const emptyFolder = (
  { folder }: Pick<Holding, "folder">,
): Effect.Effect<void, ReportError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(folder, "report.json")
    const there = yield* fs.exists(file)
    const parsed = there ? parseReport(yield* fs.readFileString(file)) : undefined
    if (parsed !== undefined && Either.isRight(parsed)) {
      const draft = `${file}.forgetting`
      yield* fs.writeFileString(draft, `${reportJson(countsOf(parsed.right))}\n`, { mode: 0o600 })
      yield* fs.rename(draft, file)
    }
    const kept = parsed !== undefined && Either.isRight(parsed)
    for (const name of yield* fs.readDirectory(folder)) {
      if (!kept || name !== "report.json") yield* fs.remove(path.join(folder, name), { recursive: true })
    }
    if (!kept) yield* fs.remove(folder)
  }).pipe(Effect.mapError((cause) => new ReportError({ file: folder, cause })))
