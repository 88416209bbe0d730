import { Effect, Option, Stream } from "effect"
import type { Scope } from "effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Cell, cellText, DateCell, ErrorCell, JsonCell, trimmed } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { cut } from "../domain/problem.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column, RowChunk } from "../domain/row.ts"
import { count, listed } from "../domain/words.ts"
import { ownedFolder } from "../ledger/holder.ts"
import { Database } from "../ledger/sqlite/database.ts"
import type { SourceConfig } from "../project/Pipeline.ts"
import { nearest } from "../project/suggestion.ts"
import { asFormTool } from "./asFormTool.ts"
import { ChunkBuilder, eachChunk } from "./chunks.ts"
import { shownName, toColumns } from "./columns.ts"
import { limits, thousands } from "./limits.ts"
import { changedWhileOpening, mapFiles, SourceChanged, SourceError } from "./Source.ts"
import type { Source } from "./Source.ts"

type Combine = NonNullable<SourceConfig["combine"]>

/** Rows that are put together at a time. */
const windowRows = 1_000

/** Combined rows in the head of a combined source. */
const headRows = 50

const encode = (cells: Cells): string =>
  JSON.stringify(cells.map((cell) =>
    cell instanceof DateCell
      ? { date: cell.iso }
      : cell instanceof ErrorCell
      ? { error: cell.code }
      : cell instanceof JsonCell
      ? { json: cell.value }
      : cell ?? null
  ))

type EncodedCell = string | number | boolean | null | { readonly date: string } | { readonly error: string } | {
  readonly json: Json
}

const decode = (text: string): ReadonlyArray<Cell> =>
  (JSON.parse(text) as ReadonlyArray<EncodedCell>).map((cell) =>
    typeof cell !== "object" || cell === null
      ? cell
      : "date" in cell
      ? new DateCell(cell.date)
      : "error" in cell
      ? new ErrorCell(cell.error)
      : new JsonCell(cell.json)
  )

const isEmpty = (cell: Cell | undefined): boolean => trimmed(cellText(cell)) === ""

const textAt = (cells: Cells, { position }: Column): string => trimmed(cellText(cells[position]))

/** The records of a source in a temporary database, by the rows that they become. */
class Spool {
  readonly #db: Database
  /** The names of the places, in the order of their first records. */
  readonly places = new Map<string, number>()
  rows = 0
  records = 0

  /** @param places those that exist even without a record */
  constructor(path: string, places: ReadonlyArray<string>) {
    for (const place of places) this.#placeOf(place)
    this.#db = new Database(path)
    // It is needed only by this process, and only until it ends.
    this.#db.set("journal_mode = OFF")
    this.#db.set("synchronous = OFF")
    this.#db.exec("CREATE TABLE key (text TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID")
    this.#db.exec(
      "CREATE TABLE record (row INTEGER, number INTEGER, place INTEGER, cells TEXT, fault TEXT, PRIMARY KEY (row, number)) WITHOUT ROWID",
    )
  }

  /** @param key undefined: the record becomes a row alone */
  add(key: string | undefined, place: string, cells: Cells, fault: Problem | undefined): void {
    this.records++
    const known = key === undefined
      ? undefined
      : this.#db.get<readonly [number]>("SELECT row FROM key WHERE text = ?", [key])?.[0]
    const row = known ?? ++this.rows
    if (key !== undefined && known === undefined) this.#db.run("INSERT INTO key VALUES (?, ?)", [key, row])
    this.#db.run("INSERT INTO record VALUES (?, ?, ?, ?, ?)", [
      row,
      this.records,
      this.#placeOf(place),
      encode(cells),
      fault === undefined ? null : JSON.stringify(fault),
    ])
  }

  #placeOf(place: string): number {
    const at = this.places.get(place) ?? this.places.size
    this.places.set(place, at)
    return at
  }

  transaction(work: () => void): void {
    this.#db.exec("BEGIN")
    work()
    this.#db.exec("COMMIT")
  }

  /** Returns the records of some rows, in the order of the rows and of the file. */
  between(first: number, last: number) {
    return this.#db.all<readonly [row: number, number: number, place: number, cells: string, fault: string | null]>(
      "SELECT row, number, place, cells, fault FROM record WHERE row BETWEEN ? AND ? ORDER BY row, number",
      [first, last],
    )
  }

  close(): void {
    this.#db.close()
  }
}

/** Where the cells of a record are in a combined row. */
interface Shape {
  readonly by: ReadonlyArray<Column>
  /** The source's other columns, without those that name the place. Each place has all of them. */
  readonly rest: ReadonlyArray<Column>
  readonly titles: ReadonlyArray<string>
}

const shapeOf = (source: Source, { by, name }: Found, places: Iterable<string>): Shape => {
  const structure = new Set([...by, ...name].map(({ position }) => position))
  const rest = source.columns.filter(({ position }) => !structure.has(position))
  const titleOf = (column: Column) => column.name ?? column.title
  const ofPlace = (place: string) =>
    rest.map((column) => place === "" ? titleOf(column) : `${place}.${titleOf(column)}`)
  return { by, rest, titles: [...by.map(titleOf), ...Array.from(places).flatMap(ofPlace)] }
}

/** Puts the records of rows together. */
const combined = (spool: Spool, { by, rest, titles }: Shape, first: number, last: number): ReadonlyArray<RowChunk> => {
  const chunks = new ChunkBuilder()
  chunks.count = first - 1
  let row = 0
  let cells: Array<Cell> = []
  let problem: Problem | undefined
  const close = () => {
    if (row > 0) chunks.add(cells, problem)
  }
  for (const [next, number, place, encoded, fault] of spool.between(first, last)) {
    const record = decode(encoded)
    if (next !== row) {
      close()
      row = next
      problem = undefined
      cells = new Array<Cell>(titles.length).fill(null)
      for (const [at, { position }] of by.entries()) cells[at] = record[position] ?? null
    }
    if (fault !== null) {
      const told = JSON.parse(fault) as Problem
      problem ??= { ...told, message: told.message.replace(/Row \d+/, `Row ${row} (record ${count(number)})`) }
    }
    for (const [index, { position }] of rest.entries()) {
      const cell = record[position]
      if (isEmpty(cell)) continue
      const at = by.length + place * rest.length + index
      const before = cells[at]
      if (isEmpty(before)) cells[at] = cell ?? null
      else if (cellText(before) !== cellText(cell)) {
        const [earlier, later] = [cut(cellText(before)), cut(cellText(cell))]
        problem ??= {
          code: "conflict",
          column: titles[at],
          value: later,
          message: `Row ${row}: ${titles[at]} is both "${earlier}" and "${later}" (record ${count(number)}). `
            + "Records that `source.combine` joins may fill each column once. Correct them, or add a column that distinguishes them to `source.combine.name`.",
        }
      }
    }
  }
  close()
  return chunks.take()
}

interface Found {
  readonly by: ReadonlyArray<Column>
  readonly name: ReadonlyArray<Column>
}

const findColumns = (source: Source, file: string, names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) => {
    const found = source.columns.find((column) => column.name === name)
    if (found !== undefined) return Effect.succeed(found)
    const near = nearest(name, source.columns.flatMap((column) => column.name ?? []))
    const hint = near === undefined
      ? `Its columns are: ${cut(listed(source.columns.map(shownName), "and"), 400)}.`
      : `Did you mean "${near}"?`
    return new SourceError({
      file,
      message: `${file} has no column "${name}", which \`source.combine\` names. ${hint}`,
    })
  })

/** Reads all records into a temporary database, which is removed with the scope. */
const spooled = (source: Source, file: string, { by, name }: Found, places: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const refused = (message: string) => () => new SourceError({ file, message })
    const folder = yield* ownedFolder(tmpdir(), "formferry-combined-").pipe(
      Effect.mapError(refused("There is no folder for temporary files. Correct TMPDIR.")),
    )
    const full = refused(
      `The records of ${file} could not be stored: the disk for temporary files may be full. Make room, then run again.`,
    )
    const spool = yield* Effect.acquireRelease(
      Effect.try({ try: () => new Spool(join(folder, "records"), places), catch: full }),
      (spool) => Effect.sync(() => spool.close()),
    )
    const add = (chunk: RowChunk) => {
      for (const [index, cells] of chunk.rows.entries()) {
        const key = by.map((column) => textAt(cells, column))
        const missing = by.find((_, at) => key[at] === "")
        const number = chunk.firstRow + index
        const fault = chunk.faults.get(index) ?? (missing === undefined ? undefined : {
          code: "missing-key" as const,
          column: shownName(missing),
          message: `Row ${number} has no ${shownName(missing)}, so it can't be combined with other records.`,
        })
        const place = name.map((column) => textAt(cells, column)).filter((part) => part !== "").join(".")
        spool.add(missing === undefined ? JSON.stringify(key) : undefined, place, cells, fault)
      }
    }
    yield* eachChunk(
      source.read(),
      (chunk) => Effect.try({ try: () => spool.transaction(() => add(chunk)), catch: full }),
    ).pipe(changedWhileOpening)
    return spool
  })

/**
 * Joins the records of a source that have the same key into one row, in the order of their first records. The columns are those of the key, and each
 * other column once for each place: `baseline.weight`. All records are read once, into a temporary file. A row with a faulty record, or with two
 * different values in one cell, has that problem. Fails if a column is not there, or if the rows would have too many columns.
 */
export const combine = (
  source: Source,
  file: string,
  config: Combine,
): Effect.Effect<Source, SourceError, Scope.Scope> =>
  Effect.gen(function*() {
    const found = {
      by: yield* findColumns(source, file, config.by),
      name: yield* findColumns(source, file, config.name),
    }
    if (source.tool !== undefined && source.head === undefined) {
      const message =
        `${file} contains the responses of ${source.tool.title}'s API, each of which is a whole submission. Remove \`source.combine\`.`
      return yield* new SourceError({ file, message })
    }
    const spool = yield* spooled(source, file, found, config.places)
    const shape = shapeOf(source, found, spool.places.keys())
    if (shape.titles.length > limits.columns) {
      const message = `\`source.combine\` would give ${file} ${thousands(shape.titles.length)} columns: ${
        thousands(spool.places.size)
      } places with ${thousands(shape.rest.length)} columns each. At most ${
        thousands(limits.columns)
      } are possible. Name columns under \`source.combine.name\` that have few different values.`
      return yield* new SourceError({ file, message })
    }
    const read = yield* source.files
    const note = {
      what: "combined",
      value: `${count(spool.records)} records into ${count(spool.rows)} rows by ${
        listed(found.by.map(shownName), "and")
      }`,
    }
    const windows = Stream.unfold(1, (first) =>
      first > spool.rows
        ? Option.none()
        : Option.some(
          [
            combined(spool, shape, first, Math.min(spool.rows, first + windowRows - 1)),
            first + windowRows,
          ] as const,
        )).pipe(Stream.flattenIterables)
    const { tool, ...rest } = source
    const table: Source = {
      ...rest,
      dialect: { ...source.dialect, format: `${source.dialect.format}, combined` },
      columns: toColumns(shape.titles),
      blocks: [],
      taken: [...source.taken, note],
      files: mapFiles(source.files, (file) => ({ ...file, taken: [...file.taken, note] })),
      head: {
        records: [
          shape.titles,
          ...combined(spool, shape, 1, Math.min(spool.rows, headRows)).flatMap(({ rows }) => rows),
        ],
        header: 0,
        skipped: 0,
        sheet: source.head?.sheet,
        delimiter: source.head?.delimiter,
      },
      read: (expected) => {
        const changed = expected?.find(({ sha256 }, at) => read[at]?.fingerprint.sha256 !== sha256)
        return changed === undefined ? windows : Stream.fail(new SourceChanged({ file }))
      },
    }
    if (tool === undefined) return table
    const asked = { file, asked: tool.name, headerRow: undefined, isPlain: true }
    const made = yield* asFormTool(table, asked, () => Effect.succeed(table))
    return made.tool === undefined ? made : {
      ...made,
      tool: { ...made.tool, asked: tool.asked, reasons: tool.reasons, score: tool.score },
      taken: table.taken,
      files: table.files,
    }
  })
