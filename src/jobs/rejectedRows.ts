import * as Effect from "effect/Effect"
import type { RejectedRows } from "../domain/rejectedLine.ts"
import type { RunReport } from "../domain/report.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { disk } from "../project/disk.ts"
import type { Project } from "../project/Project.ts"
import { faithfulCsv } from "../report/csv.ts"
import { csvFiles, joint, readCsv } from "../report/csvFiles.ts"
import { readReport } from "../report/pastRuns.ts"
import { contentOfId } from "../run/content.ts"
import { unreadCode } from "../source/fixed.ts"
import { SourceError } from "../source/Source.ts"
import { JobRefused } from "./JobRefused.ts"
import { replaceFile, versionOf } from "./pipelineFile.ts"
import { openIfAny, serviceAddress } from "./projectLedger.ts"

const nothingToFix = (message: string) => new JobRefused({ code: "NothingToFix", message })

/** The copy of rejected.csv in which a person fixes cells. The copy is next to the original, and can be imported instead. */
const fixedName = "rejected-fixed.csv"

/** Returns why a report's rejected rows can't be fixed, as a sentence. Undefined if they can. */
const whyUnfixable = ({ mode, rows, values }: RunReport): string | undefined =>
  values === "masked"
    ? "This report has digests in place of values, so its rows can't be fixed."
    : mode !== "run"
    ? `${mode === "rehearsal" ? "A rehearsal" : "A dry run"} sends nothing: fix the source, or the rows of a run.`
    // A row with a repeated key would be sent in place of the first one, which was not sent.
    : rows.pending > 0
    ? "This run did not send all of its rows. Run the pipeline again, then fix the rows of that run."
    : undefined

/** Returns a function that names each row by the texts that identify it. Rows with the same texts are numbered. */
const rowNames = () => {
  const seen = new Map<string, number>()
  return (texts: ReadonlyArray<string>): string => {
    const all = JSON.stringify(texts)
    const nth = (seen.get(all) ?? 0) + 1
    seen.set(all, nth)
    return `${nth} ${all}`
  }
}

/** Returns the rejected rows of a run: as a person has fixed them, otherwise as they were rejected. */
const rejectedRows = (project: Project, pipeline: string, run: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { folder, report } = yield* readReport(project.reports, pipeline, run)
    const fixed = path.join(folder, fixedName)
    const isFixed = yield* fs.exists(fixed)
    const file = isFixed ? fixed : path.join(folder, csvFiles.rejected.name)
    const text = (yield* fs.exists(file)) ? yield* fs.readFileString(file) : ""
    const { lines, titles, ...read } = readCsv(csvFiles.rejected, text)
    const own = Math.max(0, read.own)
    const nameOf = rowNames()
    const rows = lines.map((line) => {
      const [id = "", row = "", key = "", code = "", column = "", message = ""] = line.slice(own)
      const wrong = column === "" ? [] : column.split(joint)
      const [cells, beyond] = [line.slice(0, own), line.slice(titles.length)]
      const name = nameOf(id === "" ? line : [id, row])
      return { id, name, row, key, code, wrong, message, cells, beyond, isUnread: unreadCode(key, code) !== undefined }
    })
    return {
      columns: titles.slice(0, own),
      rows,
      titles,
      lines,
      text,
      fixed,
      isFixed,
      unfixable: whyUnfixable(report),
      version: versionOf(text),
      report,
    }
  })

/** Returns the first of a run's rejected rows, and whether a fixed row was already sent for each. */
export const shownRejected = (project: Project, pipeline: string, run: string, most: number) =>
  Effect.gen(function*() {
    const { columns, isFixed, report: { form }, rows, unfixable, version } = yield* rejectedRows(project, pipeline, run)
    const shown = rows.slice(0, most)
    const ledger = yield* openIfAny(project)
    const destination = { service: serviceAddress(project, form.service), form: form.id }
    const sent = yield* ledger?.view({ pipeline, destination }).fixed(shown.map(({ code, id, key }) => {
      const content = contentOfId(id)
      return content && { content, key: key === "" ? undefined : key, isDuplicate: code === "duplicate-key" }
    })) ?? Effect.succeed([])
    const lines = shown.map(({ code: _code, id: _id, ...row }, at) => ({ ...row, isSent: sent[at] === "sent" }))
    return { columns, isFixed, unfixable, version, total: rows.length, rows: lines } satisfies RejectedRows
  }).pipe(Effect.scoped)

/** A fixed cell of the rejected row with this name. `column` counts from 0. */
interface FixedCell {
  readonly row: string
  readonly column: number
  readonly text: string
}

/**
 * Saves fixed cells next to rejected.csv, and deletes the codes of changed rows and their cells beyond the header. A row that still has a damaged character keeps its code, and
 * so does a duplicate.
 * Fails with FileChanged if the rows no longer have this version.
 */
export const fixRejected = (
  project: Project,
  { cells, pipeline, run, version }: {
    readonly pipeline: string
    readonly run: string
    readonly version: string
    readonly cells: ReadonlyArray<FixedCell>
  },
) =>
  Effect.gen(function*() {
    const { columns, fixed, isFixed, lines, rows, titles, unfixable, ...now } = yield* rejectedRows(
      project,
      pipeline,
      run,
    )
    if (unfixable !== undefined) return yield* nothingToFix(unfixable)
    const changed = new Set<Array<string>>()
    const named = new Map(rows.map(({ name }, at) => [name, lines[at]]))
    for (const { column, row, text } of cells) {
      const line = named.get(row)
      if (line === undefined || column < 0 || column >= columns.length) {
        return yield* nothingToFix(
          "The file no longer has a row whose cells you changed. Nothing was saved. Reload this page, which discards your changes, and fix the cells again.",
        )
      }
      if (line[column] === text) continue
      line[column] = text
      // A row that could not be read is imported only if it has no code and is not longer than the header.
      line.splice(titles.length)
      changed.add(line)
    }
    for (const line of changed) {
      const at = titles.lastIndexOf("_code")
      const isDamaged = line[at] === "damaged-text" && line.slice(0, columns.length).join().includes("\ufffd")
      // A run compares the key of a duplicate.
      if (!isDamaged && line[at] !== "duplicate-key") line[at] = ""
    }
    const shown = isFixed ? fixedName : csvFiles.rejected.name
    // A first fix is made from rejected.csv, which stays as it is.
    const base = isFixed || version !== now.version ? version : versionOf("")
    const content = faithfulCsv([titles, ...lines])
    yield* replaceFile({ file: fixed, shown, text: content, version: base })
  })

/** Returns the absolute path of a run's fixed rows. Fails with SourceError if they can't be read. */
export const fixedFile = (project: Project, pipeline: string, run: string) =>
  Effect.gen(function*() {
    const { fixed, isFixed } = yield* rejectedRows(project, pipeline, run).pipe(
      Effect.catchTags({
        BadArgument: Effect.die,
        SystemError: (cause) =>
          new SourceError({ file: fixedName, message: `${fixedName} can't be read: ${reasonOf(cause)}.`, cause }),
      }),
    )
    if (!isFixed) return yield* nothingToFix(`No rejected row of the run ${run} was fixed.`)
    return fixed
  })
