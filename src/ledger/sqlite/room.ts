import * as Effect from "effect/Effect"
import { statfsSync } from "node:fs"
import { counted } from "../../domain/words.ts"
import { LedgerError } from "../errors.ts"
import { mostLogBytes } from "./openDatabase.ts"

const mebibyte = 1024 * 1024

/** The number of bytes of an empty ledger and its log, and twice the maximum that a row adds to the log. Once the log has its full length, rows no longer lengthen it. */
const always = 8 * mebibyte
const logRowBytes = 16 * 1024

/**
 * The size in bytes of what is stored for a row apart from its cells (keys, digests, indexes), and how many copies of its cells the ledger and the
 * report contain. The cells are stored as cells, as an item and in the log.
 */
const rowBytes = 600
const copies = 4

/** Returns how many bytes rows may need on the ledger's disk, given the bytes of their cells. */
export const neededRoom = (rows: number, bytes: number): number =>
  always + Math.min(mostLogBytes, rows * logRowBytes) + rows * rowBytes + bytes * copies

/** Returns how many bytes are free for this process on a file's disk, or undefined if the system does not report it. */
export const freeSpace = (file: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(file)
    const free = bavail * bsize
    // Some file systems without a size limit report zero for everything.
    return bsize === 0 || !Number.isFinite(free) ? undefined : free
  } catch {
    return undefined
  }
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte)} MiB`

/** Fails if there are too few free bytes for these rows. */
export const requireRoom = (
  file: string,
  free: number | undefined,
  rows: number,
  bytes: number,
): Effect.Effect<void, LedgerError> => {
  const needed = neededRoom(rows, bytes)
  if (free === undefined || free >= needed) return Effect.void
  const cause = new Error(
    `its disk has ${inMebibytes(free)} free, and ${counted(rows, "row")} may need ${
      inMebibytes(needed)
    }. Make room, then run again`,
  )
  return new LedgerError({ file, doing: "checking for free space", cause })
}
