import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit, Fiber, Option, Scope } from "effect"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { Draws } from "../../faults/Draws.ts"
import { seeds } from "../../long.ts"
import { random } from "../../random.ts"
import { batchOf, contacts, rowOf } from "../rows.ts"
import { newSchema } from "./connecting.ts"
import { openLink } from "./link.ts"
import { testServer, withoutPostgres } from "./server.ts"

const staleAfter = 60

/** How many seeds run at the same time, each in a ledger of its own. */
const lanes = 8

/** A host whose network can stop between any two messages. Without heartbeats, it is like a process that is suspended. */
const host = (schema: string, heartbeat: number) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    return yield* Scope.extend(
      Effect.gen(function*() {
        const { port } = yield* Effect.promise(testServer)
        const link = yield* openLink(() => port, true)
        const url = `postgresql://formferry:formferry@127.0.0.1:${link.port}/postgres?sslmode=disable`
        const marks = { ledger: "ledger1", folders: [], write: false }
        const key = "0123456789abcdef".repeat(4)
        const ledger = yield* openLedger({ url, project: "tests", schema, key, marks, staleAfter, heartbeat })
        // On a busy machine, the connection may be lost here, too. A new attempt is made only after a failure, not after a defect.
        const view = yield* Effect.catchAllDefect(contacts(ledger), Effect.fail)
        return { link, ledger, view, close: Scope.close(scope, Exit.void) }
      }),
      scope,
    ).pipe(Effect.tapError(() => Scope.close(scope, Exit.void)))
  })

type Host = Effect.Effect.Success<ReturnType<typeof host>>

/**
 * A host records an intent while another one takes the lock over. Their links stop and continue at random messages.
 *
 * @param isLate whether the first host sends a heartbeat just when its lock is taken over
 * @param row the number of the row that is intended
 */
const interleave = (first: Host, second: Host, isLate: boolean, seed: number, row: number) =>
  Effect.scoped(Effect.gen(function*() {
    const draws = new Draws(random(seed))
    const pause = (longest: number) => Effect.sleep(`${draws.int(0, longest)} millis`)
    const session = yield* first.view.hold("first")
    const isAfter = !isLate && draws.chance(0.25)
    first.link.allow(isLate ? Infinity : isAfter ? 0 : draws.int(0, 24))
    const intended = yield* Effect.fork(Effect.either(session.intend(batchOf([rowOf(first.ledger, row)]))))
    yield* Effect.sleep(`${staleAfter} millis`)
    second.link.allow(isLate ? draws.int(4, 14) : draws.int(0, 30))
    let isHeldTwice = false
    const taking = yield* Effect.fork(Effect.either(Effect.scoped(
      second.view.hold("second").pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            isHeldTwice = session.holdsLock()
          })
        ),
        Effect.retry({ while: ({ _tag }) => _tag === "LedgerLocked", times: 3 }),
      ),
    )))
    for (let turn = isLate || isAfter ? 0 : draws.int(0, 3); turn > 0; turn--) {
      yield* pause(12)
      ;(draws.chance(0.5) ? first : second).link.allow(draws.int(0, 12))
    }
    const [one, other] = isLate || isAfter || draws.chance(0.5) ? [second, first] : [first, second]
    yield* Effect.sleep(`${isLate ? 20 : 0} millis`)
    one.link.allow(Infinity)
    // If the other host is inside a transaction, the server ends it after 99 ms.
    if (isAfter) yield* Fiber.await(taking)
    else yield* pause(isLate ? 0 : 200)
    other.link.allow(Infinity)
    const [intent, takeover] = [yield* Fiber.join(intended), yield* Fiber.join(taking)]
    const failed = [...Option.toArray(Either.getLeft(intent)), ...Option.toArray(Either.getLeft(takeover))]
    return {
      isReported: Either.isRight(intent),
      isTakenOver: Either.isRight(takeover),
      isHeldTwice,
      hasFailed: failed.some(({ _tag }) => _tag === "LedgerError"),
    }
  }))

/** Interleaves with every nth seed, in a new ledger. */
const lane = (from: number, count: number) =>
  Effect.gen(function*() {
    const schema = newSchema()
    const hosts = new Map<string, Host>()
    const hostOf = (name: string, heartbeat: number) =>
      Effect.gen(function*() {
        const found = hosts.get(name) ?? (yield* host(schema, heartbeat))
        hosts.set(name, found)
        return found
      })
    const dropHosts = Effect.suspend(() => {
      const all = [...hosts.values()]
      hosts.clear()
      return Effect.forEach(all, ({ close }) => close, { discard: true })
    })
    const outcomes: Array<Effect.Effect.Success<ReturnType<typeof one>>> = []
    let attempts = 0
    const one = (seed: number) =>
      Effect.gen(function*() {
        // Each attempt has a row of its own, because a failed one may have left its intent.
        const row = attempts++
        const isLate = seed % 3 === 0
        const first = isLate ? yield* hostOf("late", staleAfter + 15) : yield* hostOf("suspended", 10_000)
        const outcome = yield* interleave(first, yield* hostOf("second", 10_000), isLate, seed, row)
        if (outcome.hasFailed) yield* dropHosts
        const { ledger, view } = yield* hostOf("second", 10_000)
        if (!outcome.isTakenOver) {
          yield* Effect.scoped(Effect.retry(view.hold("third"), { while: ({ _tag }) => _tag === "LedgerLocked" }))
        }
        const [known] = yield* view.lookUp([ledger.digest.key(`key ${row}`)])
        return { ...outcome, isCommitted: known !== undefined, isUnseen: known?.state === "intended" }
      })
    for (let seed = from; seed < count; seed += lanes) {
      // On a busy machine, a host may be too slow for its short time-outs before anything was interleaved.
      outcomes.push(yield* Effect.retry(Effect.tapError(one(seed), () => dropHosts), { times: 30 }))
    }
    yield* dropHosts
    return outcomes
  })

describe.skipIf(withoutPostgres)("the fence of a ledger in PostgreSQL", () => {
  it.scopedLive(
    "the next holder sees each intent that was committed, and no two hosts hold the lock, however a takeover interleaves with an intent",
    () =>
      Effect.gen(function*() {
        const count = seeds(16, 1_000)
        const found = yield* Effect.forEach(Array.from({ length: lanes }, (_, at) => at), (at) => lane(at, count), {
          concurrency: lanes,
        })
        const all = found.flat()
        const having = (isSuch: (one: (typeof all)[number]) => boolean) => all.filter(isSuch).length
        const early = having(({ isCommitted, isTakenOver }) => isTakenOver && isCommitted)
        const late = having(({ isCommitted, isTakenOver }) => isTakenOver && !isCommitted)
        process.stdout.write(
          `${all.length} interleavings: the takeover came after the intent in ${early}, before it in ${late}\n`,
        )
        expect(all.length).toBe(count)
        expect(having(({ isUnseen }) => isUnseen)).toBe(0)
        expect(having(({ isHeldTwice }) => isHeldTwice)).toBe(0)
        expect(having(({ isCommitted, isReported }) => isReported && !isCommitted)).toBe(0)
        // Both orders occurred.
        expect(early).toBeGreaterThan(0)
        expect(late).toBeGreaterThan(0)
      }),
    900_000,
  )
})
