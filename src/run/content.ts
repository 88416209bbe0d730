import * as Effect from "effect/Effect"
import { type Cell, cellText, ErrorCell, markedError } from "../domain/cell.ts"
import { eachAnswered, type Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import { looseText } from "../domain/looseKey.ts"
import type { Problem, ProblemCode } from "../domain/problem.ts"
import { type Cells, type Column, nameOrPosition } from "../domain/row.ts"
import { untrimmedText } from "../kinds/cells.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { Facts } from "../ledger/facts.ts"
import type { Digester } from "../ledger/Ledger.ts"
import { isUnsent, type KnownRow, type Rejected, type Superseded } from "../ledger/rows.ts"
import { stampsOf } from "../mapping/stamps.ts"
import { emptyTexts } from "../project/sourceSection.ts"
import { columnNames } from "../source/columns.ts"
import { idPattern } from "../source/fixed.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"
import type { RunLedger, RunPlan } from "./RunContext.ts"

/** Returns the positions of columns by their names. A name under `source.columns` also stands for a column that has a title, because the title may be new. */
export const positionsByName = (columns: ReadonlyArray<Column>): ReadonlyMap<string, number> =>
  new Map([
    ...columns.flatMap(({ alias, position }) => (alias === undefined ? [] : [[alias, position] as const])),
    ...columns.map((column) => [nameOrPosition(column), column.position] as const),
  ])

/** Returns the positions of the columns with these names, in the order of the names. -1 for a column that the source lacks. */
export const positionsOf = (names: ReadonlyArray<string>, columns: ReadonlyArray<Column>): ReadonlyArray<number> => {
  const positions = positionsByName(columns)
  return [...names].sort().map((name) => positions.get(name) ?? -1)
}

/** Digests the cells of some columns, in the order of the column names. A column that the source lacks counts as empty. */
export const contentDigest = (
  names: ReadonlyArray<string>,
  columns: ReadonlyArray<Column>,
  digest: Digester,
): (cells: Cells) => Buffer => {
  const positions = positionsOf(names, columns)
  return (cells) => digest.content(positions.map((position) => cellText(cells[position])))
}

/** Returns the sorted ids of the answers that are read from columns, but not from those of the row key. They identify a row whose key changed. */
export const restAnswers = ({ keyColumns, mapping }: Pick<RunPlan, "keyColumns" | "mapping">): ReadonlyArray<string> =>
  mapping.answers.flatMap(({ columns, id }) =>
    columns.length === 0 || columnNames(columns).some((name) => keyColumns.includes(name)) ? [] : [id]
  ).toSorted()

/** Returns a function that digests these answers of a row without their formatting. It returns undefined if there are none. */
export const restDigest = (ids: ReadonlyArray<string>, digest: Digester) => {
  // The ids are part of the digest, so that equal digests always come from the same questions.
  const list = JSON.stringify(ids)
  return (item: Item): Buffer | undefined => {
    const found = new Map<string, string>()
    eachAnswered(item, (id, value) => {
      found.set(id, looseText(typeof value === "string" ? value : JSON.stringify(value)))
    })
    const texts = ids.map((id) => found.get(id) ?? "")
    return texts.every((text) => text === "") ? undefined : digest.content([list, ...texts])
  }
}

/** Returns all cells of a row as text that gives the same answers, one for each of the source's own columns, then those beyond its header. */
export const rowTexts = (
  cells: Cells,
  { columns, end }: Pick<RunPlan, "columns" | "end">,
): ReadonlyArray<string> => [
  ...columns.map(({ position }) => rowText(cells[position])),
  ...cells.slice(end).map(rowText),
]

const rowText = (cell: Cell | undefined): string => cell instanceof ErrorCell ? markedError(cell) : untrimmedText(cell)

/** Returns a row's key, or undefined if it has none. */
export type KeyOf = (cells: Cells) => string | undefined

/**
 * Returns the function that makes row keys. Each reading of the source needs a new function, which must receive all
 * rows in order. A key consists of the pipeline's key columns. For `rowKey: content`, a key consists of the cells of
 * the columns that the pipeline's first run used, and a number that distinguishes identical rows.
 */
export const rowKeys = (
  { columns, mapping, shape }: Pick<RunPlan, "mapping" | "columns" | "shape">,
  { ledger, view }: Pick<RunLedger["Type"], "ledger" | "view">,
): Effect.Effect<() => KeyOf, LedgerError> =>
  mapping.keyed === "columns"
    ? Effect.succeed(() => mapping.key)
    : Effect.map(
      view.facts,
      ({ firstColumns }) =>
        numberedKeys(contentDigest(firstColumns ?? shape, columns, ledger.digest), mapping.filtered),
    )

/** Returns the key of a faulty row if it is certain: records that contradict each other were combined because they have the same key. */
export const certainKey = (
  { mapping }: Pick<RunPlan, "mapping">,
  { code }: Problem,
  cells: Cells,
): string | undefined => code === "conflict" && mapping.keyed === "columns" ? mapping.key(cells) : undefined

/**
 * Returns a function that makes keys from a row's content and a number that distinguishes identical rows. Each reading
 * of the source needs a new function, which must receive all rows in order. Rows that `where` skips are numbered
 * separately, so that they never change the keys of rows that are sent.
 */
export const numberedKeys = <A>(digest: (one: A) => Buffer, isSkipped: (one: A) => boolean) => () => {
  const sent = new KeyTable()
  const skipped = new KeyTable()
  const hash = new RowHash()
  return (one: A): string => {
    const seen = isSkipped(one) ? skipped : sent
    const content = digest(one)
    hash.digest(content)
    const slot = seen.find(hash)
    const nth = slot < 0 ? 1 : seen.number(slot) + 1
    if (slot < 0) seen.add(hash, 1)
    else seen.set(slot, hash, nth)
    return `${content.toString("hex")}-${nth}`
  }
}

/**
 * Returns a digest of everything that decides which rows are skipped (`where`, always the same without conditions), and the number of the last row of the
 * ledger that may have been sent with different conditions (`sentBefore`, 0 if there is none).
 */
export const conditionsOf = (
  { pipeline: { source: { columns, empty, format, where: conditions } } }: Pick<RunPlan, "pipeline">,
  { identity, lastRow }: Pick<Facts, "identity" | "lastRow">,
  digest: Digester,
) => {
  const named = columns.filter(({ name }) => conditions.some(({ column }) => column.name === name))
  const all = conditions.length === 0 ? [] : [conditions, emptyTexts({ empty }).toSorted(), named, format]
  const where = digest.content([JSON.stringify(all)]).toString("hex")
  const { sentBefore = 0, where: before = where } = identity ?? {}
  return { where, sentBefore: before === where ? sentBefore : lastRow }
}

/** Rows that keys from content can't distinguish. */
export interface SameKeyRows {
  /** The numbers of the first two. */
  readonly rows: readonly [one: number, other: number]
  /** Digest of their keys and contents, each with the digest of those before it. */
  readonly state: string
  /** Whether `where` skips only one of some of them. */
  readonly isOneSkipped: boolean
}

/**
 * Returns what finds rows with the same key from content, apart from the number, although the mapping reads different cells of them. A key covers only the columns that the first run read.
 * Also finds them if `where` skips only one of them and was different when the other was sent. A key numbers skipped rows separately.
 *
 * @param names the columns that the mapping reads
 * @param sentBefore the last row of the ledger that may have been sent with a different `where`
 */
export const findSameKeyRows = (
  { columns, mapping }: Pick<RunPlan, "columns" | "mapping">,
  names: ReadonlyArray<string>,
  digest: Digester,
  sentBefore: number,
) => {
  const positions = positionsOf(names, columns)
  const keys = new KeyTable()
  const hash = new RowHash()
  let found: SameKeyRows | undefined
  return {
    /** @param id the number of the ledger's row with this key, or 0 */
    add: (row: number, key: string, cells: Cells, id: number): void => {
      const isSkipped = mapping.filtered(cells)
      if (isSkipped && (id === 0 || id > sentBefore)) return
      hash.key(key.slice(0, key.lastIndexOf("-")))
      hash.content(cells, positions)
      const slot = keys.find(hash)
      if (slot < 0) {
        const added = keys.add(hash, row)
        if (isSkipped) keys.mark(added)
        return
      }
      const isOneSkipped = keys.isMarked(slot) !== isSkipped
      if (!isOneSkipped && (isSkipped || keys.hasContent(slot, hash))) return
      found = {
        rows: found?.rows ?? [keys.number(slot), row],
        state: digest.key(`${found?.state ?? ""} ${key} ${keys.content(slot)} ${hash.d} ${hash.e}`).toString("hex"),
        isOneSkipped: isOneSkipped || found?.isOneSkipped === true,
      }
    },
    found: () => found,
  }
}

/** Returns a function that returns the sorted names of the columns that the content of a rejected row covers: the mapped ones, or all columns if it has no key. */
export const coveredColumns = (
  { columns, shape }: Pick<RunPlan, "columns" | "shape">,
): (key: string | undefined) => ReadonlyArray<string> => {
  const [mapped, all] = [shape.toSorted(), columnNames(columns).toSorted()]
  return (key) => key === undefined ? all : mapped
}

/** The rejected row of an earlier run that a row of a fixed rejected.csv replaces. A row that is rejected again keeps its origin. */
export interface Origin extends Rejected {
  /** Identifies the origin within the file. Rows without a key may have identical cells, but not the same number. */
  readonly name: string
  /** Whether the row was rejected because its content differs from what was imported, and nobody has deleted its `_code`. */
  readonly isChanged: boolean
}

/** Returns a function that finds the rejected row of an earlier run that a row of a fixed rejected.csv replaces. It returns undefined if the source is not such a file, or if the row's `_id` is missing. */
export const rejectionOf = (
  plan: Pick<RunPlan, "isFixed" | "source" | "columns" | "shape">,
): (cells: Cells) => Origin | undefined => {
  const position = (name: string) => plan.source.columns.find((column) => column.title === name)?.position ?? -1
  const at = { id: position("_id"), row: position("_row"), key: position("_key"), code: position("_code") }
  const columnsOf = coveredColumns(plan)
  return (cells) => {
    const content = plan.isFixed ? contentOfId(cellText(cells[at.id])) : undefined
    const key = cellText(cells[at.key]) || undefined
    const isCode = (code: ProblemCode) => cellText(cells[at.code]).startsWith(code)
    return content && {
      name: JSON.stringify([cellText(cells[at.id]), key ?? Number(cellText(cells[at.row]))]),
      key,
      columns: columnsOf(key),
      content,
      isDuplicate: isCode("duplicate-key"),
      isChanged: isCode("changed"),
    }
  }
}

/** Returns the `_id` of a rejected row with this content. */
export const idOf = (content: Buffer): string => `r${content.toString("hex")}`

/** Returns the content that an `_id` names. Undefined if it is not such an id. */
export const contentOfId = (id: string): Buffer | undefined => {
  const [, digits] = idPattern.exec(id) ?? []
  return digits === undefined ? undefined : Buffer.from(digits, "hex")
}

/** Compares a row's content with the ledger's, in the columns that were mapped when the row was sent. */
export const makeContents = (
  { columns, end, shape }: Pick<RunPlan, "columns" | "end" | "shape">,
  digest: Digester,
) => {
  const now = contentDigest(shape, columns, digest)
  const current = shape.toSorted().join("\n")
  // Compares arrays by identity: the ledger has one array for each list of columns.
  const digests = new Map<ReadonlyArray<string>, (cells: Cells) => Buffer>()
  /** Digests the cells of these columns. */
  const over = (names: ReadonlyArray<string>, cells: Cells): Buffer => {
    let digestOf = digests.get(names)
    if (digestOf === undefined) {
      digestOf = names.join("\n") === current ? now : contentDigest(names, columns, digest)
      digests.set(names, digestOf)
    }
    return digestOf(cells)
  }
  const isOver = (cells: Cells) => ({ columns, content }: Pick<Superseded, "columns" | "content">): boolean =>
    content.equals(over(columns, cells))
  const allSorted = columnNames(columns).toSorted()
  const positions = positionsByName(columns)
  return {
    now,
    over,
    /** Digests the filled cells in these columns (default: all), and those beyond the header, of a row that has no known key. */
    filled: (names: ReadonlyArray<string> | undefined, cells: Cells): Buffer => {
      const listed = (names ?? allSorted).flatMap((name) => {
        const text = cellText(cells[positions.get(name) ?? -1])
        return text === "" ? [] : [name, text]
      })
      const beyond = cells.slice(end).flatMap((cell, at) =>
        cellText(cell) === "" ? [] : [`beyond ${at}`, cellText(cell)]
      )
      return digest.content([...listed, ...beyond])
    },
    same: (known: KnownRow, cells: Cells): boolean => isOver(cells)(known),
    /** Whether a fixed row has replaced a row with this key and these cells. */
    isReplaced: ({ superseded }: KnownRow, cells: Cells): boolean => superseded.some(isOver(cells)),
    /** Returns the fixed rows that have replaced rows with this key and these cells. None if the ledger's row was created with these cells, or was undone, because it may be resent. */
    replacedBy: (known: KnownRow, cells: Cells): ReadonlyArray<Superseded> =>
      known.superseded.length === 0 || (!isUnsent(known) && isOver(cells)(known))
        ? []
        : known.superseded.filter((one) => !(one.isUndone && one.fixed === known.id) && isOver(cells)(one)),
    /** Whether an earlier submission of a row that was undone, which is still in the form, has this content. */
    isStillInForm: ({ earlier }: KnownRow, cells: Cells): boolean => earlier.some(isOver(cells)),
    /** Returns the columns in these lists that the source lacks. */
    lost: (lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
      [...new Set(lists.flat())].filter((name) => !positions.has(name)),
  }
}

/**
 * Returns a function that returns whether a row with different content would be sent with the answers that were sent for it. Ignores answers that were
 * mapped only before or only after that, because an edited mapping changes no row. Ignores stamps: the row may have got another key since.
 */
export const sentAnswers = (
  { form, mapping, pipeline }: Pick<RunPlan, "form" | "mapping" | "pipeline">,
  digest: Digester,
) => {
  const stamps = new Set(stampsOf(pipeline, form).map(({ id }) => id))
  const answers = mapping.answers.flatMap(({ columns, id }) =>
    stamps.has(id) ? [] : [{ id, columns: columnNames(columns) }]
  )
  return ({ columns: before, sent }: Pick<KnownRow, "columns" | "sent">, cells: Cells): boolean => {
    const mapped = sent === undefined ? undefined : mapping.map(cells)
    if (sent === undefined || mapped === undefined || "problems" in mapped) return false
    const now = new Map<string, Json | object>()
    eachAnswered(mapped.item, (id, value) => void now.set(id, value))
    return answers.every(({ columns, id }) => {
      const value = now.get(id)
      if (!sent.has(id)) {
        return value === undefined || !columns.some((name) => before.includes(name))
      }
      return value !== undefined && sent.get(id)?.equals(digest.value(value as Json)) === true
    })
  }
}
