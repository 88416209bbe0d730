import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { ownedFolder } from "../ledger/holder.ts"
import { LedgerError } from "../ledger/Ledger.ts"
import { copyLedger } from "../ledger/openLedger.ts"

/** Copies a ledger into a folder next to it, on its disk and for its owner only, that is removed when the scope closes, or by the next copy if the process is killed. Gives the copy's path. */
export const temporaryCopy = (ledger: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.dirname(ledger)
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    return yield* ownedFolder(folder, "rehearsal-")
  }).pipe(
    Effect.mapError((cause) => new LedgerError({ file: ledger, doing: "making room for a copy of it", cause })),
    Effect.flatMap((folder) => copyLedger(ledger, folder)),
  )
