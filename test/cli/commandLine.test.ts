import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, LogLevel } from "effect"
import fc from "fast-check"
import { describe } from "vitest"
import {
  argumentList,
  choice,
  type Command,
  command,
  flag,
  json,
  neededReason,
  pipelines,
  text,
  texts,
  wholeNumber,
} from "../../src/cli/command.ts"
import { readCommandLine } from "../../src/cli/commandLine.ts"
import { UsageWrong } from "../../src/cli/Failure.ts"
import { tree as commands } from "../../src/cli/formferry.ts"
import { version } from "../../src/project/version.ts"
import { command as ran } from "./inProcess.ts"

/** The values of the last parsed command line. */
let asked: Record<string, unknown> | undefined

const declared = command({
  name: "run",
  about: "Runs pipelines.",
  examples: [{ words: "run a --dry-run", about: "Sends nothing." }],
  arguments: { names: argumentList("NAME", true, "Pipelines.") },
  options: {
    to: text("TARGET", "Where to."),
    dryRun: flag("Sends nothing."),
    noWait: flag("Does not wait."),
    rows: texts("KEY", "Which rows."),
    limit: wholeNumber(1, "How many."),
    format: choice("FORMAT", ["csv", "jsonl"], "Which format."),
    json,
  },
  *run() {},
})
const run: Command = {
  ...declared,
  run: (input: Record<string, unknown>) => {
    asked = input
    return Effect.void
  },
}
const nothing = { examples: [], arguments: {}, *run() {} } as const
const status = command({ ...nothing, name: "status", about: "Shows.", arguments: { pipelines }, options: {} })
const forget = command({ ...nothing, name: "forget", about: "Forgets.", options: { because: neededReason("Why.") } })
const compact = command({ ...nothing, name: "compact", about: "Compacts.", options: {} })
const tree = {
  "First:": [run, status],
  "Then:": [{ name: "ledger", about: "Maintains.", commands: [compact, forget] }],
}

const read = (...typed: ReadonlyArray<string>) => {
  asked = undefined
  return readCommandLine(typed, { about: "Moves answers.", examples: [], tree }, { width: 80, colour: false })
}

/** Returns the values that the command receives, without those that are unset. */
const values = (...typed: ReadonlyArray<string>) => {
  read(...typed)
  return Object.fromEntries(
    Object.entries(asked ?? {}).filter(([, value]) =>
      value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
    ),
  )
}

const printed = (...typed: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { out, status } = yield* ran(typed)
    return { out, status }
  })

/** Returns the command that the error is about, and the error's message. */
const refused = (...typed: ReadonlyArray<string>) => {
  const line = read(...typed)
  const error = Effect.runSync(Effect.flip(line.work as Effect.Effect<void, UsageWrong>))
  expect(error).toBeInstanceOf(UsageWrong)
  expect(asked).toBeUndefined()
  return [line.invocation.command, error.message]
}

describe("the command line parser", () => {
  it("accepts options and arguments in any order after the command's name", () => {
    const right = { names: ["a", "b"], to: "live", dryRun: true }
    expect(values("run", "a", "b", "--to", "live", "--dry-run")).toEqual(right)
    expect(values("run", "--to=live", "a", "--dry-run", "b")).toEqual(right)
    expect(values("--project", "run", "run", "a", "--to", "live", "b", "--dry-run")).toEqual(right)
  })

  it("reads all words up to the next option as values of a list", () => {
    expect(values("run", "a", "--rows", "1", "-2", "x y", "--dry-run", "--rows=--z"))
      .toEqual({ names: ["a"], rows: ["1", "-2", "x y", "--z"], dryRun: true })
  })

  it("never reads a word as a flag's value, and reads every word after `--` as an argument", () => {
    expect(values("run", "--dry-run", "yes", "--", "-5", "--to"))
      .toEqual({ dryRun: true, names: ["yes", "-5", "--to"] })
  })

  it("reads a flag whose name begins with no", () => {
    expect(values("run", "a", "--no-wait")).toEqual({ names: ["a"], noWait: true })
    expect(values("run", "a")).toEqual({ names: ["a"] })
  })

  it("converts numbers and choices as declared", () => {
    expect(values("run", "a", "--limit", "12", "--format", "csv")).toEqual({ names: ["a"], limit: 12, format: "csv" })
  })

  it("accepts common options anywhere, and doesn't pass them to the command", () => {
    const line = read("--no-color", "status", "people", "--log-level", "DEBUG", "--project=x", "--log-format", "json")
    expect(line.logFormat).toBe("json")
    expect(line.invocation)
      .toMatchObject({ command: "status", pipelines: ["people"], logLevel: LogLevel.Debug, project: "x", json: false })
    expect(read("run", "a", "--json").invocation).toMatchObject({
      json: true,
      pipelines: ["a"],
      logLevel: LogLevel.Info,
    })
    expect(read("ledger", "compact").invocation.command).toBe("ledger compact")
  })
})

it.each([["--log-format=json", "rnu"], ["run", "--nope", "--log-format", "json"], [
  "run",
  "--limit",
  "x",
  "--log-format",
  "json",
]])(
  "explains a command line that can't be read in the requested log format: %s %s",
  (...words) => {
    expect(read(...words).logFormat).toBe("json")
  },
)

it("explains a command line that can't be read, and runs nothing", () => {
  expect(refused("rnu")).toEqual([undefined, "There is no command `rnu`. Did you mean `run`?"])
  expect(refused("ledger", "compat")).toEqual([
    "ledger",
    "There is no command `ledger compat`. Did you mean `compact`?",
  ])
  expect(refused("frobnicate")).toEqual([
    undefined,
    "There is no command `frobnicate`. Commands are: `run`, `status`, `ledger` and `help`.",
  ])
  expect(refused("run", "a", "--tp", "x")).toEqual(["run", "There is no option `--tp`. Did you mean `--to`?"])
  expect(refused("run", "a", "-x")).toEqual(["run", "There is no option `-x`."])
  expect(refused("run", "a", "--dry-run=yes")).toEqual(["run", "`--dry-run` takes no value."])
  expect(refused("run", "a", "--to")).toEqual(["run", "`--to` needs a value."])
  expect(refused("run", "a", "--to", "--dry-run")).toEqual(["run", "`--to` needs a value."])
  expect(refused("run", "a", "--to", "a", "--to", "b")).toEqual(["run", "`--to` occurs twice."])
  expect(refused("run", "a", "--limit", "-1")[1]).toBe("`--limit` takes a whole number, 1 or more, not `-1`.")
  expect(refused("run", "a", "--format", "xml")[1]).toBe("`--format` takes csv or jsonl, not `xml`.")
  expect(refused("run")).toEqual(["run", "NAME is missing."])
  expect(refused("ledger", "compact", "x")[1]).toBe("`formferry ledger compact` takes no argument `x`.")
  expect(refused("ledger", "forget")).toEqual(["ledger forget", "`--because` is missing."])
  expect(refused("help", "ledger", "forgt")[1]).toBe("There is no command `ledger forgt`. Did you mean `forget`?")
  expect(refused("ledger", "compact", "--because", "x"))
    .toEqual(["ledger compact", "There is no option `--because`. `--because` belongs to `ledger forget`."])
  expect(refused("--dry-run", "run", "a"))
    .toEqual([undefined, "There is no option `--dry-run`. Write a command's options after its name."])
  expect(refused("status", "--log-level", "loud")[1]).toContain("`--log-level` takes all, trace")
  expect(refused()).toEqual([undefined, "Which command?"])
  expect(refused("ledger")).toEqual(["ledger", "Which command: `compact` or `forget`?"])
})

it.effect("help and version work in an otherwise invalid command line", () =>
  Effect.gen(function*() {
    expect(yield* printed("--version")).toEqual({ out: `${version}\n`, status: 0 })
    expect(yield* printed("run", "-V")).toEqual({ out: `${version}\n`, status: 0 })
    const help = yield* printed("run", "--help")
    expect(help.status).toBe(0)
    for (const words of [["run", "-h"], ["help", "run"], ["run", "--to", "x", "--help"], ["run", "--tp", "--help"]]) {
      expect(yield* printed(...words)).toEqual(help)
    }
    expect(help.out).toMatch(/^Usage: formferry run \[NAME\.\.\.\] \[OPTIONS\]/)
    for (
      const part of [
        "Arguments:",
        "--dry-run",
        "Common options:",
        "--project DIR",
        "Which pipelines:",
        "Examples:\n  formferry run ",
      ]
    ) {
      expect(help.out).toContain(part)
    }
    expect(yield* printed("help", "ledger", "forget")).toEqual(yield* printed("ledger", "forget", "--help"))
    expect((yield* printed("ledger", "forget", "--help")).out).toContain(
      "Usage: formferry ledger forget NAME --rows KEY... --because TEXT [OPTIONS]",
    )
    const all = (yield* printed("help")).out
    expect(all.split("Common options:")).toHaveLength(2)
    expect((yield* printed("help", "ledger")).out.split("Common options:")).toHaveLength(2)
    for (const part of ["Review:", "  settle ", "Help:\n  help ", "-V, --version"]) expect(all).toContain(part)
    for (const line of all.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
  }).pipe(Effect.provide(NodeContext.layer)))

it.effect("the help of the command help, of a group and of the program has usage, examples and a link", () =>
  Effect.gen(function*() {
    const none = yield* ran([])
    expect([none.status, none.out]).toEqual([2, ""])
    expect(none.err).toMatch(/\n\nWhich command\?\nformferry --help\n$/)
    const pages = [
      none.err,
      ...yield* Effect.forEach(
        [["help", "help"], ["ledger", "--help"], ["help"]],
        (words) => Effect.map(printed(...words), ({ out }) => out),
      ),
    ]
    for (const page of pages) {
      expect(page).toMatch(/^Usage: formferry [^]*\nExamples:\n  formferry [^]*\nDocs: https:/)
    }
    expect((yield* ran(["ledger"])).err).toContain((yield* printed("ledger", "--help")).out)
  }).pipe(Effect.provide(NodeContext.layer)))

it.effect("every command that takes a reason refuses a text without one, and says what to write", () =>
  Effect.gen(function*() {
    const all = Object.values(commands).flat().flatMap((one) =>
      "commands" in one ? one.commands.map((below) => ({ ...below, name: `${one.name} ${below.name}` })) : [one]
    )
    const names = all.flatMap(({ name, options }) => ("because" in options ? [name] : []))
    expect(names.toSorted()).toEqual(["accept", "acknowledge", "ledger forget", "settle"])
    for (const name of names) {
      for (const reason of ["", " ", "…", "...", "?!", "TEXT", "<TEXT>", "'…'"]) {
        const { err, status } = yield* ran([...name.split(" "), `--because=${reason}`])
        expect([status, err], name).toEqual([
          2,
          expect.stringContaining("`--because` takes a reason in your own words"),
        ])
      }
      expect((yield* ran([...name.split(" "), "--because", "1"])).err, name).not.toContain("your own words")
    }
  }).pipe(Effect.provide(NodeContext.layer)))

it.effect("every command has two or three examples, and its help links to the docs", () =>
  Effect.gen(function*() {
    const all = Object.values(commands).flat().flatMap((one) =>
      "commands" in one
        ? one.commands.map((below) => [`${one.name} ${below.name}`, below] as const)
        : [[one.name, one] as const]
    )
    for (const [name, { examples }] of all) {
      expect(examples.length, name).toBeGreaterThanOrEqual(2)
      expect(examples.length, name).toBeLessThanOrEqual(4)
      for (const { words } of examples) expect(words).toMatch(new RegExp(`^${name}`))
      expect((yield* printed(...name.split(" "), "--help")).out).toMatch(/\nDocs: https:.*\n$/)
    }
  }).pipe(Effect.provide(NodeContext.layer)))

it("the parser accepts or refuses any words, and neither loses nor changes an argument", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "run",
      "status",
      "--to",
      "--rows",
      "--dry-run",
      "--json",
      "--",
      "-",
      "--project",
      "--to=x",
      "=",
      "--=",
    ),
    fc.string({ maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (typed) => {
      const { invocation } = read("run", ...typed)
      if (asked === undefined) return
      const { names, rows, to } = asked as {
        readonly names: ReadonlyArray<string>
        readonly rows: ReadonlyArray<string>
        readonly to?: string
      }
      for (const one of names) expect(typed).toContain(one)
      for (const one of [...rows, to ?? ""]) {
        expect(typed.some((word) => word === one || word.endsWith(`=${one}`) || one === "")).toBe(true)
      }
      const end = typed.indexOf("--")
      const known = [...names, ...rows, to, invocation.project]
      for (const [at, one] of typed.entries()) {
        if (!one.startsWith("-") || (end >= 0 && at > end)) expect(known).toContain(one)
      }
    }),
    { seed: 41, numRuns: 500 },
  )
})
