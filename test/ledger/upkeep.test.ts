// Tests the ledger's size over the years.
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { LockHolder, ownedName } from "../../src/ledger/holder.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { databaseOf } from "../../src/ledger/openLedger.ts"
import { keptRuns } from "../../src/ledger/sql/standing.ts"
import { isLong } from "../long.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

const counts = {
  rows: { read: 1_000, alreadyImported: 1_000 },
  readBack: { verified: 0, differing: 0, missing: 0, unread: 0 },
  mapping: "m".repeat(64),
}

/** Simulates a night without new rows. Two records are written at the same time, so that they share a commit. */
const night = (session: LedgerSession, nth: number, outcome: "complete" | "attention" = "complete") => {
  const run = `night ${nth}`
  return Effect.all([
    session.startRun({ run, mode: "run", startedAt: `2026-01-01T00:00:${nth}Z` }),
    session.finishRun({ run, finishedAt: "2026-01-01T00:01:00Z", outcome, exitCode: 0, counts }),
  ], { concurrency: "unbounded" })
}

describe.each(databases)("a ledger in $name", ({ exec, name, openLedger, optionsOf }) => {
  const isFile = name === "SQLite"

  it.scopedLive.runIf(isLong)(
    "200 nights of an unchanged source of 1,000 rows leave the ledger as large as after the first hundred",
    () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const ledger = yield* openLedger({ file })
        const view = yield* contacts(ledger)
        const nights = (from: number, to: number) =>
          Effect.scoped(Effect.gen(function*() {
            const session = yield* view.hold("nights")
            for (let nth = from; nth <= to; nth++) yield* night(session, nth)
          }))
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* view.hold("first")
          yield* Effect.forEach(Array.from({ length: 100 }, (_, at) => at), (at) =>
            Effect.gen(function*() {
              const rows = Array.from({ length: 10 }, (_, one) => rowOf(ledger, at * 10 + one))
              const batch = yield* session.intend(batchOf(rows))
              yield* session.recordOutcomes(batch, rows.map(({ row }) => imported(`submission ${row}`)))
              yield* session.recordVerdicts(
                rows.map(({ keyDigest }) => ({ keyDigest, verdict: "verified", answers: new Map() })),
              )
            }), { concurrency: "unbounded" })
        }))
        // Compacting empties the log, so that only the remaining data is compared.
        const first = (yield* ledger.compact).after
        yield* nights(1, keptRuns + 20)
        const hundred = (yield* ledger.compact).after
        yield* nights(keptRuns + 21, 200)
        const { after, runs } = yield* ledger.compact
        expect({ after, runs }).toEqual({ after: hundred, runs: 0 })
        expect(hundred - first).toBeLessThan(60_000)
        expect((yield* view.runs({ limit: 1_000 })).length).toBe(keptRuns)
        expect((yield* view.standing).imported).toBe(1_000)
        expect(yield* ledger.verify).toEqual([])
      }),
  )

  it.scopedLive("a run ends normally if records of old runs can't be deleted", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const view = yield* contacts(yield* openLedger({ file }))
      yield* exec(
        file,
        isFile
          ? "CREATE TRIGGER keep BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'kept'); END"
          : "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''kept''; END'; CREATE TRIGGER keep BEFORE DELETE ON run FOR EACH ROW EXECUTE FUNCTION keep()",
      )
      const session = yield* view.hold("nights")
      for (let nth = 1; nth <= keptRuns + 2; nth++) yield* night(session, nth)
      const runs = yield* view.runs({ limit: 1_000 })
      expect(runs).toHaveLength(keptRuns + 2)
      expect(runs.every(({ outcome }) => outcome === "complete")).toBe(true)
    }))

  // PostgreSQL reuses space by its own vacuum.
  it.scopedLive.runIf(isFile)(
    "verified rows free space for the next rows, so an import leaves little to compact",
    () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const answers = digestsOf({ q1: { sent: "aa".repeat(16) } })
        yield* Effect.scoped(Effect.gen(function*() {
          const ledger = yield* openLedger({ file })
          const session = yield* (yield* contacts(ledger)).hold("import")
          for (let nth = 0; nth < 200; nth++) {
            const rows = Array.from(
              { length: 10 },
              (_, one) => rowOf(ledger, nth * 10 + one, { content: `${nth * 10 + one} `.repeat(200) }),
            )
            const batch = yield* session.intend(batchOf(rows))
            yield* session.recordOutcomes(batch, rows.map(({ row }) => imported(`submission ${row}`)))
            yield* session.recordVerdicts(rows.map(({ keyDigest }) => ({ keyDigest, verdict: "verified", answers })))
          }
        }))
        const imports = statSync(file).size
        const ledger = yield* openLedger({ file })
        const { after } = yield* ledger.compact
        expect(imports / after).toBeLessThan(1.5)
        expect(yield* listed(yield* contacts(ledger), "sent", { limit: 1 })).toMatchObject([{ answers }])
        expect(yield* ledger.verify).toEqual([])
      }),
  )

  it.scopedLive("the newest 100 runs are kept, and the last good run, however many bad runs follow", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const ledger = yield* openLedger({ file })
      const view = yield* contacts(ledger)
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* view.hold("night 1")
        yield* night(session, 1)
        yield* Effect.forEach(
          Array.from({ length: 150 }, (_, nth) => nth + 2),
          (nth) => night(session, nth, "attention"),
          {
            concurrency: "unbounded",
          },
        )
      }))
      const kept = yield* view.runs({ limit: 1_000 })
      expect(kept.filter(({ outcome }) => outcome === "complete").map(({ run }) => run)).toEqual(["night 1"])
      const newest = Array.from({ length: 100 }, (_, nth) => `night ${nth + 52}`)
      expect(kept.map(({ run }) => run).toSorted()).toEqual(["night 1", ...newest].toSorted())
    }))

  it.scopedLive.runIf(isFile || isLong)(
    "no byte of hundreds of forgotten rows is left in a file or its log, and the other rows are intact",
    () =>
      Effect.gen(function*() {
        const file = join(yield* folder, "ledger.db")
        const ledger = yield* openLedger({ file })
        const view = yield* contacts(ledger)
        const marked = (number: number) => number % 3 === 0
        const skipped = "Marker never sent"
        const keyOf = (number: number) => `${marked(number) ? "Marker" : "key"} ${number}`
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* view.hold("first")
          // The rows are written together, so that they share commits.
          yield* Effect.forEach(Array.from({ length: 60 }, (_, at) => at), (at) =>
            Effect.gen(function*() {
              const rows = Array.from({ length: 10 }, (_, one) => {
                const number = at * 10 + one
                // Some texts are so long that they fill whole pages.
                const content = `${marked(number) ? "Marker" : "other"} ${number} `.repeat(number % 7 === 0 ? 600 : 20)
                return rowOf(ledger, number, { key: keyOf(number), content })
              })
              const batch = yield* session.intend(batchOf(rows))
              yield* session.recordOutcomes(
                batch,
                rows.map(({ cells, row }) =>
                  row % 5 === 0
                    ? {
                      _tag: "Refused" as const,
                      message: `${cells[0]} is no good`,
                      item: Buffer.alloc(16),
                      mapping: "mapping1",
                      form: "form1",
                    }
                    : imported(`submission ${row}`)
                ),
              )
              yield* session.recordVerdicts(
                rows.filter(({ row }) => row % 5 !== 0)
                  .map(({ keyDigest }) => ({
                    keyDigest,
                    verdict: "differing" as const,
                    answers: digestsOf({ q1: { sent: "00ff" } }),
                  })),
              )
            }), { concurrency: "unbounded" })
          yield* session.recordFacts({
            attention: [{ key: skipped, row: 1, content: Buffer.alloc(16), columns: [], fate: "invalid" }],
          })
          yield* session.acknowledge({ keys: [skipped], because: "seen", by: "a test", leaveOut: true })
          yield* session.acknowledge({ keys: "all", because: "seen", by: "a test", leaveOut: false })
        }))
        const all = Array.from({ length: 600 }, (_, number) => number)
        const digests = yield* view.lookUp(all.map((number) => ledger.digest.key(keyOf(number))))
        const contents = digests.flatMap((
          known,
          number,
        ) => (known !== undefined && marked(number) ? [known.content] : []))
        // A different test examines the files of a PostgreSQL server.
        const bytes = () => Buffer.concat(isFile ? ["", "-wal"].map((end) => readFileSync(file + end)) : [])
        expect(contents).toHaveLength(200)
        expect(contents.every((content) => bytes().includes(content))).toBe(isFile)
        expect(bytes().includes("Marker")).toBe(isFile)

        expect(yield* view.skippedKeys).toEqual([skipped])
        const keys = [...all.filter(marked).map(keyOf), skipped]
        const done = yield* ledger.forget({ pipeline: "contacts", keys, by: "a test", because: "requests 1 to 200" })
        expect(done.keys).toEqual(keys)
        expect(done.submissions).toHaveLength(160)
        expect(bytes().includes("Marker")).toBe(false)
        expect(contents.some((content) => bytes().includes(content))).toBe(false)
        expect(yield* ledger.verify).toEqual([])
        const left = yield* view.lookUp(all.map((number) => ledger.digest.key(keyOf(number))))
        expect(left.map((known) => known?.leftOut)).toEqual(all.map(marked))
        expect((yield* view.standing).verdicts.differing).toBe(320)
        // An export of the results may contain these submissions or not, because they belong to no row.
        const ids = yield* listed(view, "submissions", { limit: 10_000 })
        expect([ids.length, ids.filter(({ isRequired }) => isRequired).length]).toEqual([480, 320])
        const paged = yield* listed(view, "submissions", { limit: 300 })
        const rest = yield* listed(view, "submissions", { after: paged.at(-1)?.at ?? 0, limit: 300 })
        expect([...paged, ...rest].map(({ id }) => id).toSorted()).toEqual(ids.map(({ id }) => id).toSorted())
      }),
  )

  it.scopedLive("forgetting removes the copies of killed rehearsals, and names the copy of one in progress", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const file = join(at, "ledger.db")
      const options = yield* optionsOf({ file })
      const ledger = yield* openLedger({ file })
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* (yield* contacts(ledger)).hold("first")
        const batch = yield* session.intend(batchOf([rowOf(ledger, 1)]))
        yield* session.recordOutcomes(batch, [imported("submission 1")])
      }))
      const me = LockHolder.defaultValue()()
      const killed = "schema" in options
        ? `${options.schema}_rehearsal_killed`
        : join(at, `${ownedName("rehearsal-", { ...me, pid: 2 ** 22 + 1 })}.abc`)
      const isThere = "schema" in options
        ? Effect.map(Effect.exit(exec(file, `ALTER SCHEMA ${killed} OWNER TO CURRENT_USER`)), Exit.isSuccess)
        : Effect.sync(() => existsSync(killed))
      const forget = ledger.forget({ pipeline: "contacts", keys: ["key 1"], by: "a test", because: "request 1" })
      const busy = yield* Effect.scoped(Effect.gen(function*() {
        const copy = yield* databaseOf(options).copy
        if ("schema" in options) {
          const comment = `Temporary copy of the schema ${options.schema} for a rehearsal of formferry`
          yield* exec(file, `CREATE SCHEMA ${killed}; COMMENT ON SCHEMA ${killed} IS '${comment}'`)
        } else mkdirSync(killed)
        expect(yield* isThere).toBe(true)
        const { busy } = yield* forget
        expect(busy?.message).toContain("schema" in copy ? copy.schema : dirname(copy.file))
        return busy
      }))
      expect(busy?.message).toContain("If it has ended, delete the copy. Then run the command again.")
      expect(yield* isThere).toBe(false)
      expect((yield* forget).busy).toBe(undefined)
    }))
})
