import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { type Cell, cellText, isFilled, trimmed } from "../domain/cell.ts"
import { cut, type Problem } from "../domain/problem.ts"
import { type Cells, type Column, type RowChunk, shownName } from "../domain/row.ts"
import { count, counted, listed } from "../domain/words.ts"
import type { SourceConfig } from "../project/Pipeline.ts"
import { nearest } from "../project/suggestion.ts"
import { asFormTool } from "./asFormTool.ts"
import { ChunkBuilder, eachChunk } from "./chunks.ts"
import { toColumns } from "./columns.ts"
import { diskFull, temporaryFolder } from "./fetchFile.ts"
import { limits } from "./limits.ts"
import { RecordSpool } from "./RecordSpool.ts"
import {
  changedWhileOpening,
  joinedFacts,
  mapFiles,
  type NamedSource,
  refusing,
  type Source,
  SourceChanged,
  SourceError,
} from "./Source.ts"

type Combine = NonNullable<SourceConfig["combine"]>

/** How many rows are put together at a time. */
const windowRows = 1_000

/** How many combined rows the head of a combined source contains. */
const headRows = 50

const textAt = (cells: Cells, { position }: Column): string => trimmed(cellText(cells[position]))

const titleOf = (column: Column): string => column.name ?? column.title

/** One of the sources whose records are combined, and its columns. */
interface Part extends NamedSource {
  readonly by: ReadonlyArray<Column>
  /** The columns whose cells contain the name of a record's place. */
  readonly name: ReadonlyArray<Column>
  /** All other columns. Each place has a copy of them. */
  readonly rest: ReadonlyArray<Column>
  /** The first part of the names of this source's columns in a combined row. */
  readonly as: string | undefined
  /** Whether each record of a row has its own place, with a number that starts at 1. */
  readonly repeats: boolean
}

const partOf = (
  { file, source }: NamedSource,
  { as, by, name = [], repeats = false }: {
    readonly by: ReadonlyArray<string>
    readonly name?: ReadonlyArray<string>
    readonly as?: string
    readonly repeats?: boolean
  },
): Effect.Effect<Part, SourceError> => {
  const find = (names: ReadonlyArray<string>) =>
    Effect.forEach(names, (name) => {
      const found = source.columns.find((column) => column.name === name)
      if (found !== undefined) return Effect.succeed(found)
      const near = nearest(name, source.columns.flatMap((column) => column.name ?? []))
      const hint = near === undefined
        ? `Its columns are: ${cut(listed(source.columns.map(shownName)), 400)}.`
        : `Did you mean "${near}"?`
      return refusing(file)(`has no column "${name}", which \`source.combine\` names. ${hint}`)
    })
  return Effect.map(Effect.all([find(by), find(name)]), ([by, name]) => {
    const rest = source.columns.filter((column) => !by.includes(column) && !name.includes(column))
    return { file, source, by, name, rest, as, repeats }
  })
}

interface Place {
  readonly index: number
  isCertain: boolean
  /** The cells that give the place its name. Undefined until a record has this place. */
  cells?: string
}

/** The places of each source's records, and the columns of their cells in a combined row. */
class Places {
  readonly #ofParts: ReadonlyArray<Map<string, Place>>

  /** @param expected names of places that exist even without a record */
  constructor(parts: ReadonlyArray<Part>, expected: ReadonlyArray<string>) {
    this.#ofParts = parts.map(({ as, repeats }) =>
      new Map(as === undefined || repeats ? [] : [[as, { index: 0, isCertain: true }]])
    )
    for (const place of expected) {
      const part = Math.max(0, parts.findIndex(({ as }) => as !== undefined && place.startsWith(`${as}.`)))
      const { as, repeats = false } = parts[part] ?? {}
      if (repeats) this.number(part, as ?? "", Number(place.slice(`${as}.`.length)))
      else this.indexOf(part, place)
    }
  }

  /** Adds the places of a part whose records are numbered. They are in the order of their numbers, without gaps. */
  number(part: number, as: string, most: number): void {
    // Stops at the first place beyond the limit, because that is already an error.
    for (let nth = 1; nth <= Math.min(most, limits.columns + 1); nth++) this.indexOf(part, `${as}.${nth}`)
  }

  /** Returns the index of a part's place. Adds the place if it is new. A place that only faulty records name is not certain. */
  indexOf(part: number, name: string, isCertain = true): number {
    const places = this.#ofParts[part] ?? new Map<string, Place>()
    const place = places.get(name) ?? { index: places.size, isCertain }
    if (isCertain) place.isCertain = true
    places.set(name, place)
    return place.index
  }

  /** Whether a part's place got its name from other cells: `visit.1` may also be `visit` and `1`. */
  hasOtherCells(part: number, name: string, cells: ReadonlyArray<string>): boolean {
    const place = this.#ofParts[part]?.get(name)
    if (place === undefined) return false
    place.cells ??= JSON.stringify(cells)
    return place.cells !== JSON.stringify(cells)
  }

  /** Returns the names of a part's places by their index. Undefined if a place is not certain. */
  namesOf(part: number): ReadonlyArray<string | undefined> {
    return [...this.#ofParts[part] ?? []].map(([name, { isCertain }]) => isCertain ? name : undefined)
  }
}

/** The order of cells in a combined row: first the key's cells, then the cells of each place. */
interface Shape {
  readonly parts: ReadonlyArray<Part>
  readonly titles: ReadonlyArray<string>
  /** The position of the first cell of each part's places. Undefined if a place is not certain. */
  readonly starts: ReadonlyArray<ReadonlyArray<number | undefined>>
}

const shapeOf = (parts: ReadonlyArray<Part>, places: Places): Shape => {
  const titles = (parts[0]?.by ?? []).map(titleOf)
  const starts = parts.map(({ rest }, part) =>
    places.namesOf(part).map((place) => {
      if (place === undefined) return undefined
      const start = titles.length
      titles.push(...rest.map((column) => place === "" ? titleOf(column) : `${place}.${titleOf(column)}`))
      return start
    })
  )
  return { parts, titles, starts }
}

/** Combines the records of these rows. */
const combined = (spool: RecordSpool, shape: Shape, first: number, last: number): ReadonlyArray<RowChunk> => {
  const { parts, starts, titles } = shape
  const chunks = new ChunkBuilder()
  chunks.count = first - 1
  let row = 0
  let cells: Array<Cell> = []
  let problem: Problem | undefined
  let repeated: Array<number> = []
  /** Cells of faulty records that have no place. They follow the others, so that rejected.csv contains them. */
  let unplaced: Array<Cell> = []
  const close = () => {
    if (row > 0) chunks.add([...cells, ...unplaced], problem)
  }
  for (const record of spool.between(first, last)) {
    const part = parts[record.part]!
    const shown = `record ${count(record.number)}${record.part === 0 ? "" : ` of ${part.as}`}`
    if (record.row !== row) {
      close()
      row = record.row
      problem = undefined
      unplaced = []
      repeated = parts.map(() => 0)
      cells = new Array<Cell>(titles.length).fill(null)
      for (const [at, { position }] of part.by.entries()) cells[at] = record.cells[position] ?? null
    }
    if (record.fault !== undefined) {
      const { message, ...fault } = record.fault
      problem ??= { ...fault, message: message.replace(/Row \d+/, `Row ${row} (${shown})`) }
    }
    const place = part.repeats ? repeated[record.part]!++ : record.place
    const start = starts[record.part]![place]
    if (record.fault !== undefined) {
      unplaced.push(...record.cells.slice(start === undefined ? 0 : part.source.columns.length))
    }
    if (start === undefined) continue
    for (const [index, { position }] of part.rest.entries()) {
      const cell = record.cells[position] ?? null
      if (!isFilled(cell)) continue
      const at = start + index
      const before = cells[at]
      if (!isFilled(before)) cells[at] = cell
      else if (cellText(before) !== cellText(cell)) {
        const value = cut(cellText(cell))
        problem ??= {
          code: "conflict",
          column: titles[at],
          value,
          message: `Row ${row}: ${titles[at]} is both "${cut(cellText(before))}" and "${value}" (${shown}). `
            + `Correct the records, or distinguish them with \`source.combine${
              record.part === 0 ? ".name" : ".with.repeats"
            }\`.`,
        }
      }
    }
  }
  close()
  return chunks.take()
}

/** Reads all records into a temporary database, which is removed when the scope closes. Counts records that equal an earlier one of their row. */
const spooled = (parts: ReadonlyArray<Part>, places: Places, file: string) =>
  Effect.gen(function*() {
    const refused = (why: string) => new SourceError({ file, message: `The records of ${file} ${why}` })
    const folder = yield* Effect.mapError(temporaryFolder("formferry-combined-"), refused)
    const full = () => refused(diskFull)
    const spool = yield* Effect.acquireRelease(
      Effect.try({ try: () => new RecordSpool(join(folder, "records")), catch: full }),
      (spool) => Effect.sync(() => spool.close()),
    )
    const add = (
      part: number,
      { as, by, file: own, name, repeats }: Part,
      number: number,
      cells: Cells,
      fault?: Problem,
    ) => {
      const texts = by.map((column) => textAt(cells, column))
      const missing = by.find((_, at) => texts[at] === "")
      const key = missing === undefined ? JSON.stringify(texts) : undefined
      const known = key === undefined ? undefined : spool.rowOf(key)
      // Otherwise a row would be sent without this record, which can't be undone.
      const similar = part === 0 || key === undefined || known !== undefined ? [] : spool.rowsLike(key)
      const row = known ?? similar[0] ?? spool.addRow(part === 0 ? key : undefined)
      if (part === 0 && parts.length > 1 && key !== undefined && known === undefined) spool.addAlike(key, row)
      const column = by.map(shownName).join(", ")
      const alone = missing !== undefined
        ? {
          code: "missing-key" as const,
          column: shownName(missing),
          message: `Row ${number} has no ${shownName(missing)}, so it can't be combined with other records.`,
        }
        : part > 0 && known === undefined
        ? {
          code: "conflict" as const,
          column,
          value: cut(texts.join(", ")),
          message: `Row ${number} of ${own} belongs to no record of ${file}: none has the key "${
            cut(texts.join(", "))
          }" (${column})${
            similar.length === 0
              ? "."
              : ", but this row has a similar one, and is not sent without the record. Write both keys in the same way."
          }`,
        }
        : undefined
      const named = name.map((column) => textAt(cells, column))
      const place = [...as === undefined ? [] : [as], ...named].filter((text) => text !== "").join(".")
      const at = repeats ? 0 : places.indexOf(part, place, fault === undefined)
      const ambiguous = fault === undefined && !repeats && places.hasOtherCells(part, place, named)
        ? {
          code: "conflict" as const,
          column: name.map(shownName).join(", "),
          value: cut(named.join(", ")),
          message: `Row ${number} has the place "${cut(place)}", but so have records with other cells in ${
            listed(name.map(shownName))
          }. Correct the records.`,
        }
        : undefined
      for (const one of new Set([row, ...similar])) {
        spool.add({ row: one, part, place: at, number, cells, fault: fault ?? alone ?? ambiguous })
      }
    }
    let repeated = 0
    const empty = new Set(parts)
    for (const [at, part] of parts.entries()) {
      const addAll = ({ faults, firstRow, rows }: RowChunk) => {
        if (rows.length > 0) empty.delete(part)
        spool.transaction(() =>
          rows.forEach((cells, index) => add(at, part, firstRow + index, cells, faults.get(index)))
        )
      }
      yield* eachChunk(part.source.read(), (chunk) => Effect.try({ try: () => addAll(chunk), catch: full })).pipe(
        changedWhileOpening,
      )
      if (part.repeats) places.number(at, part.as ?? "", spool.mostOf(at))
      else repeated += yield* Effect.try({ try: () => spool.repeatedOf(at), catch: full })
    }
    return { spool, repeated, empty }
  })

const tooWide = (file: string, titles: ReadonlyArray<string>, parts: ReadonlyArray<Part>, spool: RecordSpool) => {
  const repeated = parts.flatMap(({ as, repeats }, at) =>
    repeats ? [`${counted(spool.mostOf(at), "record")} of ${as}`] : []
  )
  return new SourceError({
    file,
    message: `\`source.combine\` would give ${file} ${count(titles.length)} columns, more than ${
      count(limits.columns)
    }. ${
      repeated.length === 0
        ? "Use columns under `source.combine.name` that have few different values."
        : `One row would have ${listed(repeated)}. Check the key of these records.`
    }`,
  })
}

/** Counts a sheet as unread only if no reading of its workbook reads it, and only at the first reading. */
const withUnreadSheets = (all: Effect.Effect.Success<Source["files"]>): typeof all =>
  all.map(({ file, fingerprint }) => {
    if (file.unread === undefined) return { file, fingerprint }
    const readings = all.map((one) => one.file).filter((one) => one.file === file.file)
    const unread = file.unread.filter(({ name, what }) =>
      what !== "sheet" || (readings[0] === file
        && readings.every(({ unread = [] }) => unread.some((one) => one.what === what && one.name === name)))
    )
    return { file: { ...file, unread }, fingerprint }
  })

/**
 * Joins the records of several sources that have the same key into one row, in the order of the first source's records.
 * The columns are the key's columns, then every other column once for each place: `baseline.weight`. All records are
 * read once, into a temporary file. A row with a faulty record, or with two different values for one cell, gets a
 * problem. Fails if a named column is missing, or if the rows would have too many columns.
 *
 * @param others the opened sources of `config.with`, in that order
 */
export const combine = (
  main: NamedSource,
  others: ReadonlyArray<NamedSource>,
  config: Combine,
): Effect.Effect<Source, SourceError, Scope.Scope> =>
  Effect.gen(function*() {
    const { file, source } = main
    const { tool, ...plain } = source
    if (tool !== undefined && source.head === undefined) {
      return yield* refusing(file)(
        `contains the responses of ${tool.title}'s API, each of which is a whole submission. Remove \`source.combine\`.`,
      )
    }
    const uneven = config.with.find(({ by }) => by.length !== config.by.length)
    if (uneven !== undefined) {
      const message = `\`by\` of "${uneven.as}" names ${
        counted(uneven.by.length, "column")
      }, but \`source.combine.by\` names ${count(config.by.length)}. Name the same number, in the same order.`
      return yield* new SourceError({ file: "source.combine", message })
    }
    const parts = [
      yield* partOf(main, config),
      ...(yield* Effect.forEach(others, (other, at) => partOf(other, config.with[at]!))),
    ]
    const places = new Places(parts, config.places)
    const { empty, repeated, spool } = yield* spooled(parts, places, file)
    const shape = shapeOf(parts, places)
    const { titles } = shape
    if (titles.length > limits.columns) return yield* tooWide(file, titles, parts, spool)
    const read = withUnreadSheets((yield* Effect.forEach(parts, (part) => part.source.files)).flat())
    const note = {
      what: "combined",
      value: `${counted(spool.records, "record")} into ${counted(spool.rows, "row")} by ${listed(config.by)}${
        repeated === 0 ? "" : `; ${counted(repeated, "record equals", "records equal")} an earlier one of its row`
      }`,
    }
    const rowsFrom = (first: number, most: number) =>
      combined(spool, shape, first, Math.min(spool.rows, first + most - 1))
    const windows = Stream.flattenIterables(Stream.unfold(1, (first) =>
      first > spool.rows ? Option.none() : Option.some([rowsFrom(first, windowRows), first + windowRows] as const)))
    const facts = joinedFacts(parts.map((part) =>
      part.source
    ))
    const without = parts.flatMap((part, at) =>
      at > 0 && empty.has(part)
        ? [`${part.file} has no records of ${part.as}, so all rows are without them. Check whether it is complete.`]
        : []
    )
    const table: Source = {
      ...plain,
      dialect: { ...source.dialect, format: `${source.dialect.format}, combined` },
      columns: toColumns(titles),
      blocks: [],
      taken: [...source.taken, note],
      ...facts,
      warnings: [...facts.warnings, ...without],
      head: {
        records: [titles, ...rowsFrom(1, headRows).flatMap(({ rows }) => rows)],
        header: 0,
        skipped: 0,
        detectedRow: undefined,
        sheet: source.head?.sheet,
        delimiter: source.head?.delimiter,
      },
      read: (expected) => {
        const changed = expected?.some(({ sha256 }, at) => read[at]?.fingerprint.sha256 !== sha256) ?? false
        return changed ? Stream.fail(new SourceChanged({ file })) : windows
      },
      files: mapFiles(Effect.succeed(read), (one) => ({ ...one, taken: [...one.taken, note] })),
    }
    if (tool === undefined) return table
    const asked = { file, asked: tool.name, headerRow: undefined, isPlain: true }
    const made = yield* asFormTool(table, asked, () => Effect.succeed(table))
    const { asked: isAsked, reasons, score } = tool
    return {
      ...made,
      ...(made.tool === undefined ? {} : { tool: { ...made.tool, asked: isAsked, reasons, score } }),
      taken: table.taken,
      files: table.files,
    }
  })
