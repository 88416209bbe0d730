import * as Effect from "effect/Effect"
import type { Json } from "../domain/json.ts"
import { reasonPlaceholder } from "../domain/reason.ts"
import { commandLine } from "../domain/shell.ts"
import { count, counted } from "../domain/words.ts"
import { ifSameRows } from "../ledger/errors.ts"
import { fewRows } from "../project/sinkSection.ts"
import type { ColumnAlias } from "../project/sourceSection.ts"
import type { SourceDialect } from "../source/Source.ts"
import { conditionsOf } from "./content.ts"
import type { NewRows, Resemblance } from "./NewRows.ts"
import { overLimit } from "./review.ts"
import { refuse, rekeyCommand, sameList } from "./rowIdentity.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

/**
 * Whether rows get the same keys in both dialects. Cells of key columns depend on the format and the reader's version.
 * Keys made from content also depend on quotes and encoding. For other keys, the encoding is ignored here, because each
 * key is compared later.
 */
const readsAlike = (before: SourceDialect, now: SourceDialect, content: boolean): boolean =>
  before.format === now.format && before.reader === now.reader
  && (!content || (before.quotes === now.quotes
    && (before.encoding === undefined || now.encoding === undefined || before.encoding === now.encoding)))

/** How a source is read, and which of its columns the names of key columns stand for. `columns` is undefined if an earlier version recorded it. */
interface Reading extends SourceDialect {
  readonly columns?: string
}

const aliasText = ({ column, name }: ColumnAlias): string =>
  `${name}: ${
    column._tag === "Position"
      ? `column ${column.position}`
      : `${JSON.stringify(column.header)} (${column.nth} of ${column.of})`
  }`

const dialectText = ({ columns = "", delimiter, encoding, format, quotes }: Reading): string =>
  [
    format,
    encoding,
    delimiter === undefined ? undefined : `delimiter ${JSON.stringify(delimiter)}`,
    quotes === "none" ? "without quotes" : undefined,
    columns === "" ? undefined : columns,
  ]
    .filter((part) => part !== undefined).join(", ")

/** The maximum number of pairs or keys that a refusal shows. */
const shownPairs = 5

/** The parts of a survey that show whether known rows seem to be new. */
type SurveyedKeys = Pick<Survey, "newRows" | "sameKey" | "seen" | "shared">

/**
 * Stops the run before anything is sent if new rows resemble rows that were imported, or skipped by a person, and are no longer in the source. One row is enough if only the formatting of its key differs. Rows may also resemble each
 * other because the source is read differently, or, if there are many, because their answers are equal.
 */
export const checkKeys = (survey: SurveyedKeys) =>
  Effect.gen(function*() {
    const { newRows } = survey
    const reading = yield* readingOf(survey)
    if (yield* refuseShared(survey)) return
    if (yield* refuseSameKeys(survey, reading)) return
    if (newRows !== undefined && newRows.size > 0) {
      const found = yield* resemblancesOf(newRows, survey)
      if (yield* refuseForgotten(newRows)) return
      if (yield* refuseReformatted(found)) return
      if (yield* refuseMisread(found, newRows, reading)) return
      if (yield* refuseReplaced(found, survey)) return
      if (yield* refuseLost(found, survey)) return
    }
    yield* reading.record
  })

/** Returns how the source was and is read, and an effect that records it. */
const readingOf = ({ newRows, seen }: SurveyedKeys) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { ledger, view } = yield* RunLedger
    const facts = yield* view.facts
    const { firstColumns = run.shape, identity } = facts
    const isByContent = run.mapping.keyed === "content"
    const keyColumns = isByContent ? firstColumns : run.keyColumns
    const aliases = run.pipeline.source.columns.filter(({ name }) => keyColumns.includes(name))
    const dialect: Reading = { ...run.source.dialect, columns: aliases.map(aliasText).toSorted().join(", ") }
    const before = (identity?.dialect ?? undefined) as Reading | undefined
    const isOwn = run.ownSource
    // A name may stand for another position because a column was inserted. But then most rows are known.
    const areOthers = before?.columns !== undefined && before.columns !== dialect.columns
      && (newRows?.neverSent ?? 0) > seen.imported
    const isReadAlike = before === undefined || !isOwn || (readsAlike(before, dialect, isByContent) && !areOthers)
    const conditions = conditionsOf(run, facts, ledger.digest)
    const record = Effect.suspend(() => {
      const read = isOwn ? { dialect: { ...before, ...dialect } as unknown as Json } : {}
      const next = identity && { ...identity, ...read, ...conditions }
      return next === undefined || sameList(identity, next)
        ? Effect.void
        : RunLedger.write((session) => session.recordFacts({ identity: next }))
    })
    return { before, dialect, isReadAlike, where: conditions.where, record }
  })

type SourceReading = Effect.Effect.Success<ReturnType<typeof readingOf>>

/** Compares the new rows with the rows of the ledger that the source lacks. */
const resemblancesOf = (newRows: NewRows, { seen }: SurveyedKeys) =>
  Effect.gen(function*() {
    const { ledger, view } = yield* RunLedger
    /** The first new rows whose key resembles an earlier one. */
    const shown: Array<Resemblance> = []
    /** A digest of all pairs of each kind. */
    const states = { key: "", encoding: "", answers: "" }
    /** The number of the first new row whose answers equal earlier ones. */
    let example = 0
    const missing = yield* newRows.compare(view, seen.marks, (pair) => {
      if (pair.by === "key" && shown.length < shownPairs) shown.push(pair)
      if (pair.by === "answers" && example === 0) example = pair.row
      states[pair.by] = ledger.digest.key(`${states[pair.by]} ${pair.old} ${pair.newKeys}`).toString("hex")
    })
    // Rows that are only sent again would hide a few that are replaced.
    const of = Math.max(newRows.neverSent, missing.answers)
    return { missing, of, shown, states, example }
  })

type Resemblances = Effect.Effect.Success<ReturnType<typeof resemblancesOf>>

/** Refuses rows that another pipeline may have imported into the form. */
const refuseShared = ({ shared }: SurveyedKeys) =>
  Effect.gen(function*() {
    for (const { first, keys, pipeline } of shared) {
      const rows = keys.length
      const isRefused = yield* refuse(
        keys.map((key) => ({ shared: pipeline, key })),
        `${rows === 1 ? "A row has" : `${count(rows)} rows have`} the same key and cells as ${
          rows === 1 ? "a row" : "rows"
        } that ${pipeline} imported into this form, such as row ${first}.`,
        { how: ifSameRows(pipeline) },
      )
      if (isRefused) return true
    }
    return false
  })

/** Refuses rows with the same key from content if one of them may be new. With an edited `where`, a row may get the key of another one, so that no row seems to be new. */
const refuseSameKeys = ({ newRows, sameKey }: SurveyedKeys, { where }: SourceReading) =>
  Effect.gen(function*() {
    if (sameKey === undefined || newRows === undefined || (newRows.size === 0 && !sameKey.isOneSkipped)) return false
    const { shape } = yield* CurrentRun
    const { rows: [one, other], state } = sameKey
    return yield* refuse(
      [{ alike: shape.toSorted(), where, state }],
      `Rows ${one} and ${other} have the same cells in the columns that the first run read, from which \`rowKey: content\` makes keys. But the mapping reads other columns of these rows now, or \`where\` or \`empty\` was edited, so that only one of the two is skipped. So it is unknown which of such rows were imported.`,
      {
        how:
          "Undo the edit, and write a `rowKey` with the columns that identify a row. After the next run, edit the pipeline again.",
        acceptIf: "no such row is new",
      },
    )
  })

const newRowsHave = (rows: number): string => rows === 1 ? "A new row has" : `${count(rows)} new rows have`

/** Refuses new rows whose key is that of a forgotten row, apart from formatting. */
const refuseForgotten = ({ likeForgotten }: NewRows) =>
  Effect.gen(function*() {
    const rows = likeForgotten.length
    if (rows === 0) return false
    const { pipeline, projectOption } = yield* CurrentRun
    const { ledger } = yield* RunLedger
    const shown = likeForgotten.slice(0, shownPairs).map(({ key, row }) => `${JSON.stringify(key)} (row ${row})`)
    // Without the keys, because the sentence is masked (`redactReport`) only between its quotes.
    const forget = commandLine(["ledger", "forget", pipeline.name], {
      "--rows": "KEY",
      "--because": reasonPlaceholder,
      "--project": projectOption,
    })
    return yield* refuse(
      [{ forgotten: likeForgotten.map(({ key }) => ledger.digest.key(key).toString("hex")) }],
      `${newRowsHave(rows)} the same key, apart from formatting, as ${
        rows === 1 ? "a row that was" : "rows that were"
      } forgotten: ${shown.join(", ")}.`,
      { how: `If ${rows === 1 ? "it is" : "they are"} the same, forget this spelling, too: ${forget}.` },
    )
  })

const absentWords = ({ isPartial }: RunPlan): string =>
  isPartial ? "not among the records that were pulled now" : "no longer in the source"

const ifSame = (rekey: string): string => `If they are the same rows, run: ${rekey}.`

/** Refuses new rows whose key is that of a missing row, apart from formatting or damaged characters. */
const refuseReformatted = ({ missing: { key: rows }, shown, states }: Resemblances) =>
  Effect.gen(function*() {
    if (rows === 0) return false
    const run = yield* CurrentRun
    const examples = shown.map(({ id, key, old, row }) =>
      `${JSON.stringify(key)}${key === old ? "" : `, rejected before as ${JSON.stringify(old)}`}${
        id === 0 ? ", skipped by a person" : ""
      } (row ${row})`
    ).join(", ")
    const next = rekeyCommand(run)
    return yield* refuse(
      [{ reformatted: states.key }],
      `${
        newRowsHave(rows)
      } the same key, apart from formatting (case, spaces, punctuation, zeros, number or Unicode form) or damaged characters, as ${
        rows === 1 ? "an imported or skipped row that is" : "imported or skipped rows that are"
      } ${absentWords(run)}. Known as: ${examples}.`,
      { how: ifSame(next), next },
    )
  })

/** Refuses new rows if the source is read differently than before, so that keys of missing rows may have changed. */
const refuseMisread = (
  { missing, states }: Resemblances,
  newRows: NewRows,
  { before, dialect, isReadAlike }: SourceReading,
) =>
  Effect.gen(function*() {
    if (missing.encoding === 0 && (isReadAlike || missing.all === 0)) return false
    const run = yield* CurrentRun
    const next = rekeyCommand(run)
    return yield* refuse(
      [{ before: { ...before }, now: { ...dialect }, misread: states.encoding } as unknown as Json],
      `The source is not read in the same way as in earlier runs (${
        before === undefined ? "" : dialectText(before)
      }; now ${dialectText(dialect)}). ${counted(newRows.size, "row is", "rows are")} new, and ${
        counted(missing.all, "imported row is", "imported rows are")
      } ${absentWords(run)}: these may be the same rows.`,
      {
        how:
          `To read it as before, set the earlier values under source (format, encoding, delimiter, quoteChar, columns). ${
            ifSame(next)
          }`,
        next,
      },
    )
  })

/** Refuses new rows whose answers are those of missing rows if there are more than `stopWhen.replaced` allows. */
const refuseReplaced = (
  { example, missing: { all, answers }, of, states }: Resemblances,
  { seen: { imported } }: SurveyedKeys,
) =>
  Effect.gen(function*() {
    const run = yield* CurrentRun
    const { stopWhen } = run.pipeline.sink
    const isByContent = run.mapping.keyed === "content"
    // Without the answers that a key gives, equal answers may be a coincidence if there are few rows.
    const appliesToFew = isByContent || (imported === 0 && answers > 1 && answers * 2 > all)
    const replaced = overLimit("replaced", stopWhen.replaced, {
      rows: answers,
      of,
      ...(appliesToFew && { atLeast: 1 }),
    })
    if (replaced === undefined) return false
    const what = `${replaced} Apart from formatting${
      isByContent ? "" : " and the row key"
    }, their answers equal those of imported rows that are ${absentWords(run)}, such as row ${example}. ${
      isByContent
        ? "With `rowKey: content`, a row that is only written differently gets a new key."
        : "So their keys may have changed."
    }`
    return yield* refuse([{ replaced: states.answers, of }], what, { how: ifSame(rekeyCommand(run)), limit: true })
  })

/** Refuses new rows with keys from content if most of the imported rows are missing, and at least as many rows are new. */
const refuseLost = ({ missing: { all }, of }: Resemblances, { seen: { imported } }: SurveyedKeys) =>
  Effect.gen(function*() {
    const { mapping, ownSource } = yield* CurrentRun
    const isLost = mapping.keyed === "content" && ownSource && all >= fewRows && all > imported && of >= all
    return isLost && (yield* refuse(
      [{ lost: all, of }],
      `${count(of)} rows are new, and ${count(all)} of ${
        count(all + imported)
      } imported rows are no longer in the source. With \`rowKey: content\`, a row that is written differently gets a new key, so these may be the same rows.`,
      { how: "If they are the same rows, restore the earlier formatting.", limit: true },
    ))
  })
