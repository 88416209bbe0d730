import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Json } from "../../domain/json.ts"
import { brief, cut, type Problem } from "../../domain/problem.ts"
import type { Cells, RowChunk } from "../../domain/row.ts"
import { count } from "../../domain/words.ts"
import type { SourceConfig } from "../../project/Pipeline.ts"
import type { Blocks, Bytes } from "../bytes.ts"
import { ChunkBuilder } from "../chunks.ts"
import { toColumns, unpairedInJson } from "../columns.ts"
import { emptyTaken } from "../headerRow.ts"
import { limits } from "../limits.ts"
import { fileRead, type Fingerprint, readerVersion, refusing, type Source, type SourceError } from "../Source.ts"
import { dialectEncoding, type Encoding } from "../text/encoding.ts"
import { findEncoding } from "../text/findEncoding.ts"
import { readable, readText } from "../text/readText.ts"
import { type JsonColumns, makeJsonColumns } from "./columns.ts"
import { placeOf, pointerOf } from "./pointer.ts"
import { countedAs, type JsonReader, type JsonRecord, readElements, readLines } from "./records.ts"
import { deepest, twoLists, walkJson } from "./walk.ts"

/** The pipeline's settings for reading JSON. */
export interface JsonSettings extends Partial<Pick<SourceConfig, "encoding" | "records">> {
  /** Members that get columns even if no record has them. */
  readonly members?: ReadonlyArray<string> | undefined
  /** Whether all records are searched for members. Default: only the first ones. */
  readonly searchesAll?: boolean | undefined
}

/** Reads the file's beginning as text, piece by piece, until `see` returns true. */
const lookAtText = (
  bytes: Bytes,
  encoding: Encoding,
  see: (text: string, last: boolean) => boolean,
): Effect.Effect<void, SourceError> =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    const decoder = encoding.decoder()
    for (;;) {
      const block = yield* next
      const enough = yield* readable(
        bytes.file,
        encoding,
        () => 1,
        () => block === undefined ? see(decoder.end(), true) : see(decoder.write(block), false),
      )
      if (enough || block === undefined) return
    }
  }))

/** Finds the list of records: at the top, or as the only array of objects in the part that is searched. */
const findPlace = (bytes: Bytes, encoding: Encoding) =>
  Effect.gen(function*() {
    const places: Array<ReadonlyArray<string>> = []
    /** The members of the first object whose values are objects. Undefined once one has another value. */
    let objects: Set<string> | undefined = new Set()
    const walk = walkJson({
      target: undefined,
      record: () => undefined,
      found: (place) => void places.push(place),
      outside: ([first = "", ...rest]) => {
        objects = rest.length === 0 ? undefined : objects?.add(first)
      },
    })
    let looked = 0
    let start = ""
    yield* lookAtText(bytes, encoding, (text, last) => {
      if (start === "") start = text.trimStart().slice(0, 1)
      if (start === "[") return true
      walk.push(text)
      looked += text.length
      if (last) walk.end()
      return looked >= limits.lookedJson
    })
    if (start === "[") return []
    const [only, ...others] = places
    const { file } = bytes
    if (only === undefined) {
      return yield* refusing(file)(
        (objects?.size ?? 0) > 1
          ? 'is an object of objects, not a list of records. If each of them is a record, convert the file to a list, for example with jq: `to_entries | map({key} + .value)`. In pandas, write it with `orient="records"`.'
          : "contains no list of records in the part that was searched. If there is one further down, name its place: `records: /items` under `source`.",
      )
    }
    const again = places.find((place, at) => places.findIndex((other) => pointerOf(other) === pointerOf(place)) < at)
    if (again !== undefined) return yield* refusing(file)(`can't be read. ${twoLists(again)}`)
    if (others.length > 0) {
      const all = places.slice(0, 8).map((place) => pointerOf(place)).join(", ")
      return yield* refusing(file)(
        `contains several lists of records: ${all}. Name the one to read: \`records: ${
          pointerOf(only)
        }\` under \`source\`.`,
      )
    }
    return only
  })

/** Makes columns from the members of the first records, or of all. */
const learnColumns = (
  bytes: Bytes,
  encoding: Encoding,
  makeReader: () => JsonReader,
  { members = [], searchesAll = false }: JsonSettings,
) =>
  Effect.gen(function*() {
    const columns = makeJsonColumns(members)
    const reader = makeReader()
    let looked = 0
    let records = 0
    let firstFault: Problem | undefined
    yield* lookAtText(bytes, encoding, (text, last) => {
      for (const record of reader.push(text, last)) {
        records++
        if ("value" in record) columns.learn(record.value)
        else firstFault ??= unreadable(records, record)
      }
      looked += text.length
      return !searchesAll && records > 0 && looked >= limits.lookedJson
    })
    columns.close()
    return { columns, records, firstFault }
  })

interface Rows {
  readonly rows: number
  readonly empty: number
  /** Members without a column, each with the row in which it was first seen, and the number of records that have a value for it. */
  readonly unseen: ReadonlyMap<string, { readonly row: number; readonly cells: number }>
  readonly outside: JsonReader["outside"]
}

const noRecord = (row: number, { line, value }: Extract<JsonRecord, { readonly value: Json }>): Problem => ({
  code: "ragged-row",
  value: cut(JSON.stringify(value)),
  message: `Row ${row}${
    line === undefined ? "" : ` (line ${line})`
  } is not an object with members, unlike the others. Correct it in the system that writes the file.`,
})

/** What is wrong with a line that can't be read, and what to do. */
const faults = {
  malformed: "is not JSON, or has several records. Correct it, or export the file again with one record per line.",
  deep: `has values nested more than ${deepest} deep. Export it in a flatter shape.`,
  repeated:
    "has an object with two members of the same name, so one of them would be lost. Correct it in the system that writes the file.",
}

const unreadable = (row: number, { fault, line, text }: Extract<JsonRecord, { readonly text: string }>): Problem => ({
  code: "not-json",
  value: cut(text),
  message: `Row ${row} (line ${line}) ${faults[fault]}`,
})

/** Turns a reading's blocks into chunks of rows. */
const rowsOf = (
  { blocks, columns, encoding, file, finished, reader }: {
    readonly file: string
    readonly blocks: Blocks
    readonly encoding: Encoding
    readonly columns: JsonColumns
    readonly reader: JsonReader
    readonly finished: (rows: Rows) => void
  },
) => {
  const unseen = new Map<string, { readonly row: number; cells: number }>()
  const made = new ChunkBuilder()
  let empty = 0

  /** The text of a record that has no cells follows the columns, so that it stays with the row. */
  const unreadCells = (text: string): Cells => [...columns.titles.map(() => null), text]

  const toChunks = (records: ReadonlyArray<JsonRecord>): ReadonlyArray<RowChunk> => {
    for (const record of records) {
      const row = made.count + 1
      let more = false
      const note = (title: string) => {
        more = true
        const name = countedAs(unseen, title)
        const known = unseen.get(name)
        if (known === undefined) unseen.set(name, { row, cells: 1 })
        else known.cells++
      }
      if ("text" in record) {
        made.add(unreadCells(record.text), unreadable(row, record))
        continue
      }
      const cells = columns.cells(record.value, note)
      const fault = unpairedInJson(row, record.value) ?? (cells === undefined ? noRecord(row, record) : undefined)
      if (fault === undefined && !more && cells?.every((cell) => cell === null) === true) empty++
      else made.add(cells ?? unreadCells(JSON.stringify(record.value)), fault)
    }
    return made.take()
  }

  const take = (text: string, last: boolean) => toChunks(reader.push(text, last))
  const ended = () => finished({ rows: made.count, empty, unseen, outside: reader.outside })
  return readText({ file, blocks, encoding, decoder: encoding.decoder(), line: reader.line, take, ended })
}

/**
 * Opens JSON (an array of records, or an object that contains one) or JSON lines. A record's members become columns, and so do the members of objects
 * in it, such as `answers.email`. A list is one cell. Fails if there is no list of records, or if the file is not JSON or not text.
 */
export const openJson = (
  bytes: Bytes,
  format: "json" | "jsonl",
  settings: JsonSettings,
): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const said = settings.records === undefined ? undefined : placeOf(settings.records)
    const { encoding, warnings } = yield* findEncoding(bytes, settings.encoding)
    const place = format === "jsonl" ? undefined : said ?? (yield* findPlace(bytes, encoding))
    const makeReader = () => place === undefined ? readLines() : readElements(place)
    const { columns, firstFault, records } = yield* learnColumns(bytes, encoding, makeReader, settings)
    const { titles } = columns
    if (titles.length === 0 && records > 0) {
      return yield* refusing(file)(
        `has no record with members. ${firstFault?.message ?? "Use a file whose records are objects."}`,
      )
    }
    if (titles.length > limits.columns) {
      return yield* refusing(file)(
        `has ${count(titles.length)} different members, more than the limit of ${count(limits.columns)} columns. `
          + "Most likely their names contain data. Export the file in a different shape.",
      )
    }
    const taken = [
      { what: "encoding", value: `${encoding.name} (${encoding.because})` },
      ...(place === undefined ? [] : [
        { what: "records", value: `${pointerOf(place)} (${said === undefined ? "detected" : "as given"})` },
      ]),
    ]
    let files: Effect.Effect.Success<Source["files"]> = []

    const read = (expected?: Fingerprint) =>
      Effect.map(bytes.blocks(expected), (blocks) => {
        const finished = ({ empty, outside, rows, unseen }: Rows) => {
          const unread = [
            ...Array.from(unseen, ([name, { cells }]) => ({ what: "member" as const, name, cells })),
            ...Array.from(outside, ([name, cells]) => ({ what: "outside" as const, name, cells })),
          ]
          const late = [...unseen].map(([title, { row }]) => `${brief(title)} (from row ${row} on)`).join(", ")
          files = fileRead(file, format, blocks.fingerprint(), {
            rows,
            taken: [
              ...emptyTaken("empty records", empty, undefined),
              ...(unseen.size === 0 ? [] : [{
                what: "members without a column",
                value: `${late}: none of the first ${count(records)} records has them`,
              }]),
            ],
            ...(unread.length === 0 ? {} : { unread }),
          })
        }
        return rowsOf({ file, blocks, encoding, columns, reader: makeReader(), finished })
      })

    return {
      dialect: { format, ...dialectEncoding(encoding), reader: readerVersion },
      columns: toColumns(titles),
      members: titles,
      blocks: [],
      taken,
      format,
      warnings,
      read: (expected) => Stream.unwrapScoped(read(expected?.[0])),
      files: Effect.sync(() => files),
    }
  })
