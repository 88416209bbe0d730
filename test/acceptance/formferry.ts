import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Effect } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect } from "vitest"
import { command as commandLine } from "../cli/inProcess.ts"
import { optimiseLater } from "../optimiseLater.ts"

/** The service's API key in acceptance tests. No command may ever write it. */
export const apiKey = "fk_acceptance_7f3a9c51e0d24b8892"

/** The path of the built command, as npm installs it. */
export const command = resolve(import.meta.dirname, "../../dist/main.js")

/** The built command in a shell script. */
export const inScript = [process.execPath, ...optimiseLater, command].map((word) => `"${word}"`).join(" ")

/** The result of a finished command. */
export interface Ran {
  /** The exit code. It is 128 or more if a signal killed the command. */
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** The last line on stderr. */
  readonly lastLine: string
}

/** Returns a command's output on one line, wherever the terminal wrapped it. */
export const onOneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

/** A running command. */
export interface Running {
  readonly pid: number
  readonly signal: (signal: NodeJS.Signals) => void
  /** Returns the text written to stdout or stderr so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Closes the reading end of its stdout, as `head` does. */
  readonly stopReading: () => void
  readonly ended: Promise<Ran>
}

export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Returns the result of a command. Fails if its output contains the API key. */
const ranAs = (args: ReadonlyArray<string>, status: number, stdout: string, stderr: string): Ran => {
  if ((stdout + stderr).includes(apiKey)) throw new Error(`formferry ${args.join(" ")} wrote the API key`)
  return { status, stdout, stderr, lastLine: stderr.trimEnd().split("\n").at(-1) ?? "" }
}

/**
 * Starts the built command as a person would, with stdout and stderr as pipes and the key in the environment. Fails if
 * the output contains the key.
 */
export const start = (args: ReadonlyArray<string>, { cwd, env }: Surroundings): Running => {
  const child = spawn(process.execPath, [...optimiseLater, command, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, FORM_SERVICE_API_KEY: apiKey, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ran>((done, failed) => {
    child.on("error", failed)
    child.on("close", (code, signal) => {
      try {
        done(ranAs(args, code ?? (signal === "SIGINT" ? 130 : 143), stdout, stderr))
      } catch (error) {
        failed(error)
      }
    })
  })
  return {
    pid: child.pid ?? 0,
    signal: (signal) => child.kill(signal),
    stdout: () => stdout,
    stderr: () => stderr,
    stopReading: () => child.stdout.destroy(),
    ended,
  }
}

/** Runs the built command to its end. */
export const formferry = (args: ReadonlyArray<string>, surroundings: Surroundings): Effect.Effect<Ran> =>
  Effect.promise(() => start(args, surroundings).ended)

const home = process.cwd()

/** The folders of the commands that run in this process. They may overlap, and end in any order. */
const entered: Array<string> = []

/**
 * Runs the same command line in this process, which saves a process start. Tests that need a separate process or the
 * built program use `formferry`.
 */
export const inProcess = (args: ReadonlyArray<string>, { cwd, env }: Surroundings): Effect.Effect<Ran> => {
  const environment = { HOME: cwd, FORM_SERVICE_API_KEY: apiKey, ...env }
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      entered.push(cwd)
      process.chdir(cwd)
    }),
    () => commandLine(args, environment),
    () =>
      Effect.sync(() => {
        entered.splice(entered.indexOf(cwd), 1)
        process.chdir(entered.at(-1) ?? home)
      }),
  ).pipe(
    Effect.map(({ err, out, status }) => ranAs(args, status, out, err)),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.provide(NodeContext.layer),
  )
}

/** Fails if any file below a folder contains the key, including reports and the ledger. */
export const expectNoKeyIn = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) expectNoKeyIn(file)
    else if (stat?.isFile() === true) {
      expect(readFileSync(file, "latin1").includes(apiKey), `the API key in ${file}`).toBe(false)
    }
  }
}

/** Waits until a condition is true. The test's time limit ends an endless wait. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.delay(until(isSo), "10 millis")))
