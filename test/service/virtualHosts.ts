// Hosts that share a rate, in virtual time. The leases are the real ones of a PostgreSQL server, which takes its time from a table.
import { Effect, Utils } from "effect"
import { setImmediate } from "node:timers/promises"
import type { SharedRate } from "../../src/domain/sharedRate.ts"
import { ownTables, tablesOf } from "../../src/ledger/postgres/dialect.ts"
import { openRate } from "../../src/ledger/postgres/rate.ts"
import { SharedPace } from "../../src/service/SharedPace.ts"
import { connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"
import type { Limiter } from "./limiters.ts"

/** A host that sends requests as fast as its pace allows. Spans and times are in milliseconds. */
interface Host {
  /** The account whose rate the host uses. Default: the same for all. */
  readonly account?: string
  readonly configured: number
  readonly concurrency?: number
  /** When the host is killed. Default: never. */
  readonly killedAt?: number
  /** When the host stops without noticing it, and when it continues. */
  readonly stopped?: readonly [from: number, until: number]
  /** How much its clock is ahead, and by how much it runs too fast. */
  readonly clock?: readonly [ahead: number, share: number]
}

interface World {
  readonly hosts: ReadonlyArray<Host>
  readonly limiter: (now: number, host: number) => ReturnType<ReturnType<Limiter>>
  /** The headers of an answer with a status that means success. Default: none. */
  readonly headers?: (now: number, host: number) => Record<string, string>
  readonly until: number
  /** The shortest time between a host and the service or the database, in one direction, and the longest random addition. */
  readonly toService: readonly [least: number, more: number]
  readonly toDatabase: readonly [least: number, more: number]
  /** The share of a host's actions that are late, and by how much at most. */
  readonly late: readonly [share: number, most: number]
  /** The share of requests that arrive later than that, and by how much at most. Default: none. */
  readonly slow?: readonly [share: number, most: number]
  /** By how much later an answer may come, because the service works on it. Default: 0. */
  readonly slowAnswers?: number
  readonly seed: number
}

interface Arrival {
  readonly host: number
  readonly at: number
  readonly isAccepted: boolean
}

/** Plays a world. Returns the requests in the order of their arrival. */
export const playHosts = (
  { headers = () => ({}), hosts, late, limiter, seed, slow = [0, 0], slowAnswers = 0, toDatabase, toService, until }:
    World,
): Effect.Effect<ReadonlyArray<Arrival>> =>
  Effect.scoped(Effect.gen(function*() {
    const url = yield* urlOf()
    const schema = newSchema()
    const key = "ab".repeat(32)
    const admin = yield* connected(url, schema)
    yield* Effect.promise(() =>
      admin.exec(
        `CREATE SCHEMA ${schema}; ${
          tablesOf(ownTables)
        } CREATE TABLE virtual (now DOUBLE PRECISION); INSERT INTO virtual VALUES (0)`,
      )
    )
    yield* Effect.addFinalizer(() => Effect.promise(() => admin.exec(`DROP SCHEMA ${schema} CASCADE`)))
    const rates = yield* Effect.forEach(
      hosts,
      ({ account = "account" }) =>
        openRate({ url, schema, key }, { address: account, secret: "key" }, "(SELECT now FROM virtual)"),
    )

    const random = new Utils.PCGRandom(seed)
    const between = ([least, more]: readonly [number, number]) => least + random.number() * more
    const events: Array<{ readonly at: number; readonly run: () => unknown }> = []
    let now = 0
    const schedule = (at: number, run: () => unknown) => {
      const index = events.findLastIndex((one) => one.at <= at)
      events.splice(index + 1, 0, { at, run })
    }
    const arrivals: Array<Arrival> = []

    const start = (
      { clock: [ahead, drift] = [0, 0], concurrency = 8, configured, killedAt = Infinity, stopped = [Infinity, 0] }:
        Host,
      index: number,
      real: SharedRate,
    ) => {
      const own = () => now * (1 + drift) + ahead
      /** Does something on the host, unless the host was killed. If the host is stopped, waits until it continues. */
      const act = (at: number, run: () => void) =>
        schedule(at + (random.number() < late[0] ? random.number() * late[1] : 0), () => {
          if (now >= killedAt) return
          if (now >= stopped[0] && now < stopped[1]) return schedule(stopped[1], run)
          return run()
        })
      const rate: SharedRate = {
        lease: (request) =>
          new Promise((resolve) => {
            schedule(now + between(toDatabase), async () => {
              await admin.send("UPDATE virtual SET now = $1", [now])
              const answer = await real.lease(request)
              act(now + between(toDatabase), () => resolve(answer))
            })
          }),
      }
      const pace = new SharedPace(configured, rate, own)
      let inFlight = 0
      let wakeAt = Infinity
      const pump = () => {
        while (inFlight < concurrency) {
          const sentAt = own()
          const wait = pace.take(sentAt, concurrency - inFlight)
          if (wait > 0) {
            if (now + wait >= wakeAt) return
            const at = now + wait
            wakeAt = at
            act(at, () => {
              if (wakeAt === at) wakeAt = Infinity
              pump()
            })
            return
          }
          inFlight++
          const slower = random.number() < slow[0] ? random.number() * slow[1] : 0
          schedule(now + between(toService) + slower, () => {
            const { allowed, wait } = limiter(now, index)
            arrivals.push({ host: index, at: now, isAccepted: allowed })
            act(now + between(toService) + random.number() * slowAnswers, () => {
              inFlight--
              const waits = { "retry-after": String(Math.ceil(wait / 1_000)) }
              pace.observe(allowed ? 200 : 429, allowed ? headers(now, index) : waits, sentAt, own())
              pump()
            })
          })
        }
      }
      pace.onChange(pump)
      act(random.number() * 10, pump)
    }
    hosts.forEach((host, index) => {
      const rate = rates[index]
      if (rate !== undefined) start(host, index, rate)
    })

    yield* Effect.promise(async () => {
      for (let next = events.shift(); next !== undefined && next.at < until; next = events.shift()) {
        now = next.at
        await next.run()
        // What a host does with an answer of the database takes several turns.
        await setImmediate()
      }
    })
    return arrivals
  })).pipe(Effect.orDie)

/** Returns the largest number of accepted requests within one second. */
export const mostInASecond = (arrivals: ReadonlyArray<Pick<Arrival, "at" | "isAccepted">>): number => {
  const times = arrivals.filter(({ isAccepted }) => isAccepted).map(({ at }) => at)
  let first = 0
  return times.reduce((most, at, index) => {
    while ((times[first] ?? at) <= at - 1_000) first++
    return Math.max(most, index - first + 1)
  }, 0)
}
