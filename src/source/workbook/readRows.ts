import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { columnName, count } from "../../domain/words.ts"
import { damaged, entryBytes, type Pieces } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { limits } from "../limits.ts"
import { catchOwn, type Fingerprint, refusing, type SourceError } from "../Source.ts"
import { isSwollen, packedStart, swollenNote, unpack, type ZipEntry } from "../zip.ts"
import { type ChosenSheet, type OpenSheet, SheetNotes, type SheetRow } from "./Sheet.ts"
import { BadSheet } from "./xml.ts"

/** Returns the name under which a part is found. Case doesn't matter in names, and some programs write backslashes. */
export const partName = (written: string): string => written.replaceAll("\\", "/").toLowerCase()

/** A workbook, whose content is kept in memory only while it is opened. */
export interface Packed {
  readonly bytes: Bytes
  readonly content: Buffer
  /** The fingerprint of the bytes, which each reading verifies. */
  readonly fingerprint: Fingerprint
  /** The parts by `partName`. */
  readonly parts: ReadonlyMap<string, ZipEntry>
}

/** Reads a sheet from XML that arrives in pieces. */
export interface RowReader {
  /** Throws `BadSheet`. */
  readonly write: (piece: Uint8Array) => void
  /** Throws `BadSheet` if the sheet does not end at the end of its XML. */
  readonly end: () => void
}

/** What a reader has found: the rows that its pieces completed since they were taken, and notes. */
export interface FoundInSheet {
  rows: Array<SheetRow>
  readonly notes: SheetNotes
}

/** A sheet that is read row by row from XML: the part that contains it, and how its reader is made. */
export interface XmlSheet {
  readonly chosen: ChosenSheet
  readonly date1904: boolean
  readonly part: ZipEntry
  /** Makes a reader that adds to what was found. Must not keep the workbook's bytes. */
  readonly makeReader: (found: FoundInSheet) => RowReader
}

/** Returns the unpacked bytes of a part. */
const partBytes = ({ bytes, content }: Packed, part: ZipEntry): Bytes =>
  entryBytes(bytes, part, packedStart(content, part) ?? 0)

/** Unpacks a small part. */
export const unpackedPart = ({ bytes, content }: Packed, part: ZipEntry): Effect.Effect<Buffer, SourceError> =>
  part.unpacked > limits.unpackedFreely
    ? damaged(bytes.file)
    : Effect.tryPromise({ try: () => unpack(content, part), catch: () => damaged(bytes.file) })

/** Throws `BadSheet` if no sheet can have this row. Rows are numbered from 0. */
export const requireRow = (row: number): void => {
  if (row < 0 || row >= limits.sheetRows) {
    throw new BadSheet(`row ${count(row + 1)}, and rows are numbered from 1 to ${count(limits.sheetRows)}`)
  }
}

/** Throws `BadSheet` if no sheet can have this cell. Rows and columns are numbered from 0. */
export const requireColumn = (column: number, row: number): void => {
  if (column >= limits.columns) {
    const [name, last] = [columnName(column), columnName(limits.columns - 1)]
    throw new BadSheet(`a cell in column ${name} of row ${row + 1}, beyond the last column ${last}`)
  }
}

/** One reading of a part. */
type Opened<E> = Effect.Effect<Pieces<SourceError | E>, SourceError | E, Scope.Scope>

/** Runs a function that may detect a malformed sheet. */
export const sound = <A>(file: string, run: () => A): Effect.Effect<A, SourceError> =>
  catchOwn(run, (error) =>
    error instanceof BadSheet
      ? refusing(file)(
        `is damaged, cut short or malformed: its sheet has ${error.message}. Fetch or export it again; or open it in a spreadsheet program, check its rows, and save it again.`,
      )
      : undefined)

/** Reads a part to its end. */
export const readPart = (
  packed: Packed,
  part: ZipEntry,
  write: (piece: Uint8Array) => void,
): Effect.Effect<void, SourceError> =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* partBytes(packed, part).look
    for (let bytes = yield* next; bytes !== undefined; bytes = yield* next) {
      const piece = bytes
      yield* sound(packed.bytes.file, () => write(piece))
    }
  }))

/** The maximum number of rows that are passed on at once. A short piece of .ods may repeat a row a million times. */
const lotRows = 2048

/** Reads the sheet's rows in groups, in order. Calls `ended` at the end. */
const rowLots = <E>(
  file: string,
  opened: Opened<E>,
  makeReader: XmlSheet["makeReader"],
  notes: SheetNotes,
  ended: () => void,
): Stream.Stream<ReadonlyArray<SheetRow>, SourceError | E> =>
  Stream.unwrapScoped(Effect.map(opened, (next) => {
    const found: FoundInSheet = { rows: [], notes }
    const reader = makeReader(found)
    let rows: ReadonlyArray<SheetRow> = []
    let given = 0
    const nextLot = () => {
      const lot = given === 0 && rows.length <= lotRows ? rows : rows.slice(given, given + lotRows)
      given += lotRows
      return lot
    }
    return Stream.repeatEffectOption(Effect.gen(function*() {
      if (given < rows.length) return nextLot()
      const bytes = yield* Effect.mapError(next, Option.some)
      if (bytes !== undefined) {
        yield* Effect.mapError(sound(file, () => reader.write(bytes)), Option.some)
        rows = found.rows
        found.rows = []
        given = 0
        return nextLot()
      }
      yield* Effect.mapError(sound(file, () => reader.end()), Option.some)
      ended()
      return yield* Effect.fail(Option.none())
    }))
  }))

/**
 * Opens a sheet to be read row by row.
 *
 * @param wanted the number of rows that `first` must contain, unless the sheet has fewer
 */
export const openRows = (
  packed: Packed,
  { chosen, date1904, makeReader, part }: XmlSheet,
  wanted: number,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.map(
    rowsOf(
      packed.bytes.file,
      partBytes(packed, part),
      packed.fingerprint,
      makeReader,
      wanted,
      part.unpacked < limits.lookedSheet,
    ),
    (rows) => ({ ...chosen, date1904, ...rows }),
  )

/**
 * This is a separate function, so that its closure doesn't keep the workbook's bytes.
 *
 * @param isSmall whether the sheet is read to its end now, so that hidden or damaged rows are reported at once
 */
const rowsOf = (
  file: string,
  sheet: Bytes,
  fingerprint: Fingerprint,
  makeReader: XmlSheet["makeReader"],
  wanted: number,
  isSmall: boolean,
): Effect.Effect<Pick<OpenSheet, "first" | "merges" | "rows" | "notes">, SourceError> =>
  Effect.gen(function*() {
    let notes: SheetNotes | undefined
    const lots = <E>(opened: Opened<E>) =>
      Stream.suspend(() => {
        const found = new SheetNotes(wanted)
        return rowLots(file, opened, makeReader, found, () => void (notes = found))
      })
    const first: Array<SheetRow> = []
    yield* Stream.runForEachWhile(lots(sheet.look), (rows) =>
      Effect.sync(() => {
        for (const one of rows) if (one.row <= wanted) first.push(one)
        return isSmall || (rows.at(-1)?.row ?? 0) <= wanted
      }))
    const known = () => notes ?? new SheetNotes(wanted)
    const reading = Effect.map(sheet.blocks(fingerprint), ({ next }) => next)
    return {
      first,
      // They may come after all rows.
      merges: Effect.suspend(() => notes === undefined ? Stream.runDrain(lots(sheet.look)) : Effect.void).pipe(
        Effect.map(() => known().merges),
      ),
      rows: lots(reading),
      notes: known,
    }
  })

/** Whether a part unpacks to more than any ordinary one does. */
const isBomb = ({ packed, unpacked }: ZipEntry) => unpacked > limits.streamed || isSwollen(packed, unpacked)

/** Fails if an entry disagrees with the archive's directory, if a large part can't be unpacked, or if it would unpack to far too much. */
export const checkParts = (
  { bytes: { file }, content, parts }: Packed,
  large: ReadonlyArray<ZipEntry>,
): Effect.Effect<void, SourceError> => {
  if ([...parts.values()].some((entry) => packedStart(content, entry) === undefined)) return damaged(file)
  if (large.some(({ method }) => method !== 0 && method !== 8)) return damaged(file)
  return large.some(isBomb) ? refusing(file)(swollenNote("workbook")) : Effect.void
}
