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
import type { Alike } from "./NewRows.ts"
import { overLimit } from "./review.ts"
import { refuse, rekeyCommand, sameList } from "./rowIdentity.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
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

/**
 * Stops the run before anything is sent if new rows resemble rows that were imported, or skipped by a person, and are no longer in the source. One row is enough if only the formatting of its key differs. Rows may also resemble each
 * other because the source is read differently, or, if there are many, because their answers are equal.
 */
export const checkKeys = (survey: Pick<Survey, "alike" | "newRows" | "seen" | "shared">) =>
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
      && (survey.newRows?.neverSent ?? 0) > survey.seen.imported
    const reads = before === undefined || !isOwn || (readsAlike(before, dialect, isByContent) && !areOthers)
    const conditions = conditionsOf(run, facts, ledger.digest)
    const recordReading = Effect.suspend(() => {
      const read = isOwn ? { dialect: { ...before, ...dialect } as unknown as Json } : {}
      const next = identity && { ...identity, ...read, ...conditions }
      return next === undefined || sameList(identity, next)
        ? Effect.void
        : RunLedger.write((session) => session.recordFacts({ identity: next }))
    })
    for (const { first, keys, pipeline } of survey.shared) {
      const rows = keys.length
      const isRefused = yield* refuse(
        keys.map((key) => ({ shared: pipeline, key })),
        `${rows === 1 ? "A row has" : `${count(rows)} rows have`} the same key and cells as ${
          rows === 1 ? "a row" : "rows"
        } that ${pipeline} imported into this form, such as row ${first}.`,
        { how: ifSameRows(pipeline) },
      )
      if (isRefused) return
    }
    const { newRows } = survey
    // With an edited `where`, a row may get the key of another one, so that no row seems to be new.
    if (
      survey.alike !== undefined && newRows !== undefined && (newRows.size > 0 || survey.alike.isOneSkipped)
    ) {
      const { rows: [one, other], state } = survey.alike
      const isRefused = yield* refuse(
        [{ alike: run.shape.toSorted(), where: conditions.where, state }],
        `Rows ${one} and ${other} have the same cells in the columns that the first run read, from which \`rowKey: content\` makes keys. But the mapping reads other columns of these rows now, or \`where\` or \`empty\` was edited, so that only one of the two is skipped. So it is unknown which of such rows were imported.`,
        {
          how:
            "Undo the edit, and write a `rowKey` with the columns that identify a row. After the next run, edit the pipeline again.",
          acceptIf: "no such row is new",
        },
      )
      if (isRefused) return
    }
    if (newRows === undefined || newRows.size === 0) return yield* recordReading
    const absent = run.isPartial ? "not among the records that were pulled now" : "no longer in the source"
    const shown: Array<Alike> = []
    const states = { key: "", encoding: "", answers: "" }
    let example = 0
    const missing = yield* newRows.compare(view, survey.seen.marks, (pair) => {
      if (pair.by === "key" && shown.length < shownPairs) shown.push(pair)
      if (pair.by === "answers" && example === 0) example = pair.row
      states[pair.by] = ledger.digest.key(`${states[pair.by]} ${pair.old} ${pair.now}`).toString("hex")
    })
    const again = newRows.likeForgotten
    if (again.length > 0) {
      const shownAgain = again.slice(0, shownPairs)
      // Without the keys, because the sentence is masked (`redactReport`) only between its quotes.
      const forget = commandLine(["ledger", "forget", run.pipeline.name], {
        "--rows": "KEY",
        "--because": reasonPlaceholder,
        "--project": run.projectOption,
      })
      const isRefused = yield* refuse(
        [{ forgotten: again.map(({ key }) => ledger.digest.key(key).toString("hex")) }],
        `${
          again.length === 1 ? "A new row has" : `${count(again.length)} new rows have`
        } the same key, apart from formatting, as ${
          again.length === 1 ? "a row that was" : "rows that were"
        } forgotten: ${shownAgain.map(({ key, row }) => `${JSON.stringify(key)} (row ${row})`).join(", ")}.`,
        {
          how: `If ${again.length === 1 ? "it is" : "they are"} the same, forget this spelling, too: ${forget}.`,
        },
      )
      if (isRefused) return
    }
    const next = rekeyCommand(run)
    const rekey = `If they are the same rows, run: ${next}.`
    if (missing.key > 0) {
      const examples = shown.map(({ id, key, old, row }) =>
        `${JSON.stringify(key)}${key === old ? "" : `, rejected before as ${JSON.stringify(old)}`}${
          id === 0 ? ", skipped by a person" : ""
        } (row ${row})`
      ).join(", ")
      const isRefused = yield* refuse(
        [{ reformatted: states.key }],
        `${
          missing.key === 1 ? "A new row has" : `${count(missing.key)} new rows have`
        } the same key, apart from formatting (case, spaces, punctuation, zeros, number or Unicode form) or damaged characters, as ${
          missing.key === 1 ? "an imported or skipped row that is" : "imported or skipped rows that are"
        } ${absent}. Known as: ${examples}.`,
        { how: rekey, next },
      )
      if (isRefused) return
    }
    if (missing.encoding > 0 || (!reads && missing.all > 0)) {
      const isRefused = yield* refuse(
        [{ before: { ...before }, now: { ...dialect }, misread: states.encoding } as unknown as Json],
        `The source is not read in the same way as in earlier runs (${
          before === undefined ? "" : dialectText(before)
        }; now ${dialectText(dialect)}). ${counted(newRows.size, "row is", "rows are")} new, and ${
          counted(missing.all, "imported row is", "imported rows are")
        } ${absent}: these may be the same rows.`,
        {
          how:
            `To read it as before, set the earlier values under source (format, encoding, delimiter, quoteChar, columns). ${rekey}`,
          next,
        },
      )
      if (isRefused) return
    }
    const { sink: { stopWhen }, source: { vanished } } = run.pipeline
    // Rows that are only sent again would hide a few that are replaced.
    const of = Math.max(newRows.neverSent, missing.answers)
    const { imported } = survey.seen
    // Without the answers that a key gives, equal answers may be a coincidence if there are few rows. So they may if many rows are absent anyway.
    const appliesToFew = isByContent
      ? !run.isPartial && vanished !== "ignore"
      : imported === 0 && missing.answers > 1 && missing.answers * 2 > missing.all
    const replaced = overLimit("replaced", stopWhen.replaced, {
      rows: missing.answers,
      of,
      ...(appliesToFew && { atLeast: 1 }),
    })
    if (replaced !== undefined) {
      const what = `${replaced} Apart from formatting${
        isByContent ? "" : " and the row key"
      }, their answers equal those of imported rows that are ${absent}, such as row ${example}. ${
        isByContent
          ? "With `rowKey: content`, a row that is only written differently gets a new key."
          : "So their keys may have changed."
      }`
      if (yield* refuse([{ replaced: states.answers, of }], what, { how: rekey, limit: true })) return
    }
    const isLost = isByContent && isOwn && vanished !== "ignore" && missing.all >= fewRows && missing.all > imported
      && of >= missing.all
    if (isLost) {
      const isRefused = yield* refuse(
        [{ lost: missing.all, of }],
        `${count(of)} rows are new, and ${count(missing.all)} of ${
          count(missing.all + imported)
        } imported rows are no longer in the source. With \`rowKey: content\`, a row that is written differently gets a new key, so these may be the same rows.`,
        { how: "If they are the same rows, restore the earlier formatting.", limit: true },
      )
      if (isRefused) return
    }
    yield* recordReading
  })
