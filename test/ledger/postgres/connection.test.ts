import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { vi } from "vitest"
import { addressIn } from "../../../src/ledger/postgres/address.ts"
import { ledgerError } from "../../../src/ledger/postgres/failures.ts"
import { changeRights, connected, newSchema, urlOf } from "./connecting.ts"
import { testServer, withoutPostgres } from "./server.ts"

const failure = (url: string) =>
  Effect.map(
    Effect.flip(Effect.scoped(connected(url))),
    ({ _tag, message }) => `${_tag}: ${message}`,
  )

it.scopedLive.skipIf(withoutPostgres)("a user's default time-outs don't end a session", () =>
  Effect.gen(function*() {
    const user = newSchema()
    const admin = yield* connected(yield* urlOf())
    const timeouts = ["statement_timeout", "idle_session_timeout", "transaction_timeout"]
    // Servers before 17 have no `transaction_timeout`.
    const { rows } = yield* Effect.promise(() =>
      admin.send("SELECT name FROM pg_settings WHERE name = ANY ($1)", [`{${timeouts.join()}}`])
    )
    const set = rows.map(([name]) => `ALTER ROLE ${user} SET ${String(name)} = '200ms'`)
    yield* Effect.promise(() => admin.exec([`CREATE ROLE ${user} LOGIN PASSWORD 'x'`, ...set].join("; ")))
    const connection = yield* connected(yield* urlOf({ user: `${user}:x` }))
    yield* Effect.promise(() => connection.send("SELECT pg_sleep(0.4)"))
    yield* Effect.sleep("400 millis")
    expect((yield* Effect.promise(() => connection.send("SELECT 1"))).rows).toEqual([[1]])
  }))

describe("a ledger's url", () => {
  const faulty = {
    "mysql://localhost/db": "is not the address of one PostgreSQL database",
    "db.example.com": "is not the address of one",
    "postgresql://a:5432,b:5432/db": "is not the address of one",
    "postgresql://a/%zz": "is not the address of one",
    "postgresql://a/db?sslmode=perhaps": "an unknown value of sslmode, or the variable PGSSLMODE has. Expected disable",
    "postgresql://a/db?sslmode=allow": "an unknown value of sslmode",
    "postgresql://a/db?sslmode=verify-ca&sslrootcert=system":
      "has sslrootcert=system with sslmode=verify-ca, itself or in variables. Only verify-full is possible with it",
    "postgresql://a/db?sslmod=require": "the parameter sslmod, which is not supported",
    "postgresql://a/db?sslmode=verify-full&sslrootcert=/no/such": "sslrootcert that can't be read: it does not exist",
  }
  it.effect.each(Object.entries(faulty))(
    "%s is refused, and the message does not repeat it",
    ([url, expected]) =>
      Effect.gen(function*() {
        const message = yield* failure(String(url))
        expect(message).toContain("LedgerRefused: ")
        expect(message).toContain(expected)
        expect(message).not.toContain(url)
      }),
  )

  it("contains the parts of an address, encoded or as parameters", () => {
    expect(addressIn("postgresql://us%40er:p%2Fw@[::1]:5433/d%20b?sslmode=disable")).toMatchObject({
      host: "::1",
      port: 5433,
      database: "d b",
      user: "us@er",
      password: "p/w",
      tls: [false],
    })
    expect(addressIn("postgres:///db?host=/run/postgresql&user=ada&sslmode=require")).toMatchObject({
      host: "/run/postgresql",
      user: "ada",
      password: undefined,
      tls: [false],
    })
  })

  it("is completed by libpq's variables, which a parameter overrides", () => {
    const url = "postgresql:///db"
    const address = (env: Readonly<Record<string, string>>, more = "") => addressIn(`${url}${more}`, "url", env)
    expect(address({})).toMatchObject({ tls: [{ rejectUnauthorized: false }, false], patience: 10_000 })
    const verified = [{ rejectUnauthorized: true }]
    expect(address({ PGHOST: "db", PGSSLMODE: "verify-full", PGCONNECT_TIMEOUT: "3" })).toMatchObject({
      host: "db",
      tls: verified,
      patience: 3_000,
    })
    expect(address({ PGSSLMODE: "verify-full" }, "?sslmode=disable")).toMatchObject({ tls: [false] })
    expect(address({ PGSSLROOTCERT: "system" })).toMatchObject({ tls: verified })
    expect(address({ PGSSLMODE: "", PGHOST: "/run/postgresql" })).toMatchObject({ tls: [false] })
    for (const env of [{ PGSSLMODE: "allow" }, { PGSSLMODE: "require", PGSSLROOTCERT: "system" }]) {
      expect(address(env)).toMatchObject({ _tag: "LedgerRefused", message: expect.stringContaining("variable") })
    }
  })
})

describe.skipIf(withoutPostgres)("a connection", () => {
  it.scopedLive("returns booleans as numbers, numbers as numbers and bytes as bytes, as SQLite does", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* urlOf())
      const { rows } = yield* Effect.promise(() =>
        connection.send("SELECT true, false, 1, 9007199254740991::int8, 1.5::numeric, $1::bytea, 'a', NULL", [
          Buffer.from([0, 255]),
        ])
      )
      expect(rows).toEqual([[1, 0, 1, 9007199254740991, 1.5, Buffer.from([0, 255]), "a", null]])
    }))

  it.scopedLive("that is stopped inside a transaction keeps others waiting for three seconds at most", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* urlOf())
      const { rows } = yield* Effect.promise(() => connection.send("SHOW idle_in_transaction_session_timeout"))
      expect(rows).toEqual([["3s"]])
    }))

  it.scopedLive("sends statements at once, without waiting for the results of earlier ones", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* urlOf())
      const order: Array<number> = []
      yield* Effect.promise(() =>
        Promise.all([1, 2, 3].map(async (number) => {
          const sent = connection.send("SELECT $1::int", [number])
          order.push(number)
          const { rows } = await sent
          order.push(Number(rows[0]?.[0]) * 10)
        }))
      )
      expect(order).toEqual([1, 2, 3, 10, 20, 30])
    }))

  it.scopedLive("prepares different statements under different names, so that a pooler that lends connections can't run a wrong one", () =>
    Effect.gen(function*() {
      const url = yield* urlOf()
      const prepared = yield* Effect.forEach(["1", "2"], (number) =>
        Effect.gen(function*() {
          const connection = yield* connected(url)
          yield* Effect.promise(() => connection.send(`SELECT ${number}`))
          const { rows } = yield* Effect.promise(() =>
            connection.send("SELECT name, statement FROM pg_prepared_statements ORDER BY statement")
          )
          return rows
        }))
      const [[one, looking] = [], [two, again] = []] = prepared
      expect(one?.[0]).not.toEqual(two?.[0])
      expect(looking).toEqual(again)
    }))

  it.scopedLive("says that a pooler needs session pooling if a prepared statement is missing, or is already there", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* urlOf())
      const send = (sql: string) =>
        Effect.promise(() => connection.send(sql).catch((cause: unknown) => ledgerError("ledger1", "testing")(cause)))
      yield* send("SELECT 1")
      yield* Effect.promise(() => connection.exec("DEALLOCATE ALL; PREPARE again AS SELECT 2"))
      const failures = [yield* send("SELECT 1"), yield* send("PREPARE again AS SELECT 2")]
      for (const failure of failures) expect(String(failure)).toContain("Use its session pooling (")
    }))

  it.scopedLive("fails every statement with the same reason once it is lost", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* urlOf())
      const other = yield* connected(yield* urlOf())
      const { rows } = yield* Effect.promise(() => connection.send("SELECT pg_backend_pid()"))
      yield* Effect.promise(() => other.send("SELECT pg_terminate_backend($1)", [Number(rows[0]?.[0])]))
      const attempt = Effect.tryPromise({ try: () => connection.send("SELECT 1"), catch: String })
      yield* Effect.flip(attempt)
      expect(yield* Effect.flip(attempt)).toBe(yield* Effect.flip(attempt))
    }))

  it.effect("a wrong password, an unknown user and an unknown database are refused, and the password is not repeated", () =>
    Effect.gen(function*() {
      const wrong = yield* failure(yield* urlOf({ user: "formferry:hunter2" }))
      expect(wrong).toContain(
        "LedgerRefused: The ledger ledger1 can't be opened: the user's password is wrong or has expired (28P01: ",
      )
      expect(wrong).not.toContain("hunter2")
      expect(yield* failure(yield* urlOf({ user: "nobody:x" }))).toContain("the user's password is wrong")
      expect(yield* failure(yield* urlOf({ user: "formferry" }))).toContain("asks for a password, and none was given")
      expect(yield* failure(yield* urlOf({ database: "other" }))).toContain(
        "there is no such database on the server (3D000: ",
      )
    }))

  it.scopedLive("a user whom the server does not accept is refused with the server's reason", () =>
    Effect.gen(function*() {
      const user = newSchema()
      const admin = yield* connected(yield* urlOf())
      yield* Effect.promise(() => changeRights(admin, `CREATE ROLE ${user} NOLOGIN PASSWORD 'x'`))
      expect(yield* failure(yield* urlOf({ user: `${user}:x` }))).toContain(
        `the server does not allow this user to connect (28000: role "${user}" is not permitted to log in). Nothing was sent`,
      )
    }))

  it.effect("a server that can't be reached ends the run, and may answer later", () =>
    Effect.gen(function*() {
      expect(yield* failure("postgresql://u:hunter2@127.0.0.1:1/db")).toBe(
        "LedgerError: The ledger ledger1 failed while connecting to the database of its `url`: no server answers at this address (ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1). Nothing more is sent without it.",
      )
      expect(yield* failure("postgresql://u:hunter2@/db?host=/no/such/folder")).toContain(
        "there is no Unix socket at this path",
      )
    }))
})

describe.skipIf(withoutPostgres)("the encryption of a connection", () => {
  const encrypted = (more: string, host = "localhost") =>
    Effect.gen(function*() {
      const url = (yield* urlOf({ tcp: true, more })).replace("127.0.0.1", host)
      const connection = yield* connected(url)
      const { rows } = yield* Effect.promise(() =>
        connection.send("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
      )
      return rows[0]?.[0] === 1
    }).pipe(Effect.scoped, Effect.catchAll(({ message }) => Effect.succeed(message)))
  const authority = Effect.map(Effect.promise(testServer), ({ folder }) => `&sslrootcert=${join(folder, "server.crt")}`)

  it.effect("follows sslmode as libpq does", () =>
    Effect.gen(function*() {
      const own = yield* authority
      expect(yield* encrypted("")).toBe(true)
      expect(yield* encrypted("?sslmode=disable")).toBe(false)
      expect(yield* encrypted("?sslmode=require")).toBe(true)
      expect(yield* encrypted(`?sslmode=verify-ca${own}`, "127.0.0.1")).toBe(true)
      expect(yield* encrypted(`?sslmode=verify-full${own}`)).toBe(true)
      expect(yield* encrypted(`?sslmode=verify-full${own}`, "127.0.0.1")).toContain(
        "certificate is for a different host",
      )
      expect(yield* encrypted(`?sslmode=require${own}`, "127.0.0.1")).toBe(true)
      expect(yield* encrypted("?sslmode=verify-ca")).toContain("certificate is not trusted")
      expect(yield* encrypted("?sslrootcert=system")).toContain("certificate is not trusted")
      expect(yield* encrypted("?sslmode=verify-full&sslrootcert=system")).toContain("certificate is not trusted")
      for (const [name, value] of [["PGSSLMODE", "verify-full"], ["PGSSLROOTCERT", "system"]] as const) {
        vi.stubEnv(name, value)
        expect(yield* encrypted("")).toContain("certificate is not trusted")
        vi.unstubAllEnvs()
      }
      expect(yield* encrypted("?sslmode=require&sslrootcert=/etc/hostname")).toContain(
        "certificate is not trusted",
      )
    }))
})
