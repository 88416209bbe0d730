// Projects whose ledger can be moved between a file and a PostgreSQL server.
import { Effect, Stream } from "effect"
import { join } from "node:path"
import { marksFolder } from "../../src/domain/marks.ts"
import type { MarkPlaces } from "../../src/ledger/Ledger.ts"
import { type AnyLedgerOptions, openLedger } from "../../src/ledger/openLedger.ts"
import { newSecret } from "../../src/ledger/secret.ts"
import { adoptSecret } from "../../src/ledger/sqlite/secretFile.ts"
import { newSchema, urlOf } from "./postgres/connecting.ts"
import { batchOf, contacts, folder, imported, rowOf } from "./rows.ts"

export type Options = AnyLedgerOptions & { readonly marks: MarkPlaces }

/** A project that can have its ledger in files and in PostgreSQL, all with the same key. */
export const project = Effect.gen(function*() {
  const at = yield* folder
  const key = newSecret()
  const url = yield* urlOf()
  const among = join(at, "reports")
  const inFile = (name: string): Options => {
    const file = join(at, name, "ledger.db")
    return { file, marks: { ledger: file, folders: [marksFolder(file), among], write: true } }
  }
  const inPostgres = (): Options => ({
    url,
    project: "tests",
    schema: newSchema(),
    key,
    marks: { ledger: "in PostgreSQL", folders: [join(at, "shared"), among], write: true },
  })
  /** Gives a ledger marks in a folder of its own. */
  const marked = (options: Options, name: string): Options => ({
    ...options,
    marks: { ...options.marks, folders: [join(at, name)] },
  })
  /** Opens a ledger, which is created with the project's key. */
  const open = (options: Options) =>
    Effect.suspend(() => {
      if ("file" in options) adoptSecret(options.file, key)
      return openLedger(options)
    })
  return { at, inFile, inPostgres, marked, open }
})

export type Project = Effect.Effect.Success<typeof project>

/** Sends rows in one session, with every kind of outcome. The last batch stays open, as if the run was killed. */
export const fill = ({ open }: Project, options: Options, first: number, rows = 30) =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* open(options)
    const view = yield* contacts(ledger)
    const session = yield* view.hold(`run${first}`)
    yield* session.startRun({ run: `run${first}`, mode: "run", startedAt: "2026-01-02T03:04:05Z" })
    const send = (number: number) => session.intend(batchOf([rowOf(ledger, number)]))
    yield* Effect.forEach(
      Array.from({ length: rows - 1 }, (_, at) => first + at),
      (number) =>
        Effect.flatMap(send(number), (batch) =>
          session.recordOutcomes(batch, [
            number % 10 === 0
              ? { _tag: "InDoubt", reason: "timeout; ä\t\u{1f600}" }
              : number % 10 === 1
              ? { _tag: "Refused", message: "no", item: Buffer.from([0, 255, 7]), mapping: "m", form: "f" }
              : number % 10 === 2
              ? { _tag: "NotCreated" }
              : imported(`s${number}`),
          ])),
      { concurrency: 50 },
    )
    yield* session.acknowledge({ keys: [`key ${first}`], by: "a person", because: "seen", leaveOut: true })
    yield* ledger.turns.record("contacts", () => "taken")
    yield* send(first + rows - 1)
  }))

/** Returns all exported rows, and what `verify` finds. */
export const contentOf = ({ open }: Project, options: Options) =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* open(options)
    return {
      rows: Array.from(yield* Stream.runCollect(Stream.flattenIterables(ledger.exported([])))),
      findings: yield* ledger.verify,
    }
  }))
