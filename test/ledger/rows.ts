import { Effect, type Scope, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LedgerError } from "../../src/ledger/errors.ts"
import type { Ledger, PipelineLedger } from "../../src/ledger/Ledger.ts"
import type { Pages } from "../../src/ledger/pages.ts"
import type { AnswerDigests, IntendedRow } from "../../src/ledger/rows.ts"

/** A folder that is deleted when the scope closes. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledger-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

export const destination = { service: "https://forms.example.com/v1/api", form: "form1" }

export const contacts = (ledger: Ledger, pipeline = "contacts"): Effect.Effect<PipelineLedger> =>
  Effect.orDie(ledger.pipeline({ pipeline, destination, renamedFrom: undefined, alongside: [] }))

/** Returns a row as the import would intend it. */
export const rowOf = (
  ledger: Ledger,
  number: number,
  { content = `content ${number}`, key = `key ${number}`, supersedes = undefined as IntendedRow["supersedes"] } = {},
): IntendedRow => ({
  keyDigest: ledger.digest.key(key),
  key,
  row: number,
  content: ledger.digest.content([content]),
  supersedes,
  item: { questions: [{ id: "q1", value: content }] },
  cells: [key, content],
})

export const batchOf = (rows: ReadonlyArray<IntendedRow>, resend = false) => ({
  rows,
  resend,
  columns: ["Key", "Content"],
  contentColumns: ["Content"],
  mapping: "mapping1",
})

/** Converts answer digests from hexadecimal digits. */
export const digestsOf = (
  answers: Readonly<Record<string, { readonly sent?: string; readonly returned?: string }>>,
): AnswerDigests => {
  const bytes = (hex: string | undefined) => (hex === undefined ? undefined : Buffer.from(hex, "hex"))
  return new Map(
    Object.entries(answers).map(([id, { sent, returned }]) => [id, { sent: bytes(sent), returned: bytes(returned) }]),
  )
}

export const imported = (submissionId: string) =>
  ({ _tag: "Imported", submissionId, submissionTime: "2024-01-02T03:04:05.000Z" }) as const

/** Returns the first rows of a paged reading: at most one page, or all rows. */
export const listed = <K extends keyof Pages>(
  view: PipelineLedger,
  of: K,
  { limit = Infinity, ...choice }: Pages[K]["choice"] & { readonly after?: number; readonly limit?: number },
): Effect.Effect<ReadonlyArray<Pages[K]["row"]>, LedgerError> =>
  Effect.map(
    Stream.runCollect(Stream.take(
      Stream.flattenIterables(
        view.pages(of, { ...choice, size: Math.min(limit, 1_000) } as Parameters<PipelineLedger["pages"]>[1]),
      ),
      limit,
    )),
    (rows) => Array.from(rows),
  )
