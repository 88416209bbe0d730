import { Effect } from "effect"
import { statfsSync } from "node:fs"
import { LedgerError } from "../Ledger.ts"
import { mostLogBytes } from "./openDatabase.ts"

const mebibyte = 1024 * 1024

/** Bytes of an empty ledger and its log, and the most bytes of the log for each row, twice, until the log has its full length. */
const always = 8 * mebibyte
const logRowBytes = 16 * 1024

/**
 * Bytes of a row apart from its cells (keys, digests, indexes), and how many copies of its cells the ledger and the report contain: as cells, as an
 * item and in the log.
 */
const rowBytes = 600
const copies = 4

/** Returns the bytes that rows may take on the ledger's disk, given the bytes of their cells. */
export const neededRoom = (rows: number, bytes: number): number =>
  always + Math.min(mostLogBytes, rows * logRowBytes) + rows * rowBytes + bytes * copies

/** Returns the bytes that the disk of a folder has free for this process, or undefined if the system does not report it. */
export const freeSpace = (folder: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    // Some file systems without a size limit report zero for everything.
    return bsize === 0 || !Number.isFinite(free) ? undefined : free
  } catch {
    return undefined
  }
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte)} MiB`

/** Fails if the free bytes are too few for these rows. */
export const requireRoom = (
  file: string,
  free: number | undefined,
  rows: number,
  bytes: number,
): Effect.Effect<void, LedgerError> => {
  const needed = neededRoom(rows, bytes)
  if (free === undefined || free >= needed) return Effect.void
  const cause = new Error(
    `its disk has ${inMebibytes(free)} free, and ${rows} rows may need ${inMebibytes(needed)}. `
      + "Make room, then run again; nothing was sent",
  )
  return new LedgerError({ file, doing: "checking for free space", cause })
}
