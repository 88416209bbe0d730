import { Effect } from "effect"
import { LedgerError } from "../ledger/Ledger.ts"
import { mostLogBytes } from "../ledger/sqlite/openDatabase.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"

const mebibyte = 1024 * 1024

/** What an empty ledger and its log take; and what the log takes for each row, at most and twice, until it is as long as it gets. */
const always = 8 * mebibyte
const logRowBytes = 16 * 1024

/** What a row takes beside its cells: keys, digests, indexes; and how often its cells stand in ledger and report, as cells, as an item and in the log. */
const rowBytes = 600
const copies = 4

/** Bytes that a run's rows may take on the ledger's disk. */
export const neededRoom = (rows: number, read: number, sourceBytes: number): number =>
  always + Math.min(mostLogBytes, rows * logRowBytes) + rows * rowBytes
  + (read === 0 ? 0 : Math.ceil((sourceBytes / read) * rows * copies))

/** Fails when the ledger's disk has no room for what is about to be sent: without the ledger the run would have to stop in the middle. Nothing was sent then. */
export const roomForLedger = (
  run: Pick<RunContext, "ledger" | "limit">,
  survey: Survey,
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function*() {
    const rows = Math.min(run.limit ?? Number.POSITIVE_INFINITY, survey.fates.count("pending"))
    if (rows === 0) return
    const bytes = survey.files.reduce((sum, { file }) => sum + file.bytes, 0)
    const needed = neededRoom(rows, survey.read, bytes)
    const free = yield* run.ledger.freeSpace
    if (free === undefined || free >= needed) return
    const cause = new Error(
      `its disk has ${shown(free)} free, and ${rows} rows may need ${
        shown(needed)
      }. Make room, then run again; nothing was sent`,
    )
    return yield* new LedgerError({ file: run.ledger.file, doing: "looking for room", cause })
  })

const shown = (bytes: number): string => `${Math.ceil(bytes / mebibyte)} MiB`
