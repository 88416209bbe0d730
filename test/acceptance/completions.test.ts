// Tests completion in real shells. bash is required; zsh and fish are used only if they are installed.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { inScript, onOneLine } from "./formferry.ts"

/** A script that makes the shell complete the words in $typed, without a terminal. */
const shells = {
  bash: {
    words: (script: string) =>
      `source ${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _formferry formferry; printf '%s\\n' "\${COMPREPLY[@]}"`,
    run: (code: string, typed: ReadonlyArray<string>) => ["-c", code, "bash", ...typed],
  },
  zsh: {
    words: (script: string) =>
      `compdef() { }; _files() { }; _describe() { print -rl -- "\${(@P)2}" }; source ${script}
words=("$@"); CURRENT=$#; _formferry`,
    run: (code: string, typed: ReadonlyArray<string>) => ["-f", "-c", code, "zsh", ...typed],
  },
  fish: {
    words: (script: string) => `source ${script}; complete -C "$argv"`,
    run: (code: string, typed: ReadonlyArray<string>) => ["--no-config", "-c", code, ...typed],
  },
}

describe.each(Object.entries(shells))("%s completion", (shell, { run, words }) => {
  const isInstalled = spawnSync(shell, ["--version"]).status === 0

  it.scopedLive.skipIf(!isInstalled && shell !== "bash")(
    "completes commands, options and pipelines",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        at.write("pipelines/people.yaml", pipelineYaml({ name: "people", more: "tags: [nightly]\n" }))
        at.write("bin/formferry", `#!/bin/sh\nexec ${inScript} "$@"\n`)
        chmodSync(join(at.folder, "bin/formferry"), 0o700)
        const { status, stdout } = yield* at.run("--completions", shell)
        expect(status).toBe(0)
        expect(stdout).toMatch(/^# To install, add this line to .*formferry --completions/)
        at.write("script", stdout)
        const completed = (...typed: ReadonlyArray<string>) => {
          const ran = spawnSync(shell, run(words(join(at.folder, "script")), ["formferry", ...typed]), {
            cwd: at.folder,
            encoding: "utf8",
            env: { PATH: `${join(at.folder, "bin")}:${process.env["PATH"]}`, HOME: at.folder },
          })
          expect(ran.stderr).toBe("")
          return ran.stdout.split("\n").map((line) => line.replace(/[\t:].*$/, "")).filter((line) => line !== "")
        }
        expect(completed("rec")).toEqual(["reconcile"])
        expect(completed("run", "")).toEqual(["contacts", "people"])
        expect(completed("run", "--retr")).toEqual(["--retry-refused"])
        expect(completed("--project", at.folder, "status", "p")).toEqual(["people"])
      }),
  )
})

it.scopedLive("`complete` suggests subcommands, values and names of the project", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("pipelines/people.yaml", pipelineYaml({ name: "people", more: "tags: [nightly]\n" }))
    for (
      const [typed, word] of [
        [["ledger", "fo"], "forget"],
        [["run", "contacts", "pe"], "people"],
        [["run", "--tag", ""], "nightly"],
        [["run", "people", "--confirm", "ca"], "careful"],
        [["accept", "people", "can"], "canary"],
        [["ledger", "export", "--format", "j"], "jsonl"],
      ] as const
    ) {
      const { stdout } = yield* at.inProcess("__complete", ...typed)
      expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([word, ""])
    }
    at.write("source.csv", csv(upTo(1)))
    yield* at.exits(0, "run", "people")
    const { run } = at.report("people")
    for (const typed of [["--run", ""], ["--run", run.slice(0, 4)], [`--run=${run.slice(0, 4)}`]]) {
      const { stdout } = yield* at.inProcess("__complete", "report", "people", ...typed)
      expect(stdout.trim().replace("--run=", "")).toBe(run)
    }
    expect((yield* at.inProcess("__complete", "report", "contacts", "--run", "")).stdout).toBe("")
    const unknown = yield* at.exits(2, "report", "people", "--run", "2026-01-01")
    expect(onOneLine(unknown.stderr)).toContain(
      `there is no such run. Runs with a report, the newest first: ${run}`,
    )
  }))
