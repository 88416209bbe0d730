import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { cellText } from "../domain/cell.ts"
import { brief } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { firstOf } from "../domain/words.ts"
import type { TestEntry, Waits } from "../ledger/evidence.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import { stampIdsOf, stampsOf } from "../mapping/stamps.ts"
import { knownIn } from "../run/knownSubmissions.ts"
import { showWork } from "../run/Progress.ts"
import { evidenceOfRows, type ListContext, waitsOf } from "../run/settleFromList.ts"
import { likenessOf, type Results, resultsColumns } from "../sink/likeness.ts"
import { makeSettling } from "../sink/settleRows.ts"
import { eachChunk } from "../source/chunks.ts"
import { asFound, openSource } from "../source/openSource.ts"
import type { Source } from "../source/Source.ts"
import { JobRefused } from "./JobRefused.ts"
import { answersWithoutSource } from "./prepare.ts"
import { openTarget, type PipelineTarget } from "./target.ts"

const unusable = (message: string) => new JobRefused({ code: "ExportUnusable", message })

export interface Export extends Results {
  /** The file's name without its folders. */
  readonly name: string
  readonly source: Source
  /** Whether the pipeline sends submission times. */
  readonly hasTimes: boolean
  readonly waits: Waits
  readonly warnings: ReadonlyArray<string>
}

/** Opens an export of the results of the target's form. Fetches the form to get the names of its questions. */
export const openExport = (at: PipelineTarget, file: string) =>
  Effect.gen(function*() {
    const { pipeline, target } = at
    const path = yield* Path.Path
    const name = path.basename(file)
    const source = yield* openSource(asFound(file))
    const service = yield* openTarget(at)
    const form = yield* service.form(target.form)
    const meta = source.tool?.meta ?? []
    const titles: Array<string> = []
    for (const column of source.columns) titles[column.position] = column.title
    const header = {
      titles: Array.from(titles, (title) => title ?? ""),
      own: new Set(meta.map(({ position }) => position)),
      id: meta.find(({ role }) => role === "id")?.position,
    }
    const stamps = stampsOf(pipeline, form)
    const undeclared = stamps.flatMap(({ declared, id }) => declared ? [] : [id])
    const columns = resultsColumns(header, form, undeclared)
    if (columns === undefined) {
      return yield* unusable(
        `${name} has no column of submission ids ("Submission ID"), so submissions that are already in the ledger can't be excluded. Nothing was settled. Export the form's results from the form editor with that column.`,
      )
    }
    if (columns.elements.size === 0) {
      return yield* unusable(
        `No column of ${name} is named after a question of the form "${
          brief(form.name)
        }". Is the file an export of a different form? The form's questions are: ${
          firstOf(form.questions.map((question) => brief(question.name)), 8)
        }.`,
      )
    }
    return {
      name,
      source,
      form,
      columns,
      // If the mapping no longer fits the form, the kinds are inferred from the types of the questions.
      kinds: answersWithoutSource(pipeline, form),
      stamps: stampIdsOf(stamps),
      hasTimes: pipeline.mapping.submissionTime !== undefined,
      waits: waitsOf(pipeline),
      warnings: source.warnings,
    } satisfies Export
  })

/**
 * Looks for the rows in doubt among the export's submissions that the ledger lacks. Records nothing.
 *
 * @param isComplete whether a person confirms that the export is complete
 */
export const settleFromExport = (
  rows: ReadonlyArray<DoubtfulRow>,
  view: ListContext["view"],
  digest: (id: string) => Buffer,
  { columns, form, hasTimes, kinds, source, stamps, waits }: Export,
  isComplete: boolean,
) =>
  Effect.gen(function*() {
    // A row in doubt may have been sent with a time before the mapping was edited.
    const isTimed = hasTimes || rows.some(({ item }) => item?.submissionTime !== undefined)
    const known = yield* knownIn(view, digest, isTimed)
    const { facts: { landedByWord, now, testEntries: entries }, imported } = known
    const entered = new Set<TestEntry>()
    const settling = makeSettling(
      rows,
      (item) => likenessOf(item, { form, columns, kinds, stamps }),
      landedByWord,
      // If the export lacks a URL parameter of the origin, that parameter can't distinguish rows.
      {
        all: stamps.origin,
        unseen: new Set([...stamps.origin].filter((id) => !columns.elements.has(`urlParameters ${id}`))),
      },
    )
    const entryIn = (cells: Cells): TestEntry | undefined =>
      entries.find(({ text }) => cells.some((cell) => cellText(cell).toLowerCase().includes(text)))
    let submissions = 0
    let unreadable = 0
    const readChunk = (chunk: RowChunk) =>
      Effect.suspend(() => {
        chunk.rows.forEach((raw, index) => {
          const cells = source.tool?.clean(raw) ?? raw
          const id = cellText(cells[columns.id]).trim()
          if (chunk.faults.has(index) || id === "") {
            unreadable++
            return
          }
          submissions++
          const owner = known.see(id)
          const entry = owner !== "none" || entries.length === 0 ? undefined : entryIn(cells)
          if (entry === undefined) settling.offer(id, cells, owner)
          else {
            entered.add(entry)
            known.seeEntry(entry)
          }
        })
        // A complete export has at least as many submissions as were imported, so the number of imported rows is shown as the total until it is reached.
        return showWork("results", submissions, submissions < imported ? imported : undefined)
      })
    yield* eachChunk(source.read(), readChunk)
    const files = yield* source.files
    const lacking = yield* known.lacking
    const evidenceOf = yield* evidenceOfRows(rows, view, waits, [...entered])
    const settled = settling.decide({
      _tag: "Export",
      lacking,
      unreadable,
      isInOrder: known.isInOrder(),
      isComplete,
      evidenceOf,
      times: known.times,
      now,
    })
    return { ...settled, lacking, submissions, sha256: files[0]?.file.sha256 ?? "" }
  })
