import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect } from "vitest"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey, inScript } from "./formferry.ts"

export const repository = resolve(import.meta.dirname, "../..")
export const read = (name: string) => readFileSync(join(repository, "docs/deploy", name), "utf8")

/** A project with a due pipeline, and functions that replace the paths of the deployment files with its own. */
export const deployed = Effect.gen(function*() {
  const at = yield* bench()
  at.write("source.csv", csv(upTo(5)))
  at.write("pipelines/contacts.yaml", pipelineYaml({ more: `schedule: { cron: "0 2 * * *", zone: Europe/Berlin }\n` }))
  // The file resembles the command that npm installs.
  at.write("bin/formferry", `#!/bin/sh\nexec ${inScript} "$@"\n`)
  chmodSync(join(at.folder, "bin/formferry"), 0o755)
  const here = (text: string) => text.replaceAll(/\/srv\/forms|\/project\b/g, at.folder)
  return {
    ...at,
    here,
    /** Runs a line in a shell, with formferry's command and the system's commands in the path. */
    shell: (line: string, env: Readonly<Record<string, string>> = {}) =>
      inShell(here(line), at.folder, { PATH: `${join(at.folder, "bin")}:/usr/bin:/bin`, ...env }),
  }
})

/** Runs a line in a shell without blocking this process, which contains the service. */
export const inShell = (line: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    new Promise<{ readonly status: number | null; readonly text: string }>((done, failed) => {
      const child = spawn("sh", ["-e", "-c", line], { cwd, env: { FORM_SERVICE_API_KEY: apiKey, ...env } })
      let text = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (more: string) => {
          text += more
        })
      }
      child.on("error", failed)
      child.on("close", (status) => done({ status, text }))
    })
  )

/**
 * Returns the npm and Node settings for reaching the registry, as environment variables. npm's global settings apply
 * only to one installation of Node.
 */
export const registry = () => {
  const get = (key: string) => execFileSync("npm", ["config", "get", key], { encoding: "utf8", stdio: "pipe" }).trim()
  const cafile = get("cafile")
  const { NODE_EXTRA_CA_CERTS } = process.env
  return {
    npm_config_registry: get("registry"),
    ...(cafile === "null" ? {} : { npm_config_cafile: cafile }),
    ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
    npm_config_update_notifier: "false",
  }
}

/** Returns the sections and keys of a unit file. */
export const unit = (
  text: string,
): ReadonlyArray<{ readonly section: string; readonly key: string; readonly value: string }> => {
  let section = ""
  return text.split("\n").flatMap((line) => {
    const head = /^\[(\w+)\]$/.exec(line)
    if (head !== null) section = head[1] ?? ""
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    expect(head !== null || key !== undefined || line === "" || line.startsWith("#"), line).toBe(true)
    return key === undefined || value === undefined ? [] : [{ section, key, value }]
  })
}

/** The start command of the systemd service. */
export const serviceStarts = unit(read("formferry.service")).find(({ key }) => key === "ExecStart")?.value ?? ""
