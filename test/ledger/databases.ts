import { Effect } from "effect"
import type { Scope } from "effect"
import { createHash } from "node:crypto"
import type { Ledger, LedgerError, LedgerOptions, LedgerRefused } from "../../src/ledger/Ledger.ts"
import { marksFolder } from "../../src/ledger/marks.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { seeds } from "../long.ts"
import { urlOf } from "./postgres/connecting.ts"
import { withoutPostgres } from "./postgres/server.ts"

/** A database that can contain a ledger. */
interface Database {
  readonly name: string
  /** How many sequences of steps the model test tries. */
  readonly modelRuns: number
  /** Opens the ledger of a test. The file's path distinguishes it from the ledgers of other tests. */
  readonly openLedger: (options: LedgerOptions) => Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope>
}

const sqlite: Database = { name: "SQLite", modelRuns: 40, openLedger }

const postgres: Database = {
  name: "PostgreSQL",
  modelRuns: seeds(6, 40),
  openLedger: ({ file, ...options }) =>
    Effect.flatMap(urlOf(), (url) =>
      openLedger({
        ...options,
        marks: options.marks ?? { ledger: file, folders: [marksFolder(file)], write: true },
        url,
        project: "tests",
        schema: `ledger_${createHash("sha256").update(file).digest("hex").slice(0, 16)}`,
        key: "0123456789abcdef".repeat(4),
      })),
}

/** The databases in which every test of the ledger's rules runs. */
export const databases: ReadonlyArray<Database> = withoutPostgres ? [sqlite] : [sqlite, postgres]
