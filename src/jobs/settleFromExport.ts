import { FileSystem, Path } from "@effect/platform"
import { Clock, DateTime, Duration, Effect, Either, Option, Schema } from "effect"
import { cellText } from "../domain/cell.ts"
import type { Form } from "../domain/form.ts"
import type { LedgerError, PipelineLedger } from "../ledger/Ledger.ts"
import type { DoubtfulRow } from "../ledger/records.ts"
import { compile } from "../mapping/compile.ts"
import { mentionedColumns } from "../mapping/mentionedColumns.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { KeyTable } from "../run/KeyTable.ts"
import { RowHash } from "../run/RowHash.ts"
import { type ResultsColumns, resultsColumns } from "../sink/settleColumns.ts"
import { type AnswerKind, likenessOf } from "../sink/settleFit.ts"
import { makeSettling } from "../sink/settleRows.ts"
import { eachChunk } from "../source/eachChunk.ts"
import { openSource } from "../source/openSource.ts"
import type { Source } from "../source/Source.ts"
import { openTarget, type Target } from "./target.ts"

/** The file can't be taken for an export of the form's results (exit 2). */
export class ExportUnusable extends Schema.TaggedError<ExportUnusable>()("ExportUnusable", {
  file: Schema.String,
  message: Schema.String,
}) {}

/** An export of a form's results, its header understood. */
export interface Export {
  /** The file's name without folders. */
  readonly name: string
  readonly file: string
  readonly source: Source
  readonly form: Form
  readonly columns: ResultsColumns
  /** Kinds of the pipeline's answers, as far as its mapping tells them. */
  readonly kinds: ReadonlyArray<AnswerKind>
  readonly stamp: string | undefined
  readonly exportedAt: number
  readonly visibleWithin: number
  readonly warnings: ReadonlyArray<string>
}

/** Opens an export of the results of the target's form. Reads the form, to know its questions by their names. */
export const openExport = (
  project: Project,
  pipeline: Pipeline,
  target: Target,
  { exportedAt, file }: { readonly file: string; readonly exportedAt: number | undefined },
) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const name = path.basename(file)
    const source = yield* openSource({
      file,
      format: undefined,
      encoding: undefined,
      delimiter: undefined,
      headerRow: undefined,
      sheet: undefined,
      range: undefined,
      rowKey: undefined,
      empty: [""],
      columns: [],
      where: [],
    })
    const opened = yield* openTarget(project, pipeline, target)
    const form = yield* opened.service.form(target.form)
    const meta = source.tool?.meta ?? []
    const titles: Array<string> = []
    for (const column of source.columns) titles[column.position] = column.title
    const header = {
      titles: Array.from(titles, (title) => title ?? ""),
      own: new Set(meta.map(({ position }) => position)),
      id: meta.find(({ role }) => role === "id")?.position,
    }
    const stamp = pipeline.sink.stamp?.urlParameter
    const undeclared = stamp === undefined || form.urlParameters.some(({ id, name }) => id === stamp || name === stamp)
      ? []
      : [stamp]
    const columns = resultsColumns(header, form, undeclared)
    if (columns === undefined) {
      return yield* new ExportUnusable({
        file,
        message:
          `${name} has no column of submission ids ("Submission ID"), so that what the ledger knows can't be set aside. Export the form's results from the form editor with that column.`,
      })
    }
    if (columns.elements.size === 0) {
      return yield* new ExportUnusable({
        file,
        message:
          `No column of ${name} has the name of a question of ${form.name}. Is it the export of another form? The form's questions are: ${
            form.questions.slice(0, 8).map((question) => question.name).join(", ")
          }${form.questions.length > 8 ? ", …" : ""}.`,
      })
    }
    // No row is asked for its key here.
    const keyed = { ...pipeline, source: { ...pipeline.source, rowKey: pipeline.source.rowKey ?? "content" } } as const
    const compiled = compile({ pipeline: keyed, form, columns: mentionedColumns(pipeline) })
    const made: Export = {
      name,
      file,
      source,
      form,
      columns,
      // A mapping that does not fit the form any more is no obstacle: the questions' types tell the kinds.
      kinds: Either.isRight(compiled) ? compiled.right.mapping.answers : [],
      stamp,
      exportedAt: exportedAt ?? (yield* timeOf(file)),
      visibleWithin: Duration.toMillis(pipeline.reconcile.visibleWithin),
      warnings: source.warnings,
    }
    return made
  })

/** When the file was written, as the file system tells it. */
const timeOf = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const now = yield* Clock.currentTimeMillis
    const { mtime } = yield* fs.stat(file)
    return Option.match(mtime, {
      onNone: () => 0,
      // A clock that is ahead must not make an export later than it is.
      onSome: (time) => Math.min(time.getTime(), now),
    })
  })

/** Submission ids that are asked of the ledger at a time. */
const idsAtOnce = 10_000

const shown = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

/** Looks the rows in doubt up in an export, submission by submission; what the ledger knows is set aside. Records nothing. */
export const settleFromExport = (
  rows: ReadonlyArray<DoubtfulRow>,
  view: Pick<PipelineLedger, "submissionIds" | "looseIds" | "landedByWord">,
  digest: (id: string) => Buffer,
  { columns, exportedAt, form, kinds, source, stamp, visibleWithin }: Export,
) =>
  Effect.gen(function*() {
    const known = yield* knownIds(view, digest)
    const spoken = yield* view.landedByWord
    const settling = makeSettling(rows, (item) => likenessOf(item, { form, columns, kinds, stamp }), spoken)
    let submissions = 0
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        chunk.rows.forEach((raw, index) => {
          if (chunk.faults.has(index)) return
          const cells = source.tool?.clean(raw) ?? raw
          const id = cellText(cells[columns.id]).trim()
          if (id === "") return
          submissions++
          if (!known.see(id)) settling.offer(id, cells)
        })
      }))
    const files = yield* source.files
    const lacking = yield* known.lacking
    const settled = settling.decide({ lacking, exportedAt, visibleWithin, shown })
    return { ...settled, lacking, submissions, sha256: files[0]?.file.sha256 ?? "" }
  })

/** Ids in 30 bytes each, and which of them were seen. */
const makeIds = (digest: (id: string) => Buffer) => {
  const table = new KeyTable()
  const hash = new RowHash()
  const slotOf = (id: string): number => {
    hash.digest(digest(id))
    return table.find(hash)
  }
  return {
    add: (id: string): void => {
      if (slotOf(id) < 0) table.add(hash, 0)
    },
    /** Marks it as seen; false when it is not among them. */
    see: (id: string): boolean => {
      const slot = slotOf(id)
      if (slot >= 0) table.match(slot)
      return slot >= 0
    },
    seen: (id: string): boolean => {
      const slot = slotOf(id)
      return slot >= 0 && table.matched(slot)
    },
  }
}

/** What the ledger knows of the form's submissions, and which of them an export holds. */
const knownIds = (view: Pick<PipelineLedger, "submissionIds" | "looseIds">, digest: (id: string) => Buffer) =>
  Effect.gen(function*() {
    const known = makeIds(digest)
    const eachId = eachKnown(view)
    yield* eachId((page) => {
      for (const { id } of page) known.add(id)
    })
    // Ids that belong to no row may be those of rows in doubt: they must be there, and are not set aside.
    const loose = makeIds(digest)
    const looseIds = yield* view.looseIds
    for (const id of looseIds) loose.add(id)
    return {
      /** Notes that the export holds it; whether a row of the ledger is known to be it. */
      see: (id: string): boolean => {
        loose.see(id)
        return known.see(id)
      },
      /** Of this pipeline, what the export does not hold. */
      lacking: Effect.gen(function*() {
        let count = 0
        let example: string | undefined
        const lacks = (id: string) => {
          count++
          example ??= id
        }
        yield* eachId((page) => {
          for (const { id, own } of page) if (own && !known.seen(id)) lacks(id)
        })
        for (const id of looseIds) if (!loose.seen(id)) lacks(id)
        return { count, example }
      }),
    }
  })

const eachKnown = (view: Pick<PipelineLedger, "submissionIds">) =>
(
  use: (page: ReadonlyArray<{ readonly id: string; readonly own: boolean }>) => void,
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function*() {
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: ReadonlyArray<{ readonly at: number; readonly id: string; readonly own: boolean }> = yield* view
        .submissionIds({ after, limit: idsAtOnce })
      use(page)
      after = page.length < idsAtOnce ? undefined : page.at(-1)?.at
    }
  })
