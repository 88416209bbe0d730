import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ownTables, tablesOf } from "../../../src/ledger/postgres/dialect.ts"
import { openRate } from "../../../src/ledger/postgres/rate.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

const key = "ab".repeat(32)
const account = { address: "https://forms.example.com", secret: "key" }
const one = { slots: 1, interval: 100, delay: 0, state: "first", isChanged: false }

/** A schema with the ledger's own tables, and a time that the test sets. */
const rates = Effect.gen(function*() {
  const url = yield* urlOf()
  const schema = newSchema()
  const admin = yield* connected(url, schema)
  const exec = (sql: string) => Effect.promise(() => admin.exec(sql))
  const create = exec(`CREATE SCHEMA IF NOT EXISTS ${schema}; ${tablesOf(ownTables)}`)
  yield* exec(
    `CREATE SCHEMA ${schema}; CREATE TABLE virtual (now DOUBLE PRECISION); INSERT INTO virtual VALUES (1000000)`,
  )
  const open = (of = account, ledgerKey = key) =>
    Effect.map(
      openRate({ url, schema, key: ledgerKey }, of, "(SELECT now FROM virtual)"),
      ({ lease }) => (request: Partial<typeof one> = {}) => Effect.promise(() => lease({ ...one, ...request })),
    )
  return { create, open, setTime: (now: number) => exec(`UPDATE virtual SET now = ${now}`) }
})

describe.skipIf(withoutPostgres)("the rate of an account in PostgreSQL", () => {
  it.scopedLive("leases no slot twice, and none in the past or before the delay", () =>
    Effect.gen(function*() {
      const { create, open, setTime } = yield* rates
      yield* create
      const [a, b] = [yield* open(), yield* open()]
      expect(yield* a({ slots: 3, delay: 20 })).toEqual({ now: 1e6, from: 1e6 + 20, used: 3, newer: undefined })
      // A host's first lease only returns the state, if there is one.
      expect(yield* b()).toMatchObject({ newer: "first" })
      expect(yield* b({ slots: 2 })).toMatchObject({ from: 1e6 + 320, newer: undefined, used: 5 })
      expect(yield* a({ slots: 0 })).toMatchObject({ now: 1e6, newer: undefined, used: 5 })
      expect(yield* a()).toMatchObject({ from: 1e6 + 520 })
      yield* setTime(1e6 + 5_000)
      expect(yield* a({ delay: 10 })).toMatchObject({ now: 1e6 + 5_000, from: 1e6 + 5_010 })
    }))

  it.scopedLive("leases nothing to a host that doesn't know what another one has changed", () =>
    Effect.gen(function*() {
      const { create, open } = yield* rates
      yield* create
      const [a, b] = [yield* open(), yield* open()]
      yield* a()
      yield* b()
      yield* a({ state: "paused", isChanged: true })
      expect(yield* b({ state: "other", isChanged: true })).toMatchObject({ newer: "paused", used: 2 })
      expect(yield* b({ state: "both", isChanged: true })).toMatchObject({ from: 1e6 + 200, newer: undefined })
      expect(yield* a()).toMatchObject({ newer: "both" })
    }))

  it.scopedLive("is not shared by accounts with a different address or secret, or by ledgers with a different key", () =>
    Effect.gen(function*() {
      const { create, open } = yield* rates
      yield* create
      yield* (yield* open())({ slots: 50 })
      for (
        const other of [
          yield* open({ ...account, address: "https://forms.example.org" }),
          yield* open({ ...account, secret: "other key" }),
          yield* open(account, "cd".repeat(32)),
        ]
      ) {
        expect(yield* other()).toMatchObject({ from: 1e6, used: 1, newer: undefined })
      }
    }))

  it.scopedLive("forgets a state after an hour, and slots far ahead after the server's clock was set back", () =>
    Effect.gen(function*() {
      const { create, open, setTime } = yield* rates
      yield* create
      yield* (yield* open())({ state: "old", slots: 10 })
      yield* setTime(1e6 - 900_000)
      const b = yield* open()
      yield* b()
      expect(yield* b()).toMatchObject({ from: 1e6 - 900_000 })
      yield* setTime(1e6 + 3_600_000)
      expect(yield* (yield* open())({ state: "new" })).toMatchObject({ from: 1e6 + 3_600_000, newer: undefined })
      expect(yield* b()).toMatchObject({ newer: "new" })
    }))

  it.scopedLive("is counted by the host itself until there is a ledger", () =>
    Effect.gen(function*() {
      const { create, open } = yield* rates
      const a = yield* open()
      const first = yield* a({ slots: 10 })
      expect(yield* a()).toMatchObject({ from: first.from + 1_000, newer: undefined })
      yield* create
      expect(yield* a()).toMatchObject({ from: 1e6, newer: undefined })
    }))
})
