import { FileSystem } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, LogLevel } from "effect"
import { CommandEnded, explain, type Failure, statusOf } from "../../src/cli/Failure.ts"
import { Invocation } from "../../src/cli/Invocation.ts"
import { Output } from "../../src/cli/Output.ts"
import { LedgerError, LedgerLocked, LedgerRefused } from "../../src/ledger/errors.ts"
import { ProjectNotFound } from "../../src/project/errors.ts"
import { ServiceUnusable } from "../../src/service/FormService.ts"
import { SourceError } from "../../src/source/Source.ts"

const told = (
  cause: Cause.Cause<Failure>,
  options: { readonly json?: boolean; readonly logLevel?: LogLevel.LogLevel } = {},
) => {
  const out: Array<string> = []
  const err: Array<string> = []
  const screen = { width: 400, colour: false }
  return explain(cause).pipe(
    Effect.provideService(Output, {
      out: screen,
      err: screen,
      interactive: false,
      hasBottom: false,
      timed: false,
      print: (text) => Effect.sync(() => void out.push(text)),
      say: (text) => void err.push(text),
      bottom: () => undefined,
      printData: (text) => Effect.sync(() => void out.push(text)),
      flush: Effect.void,
      hide: () => undefined,
    }),
    Effect.provideService(Invocation, {
      typed: ["run", "contacts", "it's"],
      command: "run",
      pipelines: ["contacts"],
      project: "/my project",
      json: options.json ?? false,
      github: false,
      logLevel: options.logLevel ?? LogLevel.Info,
    }),
    Effect.provide(FileSystem.layerNoop({})),
    Effect.map((ended) => ({ ...ended, out, err: err.join("\n") })),
  )
}

const unusable = new ServiceUnusable({ reason: "credentials", message: "The key was refused. Look at FORM_KEY." })

it.effect("each failure has an exit code, and a next command for the same project if one helps", () =>
  Effect.gen(function*() {
    const cases: ReadonlyArray<readonly [Failure, number, string | undefined]> = [
      [unusable, 5, "formferry check contacts --project '/my project'"],
      [
        new SourceError({ file: "a.csv", message: "a.csv is empty." }),
        2,
        "formferry check contacts --project '/my project'",
      ],
      [
        new LedgerRefused({ message: "The ledger vanished.", next: ["accept", "contacts", "ledger"] }),
        2,
        "formferry accept contacts ledger --project '/my project'",
      ],
      [new LedgerRefused({ message: "The ledger's secret is missing." }), 2, undefined],
      [new LedgerError({ file: "l", doing: "opening it", cause: "disk", isAtStart: true }), 70, undefined],
      [
        new LedgerLocked({ pipeline: "contacts", pid: 1, since: "2026-01-01" }),
        6,
        "formferry status contacts --project '/my project'",
      ],
      [
        new LedgerError({ file: "l", doing: "reading", cause: "disk" }),
        70,
        "formferry status contacts --verify --project '/my project'",
      ],
      [new ProjectNotFound({ start: "/" }), 2, "formferry demo"],
    ]
    const named = new ProjectNotFound({ start: "/forms/config", isNamed: true })
    expect((yield* told(Cause.fail(named))).err.replaceAll("\n", " ")).toContain(
      "names the folder that contains config/",
    )
    for (const [failure, status, next] of cases) {
      const said = yield* told(Cause.fail(failure))
      expect([said.status, said.next]).toEqual([status, next])
      expect(said.err.length).toBeGreaterThan(5)
      expect(said.out).toEqual([])
    }
    const locked = yield* told(Cause.fail(new CommandEnded({ status: 3, next: "formferry report x" })))
    expect([locked.status, locked.next, locked.err]).toEqual([3, "formferry report x", ""])
  }))

it.effect("with --json a failure is also an object on stdout", () =>
  Effect.gen(function*() {
    const { out } = yield* told(Cause.fail(unusable), { json: true })
    expect(out.map((line) => JSON.parse(line))).toEqual([
      { event: "failed", exitCode: 5, error: "ServiceUnusable", message: unusable.message },
    ])
  }))

it.effect("a defect is reported in one sentence with exit code 70, with its stack only at --log-level debug", () =>
  Effect.gen(function*() {
    const defect = Cause.die(new TypeError("x is not a function"))
    const short = yield* told(defect)
    expect(short.status).toBe(70)
    expect(short.err).toContain("x is not a function")
    expect(short.err).not.toMatch(/explain\.test\.ts/)
    const long = yield* told(defect, { logLevel: LogLevel.Debug })
    expect(long.err).toMatch(/explain\.test\.ts/)
  }))

it("failures exit with code 2, 5, 6, 70 or 130", () => {
  expect([...new Set(Object.values(statusOf))].toSorted((a, b) => a - b)).toEqual([2, 5, 6, 70, 130])
})
