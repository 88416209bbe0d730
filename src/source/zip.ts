import iconv from "iconv-lite"
import { isUtf8 } from "node:buffer"
import { crc32, inflateRaw } from "node:zlib"
import { count } from "../domain/words.ts"
import { limits } from "./limits.ts"

/** A zip archive that can't or shouldn't be read. The message is a sentence or two, without the file's name. */
export class BadArchive extends Error {}

/** One file of a zip archive, as listed in the archive's directory. Sizes are in bytes. */
export interface ZipEntry {
  readonly name: string
  /** The packing method: 0 for none, 8 for deflate. */
  readonly method: number
  readonly encrypted: boolean
  readonly crc: number
  readonly packed: number
  readonly unpacked: number
  /** The offset of the file's own header. */
  readonly offset: number
}

/** The place of an archive's directory. */
export interface DirectoryPlace {
  readonly offset: number
  readonly size: number
  readonly count: number
}

/** What is wrong with an archive, and what to do, as sentences. */
export const damagedNote = "It is damaged or cut short. Fetch or export it again."

/**
 * The number of bytes at an archive's end that must contain the record with the place of its directory. A comment of up
 * to 64 KiB may follow that record.
 */
export const tailBytes = 65_536 + 22 + 76

/** Decodes a name. Names that are not UTF-8 are in code page 437 (APPNOTE.TXT, appendix D). */
const nameOf = (bytes: Buffer): string => isUtf8(bytes) ? bytes.toString("utf8") : iconv.decode(bytes, "cp437")

const readable = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new BadArchive(damagedNote) : error
  }
}

/** Finds the directory, given the archive's last bytes. Throws `BadArchive`. */
export const directoryPlace = (tail: Buffer): DirectoryPlace =>
  readable(() => {
    const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
    if (at === -1 || at + 22 > tail.length) throw new BadArchive(damagedNote)
    const end = at + 22 + tail.readUInt16LE(at + 20)
    if (end > tail.length) throw new BadArchive(damagedNote)
    // Zeros are padding. Anything else would be lost silently.
    if (tail.subarray(end).some((byte) => byte !== 0)) {
      throw new BadArchive("It has data after its end. Fetch or export it again.")
    }
    const place = {
      count: tail.readUInt16LE(at + 10),
      size: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    }
    if (place.count !== 0xffff && place.size !== 0xffffffff && place.offset !== 0xffffffff) return place
    // Numbers that did not fit are in a longer record before this one.
    const wideAt = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 6, 6]), at)
    if (wideAt === -1) return place
    return {
      count: Number(tail.readBigUInt64LE(wideAt + 32)),
      size: Number(tail.readBigUInt64LE(wideAt + 40)),
      offset: Number(tail.readBigUInt64LE(wideAt + 48)),
    }
  })

/** Replaces sizes and offsets that did not fit in 32 bits. Their values are in the entry's extra field 1, in the same order. */
const wide = (extra: Buffer, values: Array<number>) => {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    return values.map((value) => {
      if (value !== 0xffffffff) return value
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    })
  }
  return values
}

/** Reads an archive's directory with `count` entries. Throws `BadArchive`. */
export const zipEntries = (directory: Buffer, count: number): ReadonlyArray<ZipEntry> =>
  readable(() => {
    const entries: Array<ZipEntry> = []
    let at = 0
    for (let left = count; left > 0; left--) {
      if (directory.readUInt32LE(at) !== 0x02014b50) throw new BadArchive(damagedNote)
      const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
      const extraEnd = nameEnd + directory.readUInt16LE(at + 30)
      const [unpacked = 0, packed = 0, offset = 0] = wide(directory.subarray(nameEnd, extraEnd), [
        directory.readUInt32LE(at + 24),
        directory.readUInt32LE(at + 20),
        directory.readUInt32LE(at + 42),
      ])
      entries.push({
        name: nameOf(directory.subarray(at + 46, nameEnd)),
        method: directory.readUInt16LE(at + 10),
        encrypted: (directory.readUInt16LE(at + 8) & 1) !== 0,
        crc: directory.readUInt32LE(at + 16),
        packed,
        unpacked,
        offset,
      })
      at = extraEnd + directory.readUInt16LE(at + 32)
    }
    // If more of the directory followed, its entries would be lost silently.
    if (at !== directory.length) throw new BadArchive(damagedNote)
    return entries
  })

/** Reads the directory of an archive that is in memory. Throws `BadArchive`. */
export const zipDirectory = (bytes: Buffer): ReadonlyArray<ZipEntry> => {
  const { count, offset, size } = directoryPlace(bytes)
  return zipEntries(bytes.subarray(offset, offset + size), count)
}

/**
 * Whether packed data expands so much that the archive may be an attempt to fill the disk or the memory. Sizes are in
 * bytes.
 */
export const isSwollen = (packed: number, unpacked: number): boolean =>
  unpacked > limits.unpackedFreely && unpacked > packed * limits.ratio

/** Returns why such a workbook or other file is refused, as the end of a sentence. */
export const swollenNote = (what: "workbook" | "file"): string =>
  `unpacks to far more bytes than any ordinary ${what} of its size. If you trust it, ${
    what === "workbook" ? "save its sheet as CSV" : "unpack it and give the path of the file inside"
  }.`

/** Checks the sizes in the directory. Throws `BadArchive` if the archive would unpack to too much. */
const checkSizes = (entries: ReadonlyArray<ZipEntry>, packed: number): void => {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpacked, 0)
  if (unpacked > limits.unpacked) {
    const most = count(limits.unpacked)
    throw new BadArchive(
      `It unpacks to ${count(unpacked)} bytes, more than the limit of ${most}. Save its sheet as CSV.`,
    )
  }
  if (isSwollen(packed, unpacked)) {
    throw new BadArchive(`It ${swollenNote("workbook")}`)
  }
}

/** Returns the length in bytes of an entry's own header, which comes before the packed bytes. Undefined if there is no header. */
export const headerLength = (bytes: Buffer, at = 0): number | undefined =>
  at + 30 > bytes.length || bytes.readUInt32LE(at) !== 0x04034b50
    ? undefined
    : 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)

/**
 * Returns the offset of an entry's packed bytes. Undefined if the bytes or the entry's own header are missing, or if the header and the directory
 * disagree.
 */
export const packedStart = (bytes: Buffer, { method, name, offset, packed }: ZipEntry): number | undefined => {
  const header = headerLength(bytes, offset)
  if (header === undefined) return undefined
  const start = offset + header
  const nameEnd = offset + 30 + bytes.readUInt16LE(offset + 26)
  // If a name is damaged, an optional part of a workbook may seem to be missing, such as its shared strings or a sheet.
  return nameOf(bytes.subarray(offset + 30, nameEnd)) === name && bytes.readUInt16LE(offset + 8) === method
      && start + packed <= bytes.length
    ? start
    : undefined
}

/** Unpacks an entry. Refuses it if its content was damaged, or if its size is not as the directory says, because readers rely on that. */
export const unpack = (bytes: Buffer, entry: ZipEntry): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const bad = () => reject(new BadArchive(damagedNote))
    const start = packedStart(bytes, entry)
    if (start === undefined) return bad()
    const data = bytes.subarray(start, start + entry.packed)
    const sound = (content: Buffer) => content.length === entry.unpacked && crc32(content) === entry.crc
    if (entry.method === 0) return sound(data) ? resolve(data) : bad()
    if (entry.method !== 8) return bad()
    if (entry.unpacked === 0) return resolve(Buffer.alloc(0))
    inflateRaw(data, { maxOutputLength: entry.unpacked }, (error, unpacked) => {
      if (error === null && sound(unpacked)) resolve(unpacked)
      else bad()
    })
  })

/**
 * Verifies that each entry of an archive matches its directory. This is needed because xlsx, which unpacks the archive
 * again later, does not check sizes. Fails with `BadArchive`.
 *
 * @param see called with each entry
 */
export const proveArchive = async (bytes: Buffer, see: (name: string, content: Buffer) => void): Promise<void> => {
  const entries = zipDirectory(bytes)
  checkSizes(entries, bytes.length)
  for (const entry of entries) see(entry.name, await unpack(bytes, entry))
}
