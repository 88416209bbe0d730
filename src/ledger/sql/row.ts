// The table of rows. Lists each column once, with its type, its value when a row is about to be sent, and how it is read.
import { stateCode, stateOf, verdictOf } from "../codes.ts"
import type { IntendedRow, KnownRow } from "../rows.ts"
import { type Selected, selected, selection } from "./selection.ts"
import type { Param } from "./statement.ts"
import type { Texts } from "./texts.ts"

/** What is recorded about a row that is about to be sent, in addition to the row itself. */
export interface Intended {
  readonly place: number
  /** Undefined: the newest batch (`newestMarks`). */
  readonly batch: number | undefined
  /** Number of the list of columns that the row's content covers. */
  readonly shape: number
  readonly resent: boolean
}

interface Column<A> extends Selected<A> {
  readonly name: string
  /** Name, type and constraints. */
  readonly declared: string
  /** Returns the column's value when a row is about to be sent. Undefined for NULL. */
  readonly intended: ((row: IntendedRow, at: Intended) => Param) | undefined
  /** The column's declaration in `replaced`, which keeps the value of a replaced submission. False: the value is not kept. */
  readonly kept: string | false
  /** Whether values are cells, or digests of cells. A database must not store them in a place where they remain after a row is forgotten. */
  readonly isPersonal: boolean
}

/** The defaults are safe: a resend that fails restores the value, and a text or a digest is personal. */
const column = <V, A = V>(
  declared: string,
  { intended, isPersonal = / (TEXT|BLOB)\b/.test(declared), kept = declared, read }: {
    readonly intended?: (row: IntendedRow, at: Intended) => Param
    readonly isPersonal?: boolean
    readonly kept?: string | false
    readonly read?: (value: V, texts: Texts) => A
  } = {},
): Column<A> => {
  const name = declared.slice(0, declared.indexOf(" "))
  return { ...selected<V, A>(`r.${name}`, read), name, declared, intended, kept, isPersonal }
}

const orUndefined = <V>(value: V | null): V | undefined => value ?? undefined

/** The columns. To add a column, add a line here. To read it, select it as `row.NAME` from `row r`. */
export const row = {
  id: column<number>("id INTEGER PRIMARY KEY", { kept: false }),
  place: column<number>("place INTEGER NOT NULL REFERENCES place", { intended: (_, { place }) => place, kept: false }),
  /** Remains when the row is forgotten. */
  digest: column<Buffer>("digest BLOB NOT NULL", {
    intended: ({ keyDigest }) => keyDigest,
    isPersonal: false,
    kept: false,
  }),
  key: column<string>("key TEXT NOT NULL", { intended: ({ key }) => key, kept: false }),
  state: column("state INTEGER NOT NULL", { intended: () => stateCode.intended, kept: false, read: stateOf }),
  /** The row's number in the source of the run that sent it. */
  row: column<number>("row INTEGER NOT NULL", { intended: ({ row }) => row, kept: "number INTEGER NOT NULL" }),
  content: column<Buffer>("content BLOB NOT NULL", { intended: ({ content }) => content }),
  /** The columns that `content` covers. */
  shape: column("shape INTEGER NOT NULL", {
    intended: (_, { shape }) => shape,
    read: (id: number, texts) => texts.listOf(id),
  }),
  batch: column<number>("batch INTEGER NOT NULL", { intended: (_, { batch }) => batch ?? null }),
  resent: column("resent INTEGER NOT NULL", {
    intended: (_, { resent }) => (resent ? 1 : 0),
    kept: false,
    read: (value: number) => value === 1,
  }),
  verdict: column("verdict INTEGER", {
    kept: "verdict INTEGER NOT NULL",
    read: (code: number | null) => (code === null ? undefined : verdictOf(code)),
  }),
  /** The submission's id. It remains when the row is forgotten. */
  submission: column("submission TEXT", {
    isPersonal: false,
    kept: "submission TEXT NOT NULL",
    read: orUndefined<string>,
  }),
  /** The submission time, as the service reports it. */
  time: column("time TEXT", { isPersonal: false, read: orUndefined<string> }),
  /** `IntendedRow.rest`. It is used to find a row whose key changed. */
  rest: column("rest BLOB", { intended: ({ rest }) => rest ?? null, read: orUndefined<Buffer> }),
} as const

const columns: ReadonlyArray<Column<unknown>> = Object.values(row)
const written = columns.filter(({ intended }) => intended !== undefined)
const renewed = columns.filter(({ name }) => !["id", "place", "digest"].includes(name))
const kept = columns.flatMap(({ isPersonal, kept, name }) =>
  kept === false ? [] : [{ name, declared: kept, as: kept.slice(0, kept.indexOf(" ")), isPersonal }]
)

/** The column declarations for `CREATE TABLE row`. */
export const declaredRow = columns.map(({ declared }) => declared).join(", ")

/** The declarations of the columns that the table `replaced` shares with `row`, for `CREATE TABLE replaced`. */
export const declaredKept = kept.map(({ declared }) => declared).join(", ")

/** The names of the personal columns of `row`, and of those that `replaced` shares with it. */
export const personalRow = columns.flatMap(({ isPersonal, name }) => (isPersonal ? [name] : []))
export const personalKept = kept.flatMap(({ as, isPersonal }) => (isPersonal ? [as] : []))

/** The columns that an intent writes, and their values. With `newestMarks`, the row belongs to the batch that was added just before. */
export const intendedColumns = written.map(({ name }) => name).join(", ")
export const intendedMarks = `(${written.map(() => "?").join(", ")})`
export const newestMarks = `(${
  written.map((one) => one === row.batch ? "coalesce(CAST(? AS INTEGER), (SELECT max(id) FROM batch))" : "?").join(", ")
})`
export const intendedValues = (one: IntendedRow, at: Intended): ReadonlyArray<Param> =>
  written.map(({ intended }) => intended?.(one, at) ?? null)

/** The columns and values of `UPDATE row SET ...` that prepare a known row to be sent again under the same key. */
export const renewedColumns = renewed.map(({ name }) => `${name} = ?`).join(", ")
export const renewedValues = (one: IntendedRow, at: Intended): ReadonlyArray<Param> =>
  renewed.map(({ intended }) => intended?.(one, at) ?? null)

/** The columns that `replaced` keeps, and the columns of `row` in the same order. */
export const keptAs = kept.map(({ as }) => as).join(", ")
export const keptOf = (alias: string): string => kept.map(({ name }) => `${alias}${name}`).join(", ")

/** Bytes that are selected as hexadecimal digits, because JSON can't contain bytes. */
interface Hex extends Selected<Buffer> {
  readonly isHex: true
}

const hexOf = (one: Selected<Buffer>): Hex => ({
  ...selected(`hex(${one.sql})`, (digits: string) => Buffer.from(digits, "hex")),
  isHex: true,
})

/** The columns of a row that a look-up reads, as JSON. */
export type Stored = Omit<KnownRow, "superseded" | "earlier" | "sent" | "refusal" | "doubt" | "leftOut">

export const stored = selection<Stored>(
  {
    id: row.id,
    state: row.state,
    content: hexOf(row.content),
    columns: row.shape,
    batch: row.batch,
    submissionId: row.submission,
    verdict: row.verdict,
    resent: row.resent,
  } satisfies { readonly [K in keyof Stored]: Extract<Stored[K], Buffer> extends never ? unknown : Hex },
)

/** A row that was never sent. */
export const neverStored: Stored = {
  id: 0,
  state: "notCreated",
  content: Buffer.alloc(0),
  columns: [],
  batch: undefined,
  submissionId: undefined,
  verdict: undefined,
  resent: false,
}
