import { Options } from "@effect/cli"
import { Either, LogLevel } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCommandLine } from "../../src/cli/commandLine.ts"

const commands = [
  {
    name: "run",
    options: {
      to: Options.text("to").pipe(Options.optional),
      dryRun: Options.boolean("dry-run"),
      rows: Options.text("rows").pipe(Options.repeated),
      json: Options.boolean("json"),
    },
  },
  { name: "status", options: {} },
]

const read = (...typed: ReadonlyArray<string>) => readCommandLine(typed, commands)

const args = (...typed: ReadonlyArray<string>) => {
  const line = Either.getOrThrowWith(read(...typed), (fault) => new Error(fault.message))
  return line._tag === "Command" ? line.args : line._tag
}

const fault = (...typed: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(read(...typed))).message

describe("what @effect/cli gets", () => {
  it("the command first, then its options, then `--` and its arguments, wherever they were written", () => {
    const right = ["run", "--to", "live", "--dry-run", "--", "a", "b"]
    expect(args("run", "a", "b", "--to", "live", "--dry-run")).toEqual(right)
    expect(args("run", "--to=live", "a", "--dry-run", "b")).toEqual(right)
    expect(args("--to", "live", "run", "--dry-run", "a", "b")).toEqual(right)
    expect(args("--project", "run", "run", "a", "--to", "live", "b", "--dry-run")).toEqual(right)
  })

  it("a list's words one by one, up to the next option", () => {
    expect(args("run", "a", "--rows", "1", "-2", "x y", "--dry-run", "--rows=--z"))
      .toEqual(["run", "--rows", "1", "--rows", "-2", "--rows", "x y", "--rows", "--z", "--dry-run", "--", "a"])
  })

  it("no word behind a flag as the flag's value, and what begins with a dash behind `--`", () => {
    expect(args("run", "--dry-run", "yes", "--", "-5", "--to")).toEqual(["run", "--dry-run", "--", "yes", "-5", "--to"])
  })

  it("none of the options that stand for every command", () => {
    expect(args("status", "--log-level", "debug", "--no-color", "--project=x")).toEqual(["status", "--"])
    expect(Either.getOrThrow(read("status", "--log-level", "debug", "--project=x")).invocation)
      .toMatchObject({ command: "status", logLevel: LogLevel.Debug, project: "x", json: false })
  })
})

it("help and version win over everything that could be read", () => {
  expect([args("--help"), args("run", "-h"), args("run", "--to", "x", "--help"), args("--version")])
    .toEqual(["Help", "Help", "Help", "Version"])
})

it("what can't be read says what was meant", () => {
  expect(fault("rnu")).toBe("There is no command `rnu`. Did you mean `run`?")
  expect(fault("frobnicate")).toBe("There is no command `frobnicate`. There are `run` and `status`.")
  expect(fault("run", "--tp", "x")).toBe("`run` has no option `--tp`. Did you mean `--to`?")
  expect(fault("run", "-5")).toBe("`run` has no option `-5`. Write an argument that begins with a dash behind `--`.")
  expect(fault("run", "--to")).toBe("`--to` needs a value.")
  expect(fault("run", "--to", "--dry-run")).toBe("`--to` needs a value.")
  expect(fault("run", "--to", "a", "--to", "b")).toBe("`--to` is given twice.")
  expect(fault("run", "--dry-run=yes")).toBe("`--dry-run` takes no value.")
  expect(fault("status", "--log-level", "loud")).toContain("`loud` is no log level.")
  expect(fault()).toBe("Which command?")
})

it("any words are read or refused, and an argument is never lost or changed", () => {
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
      const line = read("run", ...typed)
      if (Either.isLeft(line) || line.right._tag !== "Command") return
      const { args, invocation } = line.right
      const behind = args.slice(args.indexOf("--") + 1)
      expect(behind.slice(-invocation.names.length || behind.length)).toEqual(invocation.names)
      for (const name of invocation.names) expect(typed).toContain(name)
    }),
    { seed: 41, numRuns: 500 },
  )
})
