import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import type { Bench } from "./contacts.ts"
import { apiKey, inScript } from "./formferry.ts"

const inCi = process.env["CI"] !== undefined && process.env["CI"] !== "" && process.env["CI"] !== "false"
const hasScript = (spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "").includes("util-linux")
/** Tests in a terminal always run in CI, where `script` must be installed. */
export const withoutTerminal = !hasScript && !inCi

/**
 * Runs a shell script in a real terminal, which the program `script` (from util-linux) opens. It closes with the scope.
 * `formferry` is the built command.
 */
export const inTerminal = (...setting: Parameters<typeof openTerminal>) =>
  Effect.acquireRelease(Effect.sync(() => openTerminal(...setting)), ({ close }) => Effect.sync(close))

const openTerminal = (at: Bench, shell: string, env: Readonly<Record<string, string | undefined>> = {}) => {
  at.write("shell.sh", shell.replaceAll("formferry", inScript))
  const child = spawn("script", ["--quiet", "--return", "--command", "exec sh shell.sh", "/dev/null"], {
    cwd: at.folder,
    env: {
      PATH: process.env["PATH"],
      HOME: at.folder,
      SHELL: "/bin/sh",
      TERM: "xterm-256color",
      NO_COLOR: "1",
      FORM_SERVICE_API_KEY: apiKey,
      ...env,
    },
  })
  let shown = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  return {
    /** Returns everything that the terminal has shown so far. */
    shown: () => shown,
    type: (keys: string) => void child.stdin.write(keys),
    /** Closes the terminal. */
    close: () => child.kill("SIGKILL"),
    /** The exit code of the shell script. */
    ended: Effect.promise(() => ended),
  }
}
