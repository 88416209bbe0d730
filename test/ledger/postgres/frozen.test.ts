import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { vi } from "vitest"
import type { LedgerSession, MarkPlaces } from "../../../src/ledger/Ledger.ts"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import type { RowOutcome } from "../../../src/ledger/rows.ts"
import { isLong } from "../../long.ts"
import { batchOf, contacts, folder, imported, rowOf } from "../rows.ts"
import { newSchema } from "./connecting.ts"
import { openDelay, openLink } from "./link.ts"
import { initialised, ownServer, testServer, withoutPostgres } from "./server.ts"

const urlAt = (port: number) => `postgresql://formferry:formferry@127.0.0.1:${port}/postgres?sslmode=disable`

/** A ledger behind a link. */
const ledgerBehindLink = (marks: Omit<MarkPlaces, "ledger" | "write">) =>
  Effect.gen(function*() {
    const { port } = yield* Effect.promise(testServer)
    const link = yield* openLink(() => port, false)
    const ledger = yield* openLedger({
      url: urlAt(link.port),
      project: "tests",
      schema: newSchema(),
      key: "0123456789abcdef".repeat(4),
      marks: { ledger: "ledger1", ...marks, write: true },
      staleAfter: "1 hour",
    })
    return { ledger, link, view: yield* contacts(ledger) }
  })

/** Waits in real time, even while time is fake. */
const { setTimeout: inRealTime } = globalThis

/** Fails as an effect does after this many seconds. The time passes at once. */
const failsAfter = (seconds: number, work: Effect.Effect<unknown, { readonly message: string }>) =>
  Effect.promise(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      let message = ""
      const failed = Effect.runPromise(Effect.flip(work)).then((failure) => {
        message = failure.message
      })
      // The work goes on until it waits for the network.
      await new Promise((done) => inRealTime(done, 2_000))
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1)
      expect(message).toBe("")
      await vi.advanceTimersByTimeAsync(1)
      await failed
      return message
    } finally {
      vi.useRealTimers()
    }
  })

describe.skipIf(withoutPostgres)("a network that drops everything", () => {
  it.scopedLive("ends a read after two minutes, and a transaction after half a minute", () =>
    Effect.gen(function*() {
      const marks = { folders: [yield* folder] }
      const one = yield* ledgerBehindLink(marks)
      one.link.allow(0)
      expect(yield* failsAfter(120, one.view.counts)).toContain("the database did not answer for 120 seconds")
      const { ledger, link, view } = yield* ledgerBehindLink(marks)
      const session = yield* view.hold("run1")
      link.allow(0)
      expect(yield* failsAfter(30, session.intend(batchOf([rowOf(ledger, 1)])))).toContain(
        "the database is slow or does not answer: a transaction took longer than 30 seconds",
      )
      expect(session.holdsLock()).toBe(false)
    }))

  it.scopedLive("to the server of the marks ends a run before anything is sent", () =>
    Effect.gen(function*() {
      const second = yield* ownServer(newSchema(), [], initialised)
      const marksLink = yield* openLink(() => second.port, false)
      const { ledger, view } = yield* ledgerBehindLink({ folders: [], server: { url: urlAt(marksLink.port) } })
      const session = yield* view.hold("run1")
      marksLink.allow(0)
      expect(yield* failsAfter(30, session.intend(batchOf([rowOf(ledger, 1)])))).toMatch(
        /its mark in .* can't be written: the database did not answer for 30 seconds/,
      )
      expect(session.holdsLock()).toBe(false)
    }))
})

describe.skipIf(withoutPostgres)("a slow network", () => {
  it.scopedLive.runIf(isLong)(
    "costs many rows that a person changes few round trips, so that no transaction takes too long",
    () =>
      Effect.gen(function*() {
        // With a round trip for each row, each of these transactions would take longer than half a minute.
        const [count, delay] = [450, 70]
        const { port } = yield* Effect.promise(testServer)
        const network = yield* Effect.acquireRelease(
          Effect.promise(() => openDelay(port, delay)),
          ({ close }) => Effect.sync(close),
        )
        const [schema, marks] = [newSchema(), yield* folder]
        const openAt = (at: number) =>
          Effect.gen(function*() {
            const ledger = yield* openLedger({
              url: urlAt(at),
              project: "tests",
              schema,
              key: "0123456789abcdef".repeat(4),
              marks: { ledger: "ledger1", folders: [marks], write: true },
            })
            return { ledger, view: yield* contacts(ledger) }
          })
        const { ledger: near, view } = yield* openAt(port)
        const rows = Array.from({ length: count }, (_, at) => rowOf(near, at))
        const keys = rows.map(({ key }) => key)
        const send = (session: LedgerSession, some: typeof rows, outcomeOf: (row: number) => RowOutcome) =>
          Effect.forEach(
            Arr.chunksOf(some, 10),
            (ten) =>
              Effect.flatMap(
                session.intend(batchOf(ten)),
                (batch) => session.recordOutcomes(batch, ten.map(({ row }) => outcomeOf(row))),
              ),
            { concurrency: "unbounded", discard: true },
          )
        yield* Effect.scoped(Effect.gen(function*() {
          yield* send(yield* view.hold("run1"), rows, (row) => imported(`s${row}`))
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const changed = rows.map(({ row }) => ({
            ...rowOf(near, row, { content: `changed ${row}` }),
            replaces: `s${row}`,
          }))
          yield* send(yield* view.hold("run2"), changed, () => ({ _tag: "InDoubt", reason: "timeout" }))
        }))
        const { ledger, view: far } = yield* openAt(network.port)
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* far.hold("run3")
          const acknowledged = yield* session.acknowledge({ keys, because: "seen", by: "ada", leaveOut: false })
          expect(acknowledged).toEqual({ acknowledged: count, unknown: [] })
          yield* session.settleDoubts({
            by: "ada",
            because: "seen",
            file: undefined,
            rows: rows.map(({ keyDigest, row }) => ({
              keyDigest,
              outcome: { _tag: "Landed", submissionId: `t${row}` },
              reason: "",
              proof: "person",
            })),
          })
        }))
        const forgotten = yield* ledger.forget({ pipeline: "contacts", keys, by: "ada", because: "request 1" })
        expect(forgotten.submissions).toHaveLength(2 * count)
      }),
  )
})
