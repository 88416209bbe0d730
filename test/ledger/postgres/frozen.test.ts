import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { setImmediate } from "node:timers/promises"
import { vi } from "vitest"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { batchOf, contacts, rowOf } from "../rows.ts"
import { newSchema } from "./connecting.ts"
import { openLink } from "./link.ts"
import { initialised, ownServer, testServer, withoutPostgres } from "./server.ts"

const urlAt = (port: number) => `postgresql://formferry:formferry@127.0.0.1:${port}/postgres?sslmode=disable`

/** A ledger behind a link, with its marks on a second server behind another link. */
const ledgerBehindLinks = Effect.gen(function*() {
  const [{ port }, second] = [yield* Effect.promise(testServer), yield* ownServer(newSchema(), [], initialised)]
  const [link, marksLink] = [yield* openLink(() => port, false), yield* openLink(() => second.port, false)]
  const ledger = yield* openLedger({
    url: urlAt(link.port),
    project: "tests",
    schema: newSchema(),
    key: "0123456789abcdef".repeat(4),
    marks: { ledger: "ledger1", folders: [], server: { url: urlAt(marksLink.port) }, write: true },
    staleAfter: "1 hour",
  })
  return { ledger, link, marksLink, view: yield* contacts(ledger) }
})

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
      for (const until = performance.now() + 2_000; performance.now() < until;) await setImmediate()
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
      const one = yield* ledgerBehindLinks
      one.link.allow(0)
      expect(yield* failsAfter(120, one.view.counts)).toContain("the database did not answer for 120 seconds")
      const { ledger, link, view } = yield* ledgerBehindLinks
      const session = yield* view.hold("run1")
      link.allow(0)
      expect(yield* failsAfter(30, session.intend(batchOf([rowOf(ledger, 1)])))).toContain(
        "the database did not answer for 30 seconds",
      )
      expect(session.held()).toBe(false)
    }))

  it.scopedLive("to the server of the marks ends a run before anything is sent", () =>
    Effect.gen(function*() {
      const { ledger, marksLink, view } = yield* ledgerBehindLinks
      const session = yield* view.hold("run1")
      marksLink.allow(0)
      expect(yield* failsAfter(30, session.intend(batchOf([rowOf(ledger, 1)])))).toMatch(
        /its mark in .* can't be written: the database did not answer for 30 seconds/,
      )
      expect(session.held()).toBe(false)
    }))
})
