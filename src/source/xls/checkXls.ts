import { checkRecords } from "./checkRecords.ts"
import { BadRecords } from "./SheetRecords.ts"
import type { SheetRecords } from "./SheetRecords.ts"

/** A stream of a compound file: its bytes, and how many its directory says. */
interface Stream {
  readonly size: number
  readonly content?: Uint8Array | ReadonlyArray<number>
}

/** As much of xlsx's reader of compound files as is needed. */
export interface CompoundFiles<File> {
  readonly read: (bytes: Buffer, options: { readonly type: "buffer" }) => File
  readonly find: (file: File, path: string) => Stream | null | undefined
}

/** What is known of a .xls workbook's sheets beside what xlsx reads of them. */
export interface XlsCheck {
  /** The workbook itself, out of its compound file: what else that holds (summaries, macros) is not to be read. */
  readonly content: Buffer
  /**
   * The sheet of that number, against the cells that were read of it. Throws `BadRecords` when it can't be sound.
   *
   * @param has whether there is a cell
   * @returns what does not add up, though some programs may write it so
   */
  readonly sheet: (index: number, has: (row: number, column: number) => boolean) => string | undefined
}

const allThere = (sheet: SheetRecords, has: (row: number, column: number) => boolean): boolean => {
  for (const [row, filled] of sheet.values()) {
    for (let column = 0; column < filled.length * 8; column++) {
      if (((filled[column >> 3]! >> (column & 7)) & 1) === 1 && !has(row, column)) return false
    }
  }
  return true
}

/** Goes through a .xls workbook's records. Undefined: it is none, or encrypted: xlsx will say so. Throws `BadRecords`. */
export const checkXls = <File>(content: Buffer, files: CompoundFiles<File>): XlsCheck | undefined => {
  const file = files.read(content, { type: "buffer" })
  const stream = files.find(file, "/Workbook") ?? files.find(file, "/Book")
  if (stream === null || stream === undefined) return undefined
  const bytes = Buffer.from(stream.content ?? [])
  if (bytes.length < stream.size) throw new BadRecords("no end: it is cut short")
  const book = checkRecords(bytes)
  return book && {
    content: bytes,
    sheet: (index, has) => {
      const sheet = book.sheets[index]
      if (sheet === undefined) throw new BadRecords("no records of it")
      if (sheet.fault !== undefined) throw new BadRecords(sheet.fault)
      if (!allThere(sheet, has)) throw new BadRecords("cells that can't be read")
      return sheet.doubt() ?? book.doubt
    },
  }
}
