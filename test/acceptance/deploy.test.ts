import { expect, it } from "@effect/vitest"
import { validate } from "dockerfile-utils"
import { Effect } from "effect"
import { build } from "esbuild"
import { CronJob } from "kubernetes-models/batch/v1"
import { PersistentVolumeClaim } from "kubernetes-models/v1"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import ts from "typescript"
import { describe } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { cronFault } from "../../src/project/cron.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey } from "./formferry.ts"

const repository = resolve(import.meta.dirname, "../..")
const read = (name: string) => readFileSync(join(repository, "docs/deploy", name), "utf8")
const main = join(repository, "dist/main.js")

/** A project in which something is due, where the deployment files expect it: their paths are turned to it. */
const deployed = Effect.gen(function*() {
  const at = yield* bench()
  at.write("source.csv", csv(upTo(5)))
  at.write("pipelines/contacts.yaml", pipelineYaml({ more: `schedule: { cron: "0 2 * * *", zone: Europe/Berlin }\n` }))
  // `npm link` makes this.
  at.write("bin/formferry", `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(join(at.folder, "bin/formferry"), 0o755)
  const here = (text: string) => text.replaceAll(/\/srv\/forms|\/project\b/g, at.folder)
  return {
    ...at,
    here,
    /** Runs a line as a shell would, with the command in the path and nothing else than the system's. */
    shell: (line: string, env: Readonly<Record<string, string>> = {}) =>
      inShell(here(line), at.folder, { PATH: `${join(at.folder, "bin")}:/usr/bin:/bin`, ...env }),
  }
})

/** Runs a line in a shell; the service that the command talks to lives in this process. */
const inShell = (line: string, cwd: string, env: Readonly<Record<string, string>>) =>
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

/** Sections and keys of a unit file. */
const unit = (
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

/** The directives that the units use, by systemd.unit(5), .service(5), .timer(5), .exec(5) and .kill(5). */
const directives: Readonly<Record<string, ReadonlyArray<string>>> = {
  Unit: ["Description", "Documentation", "Wants", "After"],
  Service: (
    "Type ExecStart Restart RestartSec RestartPreventExitStatus SuccessExitStatus TimeoutStartSec TimeoutStopSec KillSignal User Group WorkingDirectory "
    + "EnvironmentFile UMask NoNewPrivileges PrivateTmp ProtectSystem ProtectHome ReadWritePaths"
  ).split(" "),
  Timer: ["OnCalendar", "AccuracySec", "Persistent"],
  Install: ["WantedBy"],
}

const units = ["formferry.service", "formferry.timer", "formferry-schedule.service"]
const analyzer = spawnSync("systemd-analyze", ["--version"]).status === 0

const serviceStarts = unit(read("formferry.service")).find(({ key }) => key === "ExecStart")?.value ?? ""

describe("systemd", () => {
  it("the units use directives that there are", () => {
    for (const name of units) {
      for (const { key, section } of unit(read(name))) expect(directives[section], `${name} ${key}`).toContain(key)
    }
  })

  it.scopedLive(
    analyzer
      ? "the units pass `systemd-analyze verify`, and it finds a planted mistake"
      : "the units were not verified by systemd-analyze: it is not installed here",
    () =>
      Effect.gen(function*() {
        if (!analyzer) return
        const at = yield* deployed
        const verify = (change: (text: string) => string) => {
          for (const name of units) {
            at.write(`units/${name}`, change(at.here(read(name)).replaceAll("/usr/bin/node", process.execPath)))
          }
          return spawnSync("systemd-analyze", [
            "verify",
            "--man=no",
            ...units.map((name) => join(at.folder, "units", name)),
          ], {
            encoding: "utf8",
            env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning" },
          })
        }
        const mine = (text: string) => text.split("\n").filter((line) => line.includes("formferry"))
        const sound = verify((text) => text)
        expect(mine(sound.stdout + sound.stderr)).toEqual([])
        const planted = verify((text) => text.replace("Type=oneshot", "Type=onceshot").replace("*:0/15", "*:0/99x"))
        expect(mine(planted.stdout + planted.stderr).join("\n")).toMatch(/onceshot|Type/)
      }),
  )

  it.scopedLive("what the service starts runs what is due", () =>
    Effect.gen(function*() {
      const at = yield* deployed
      const [node, script, ...args] = serviceStarts.split(" ")
      expect([node, script]).toEqual(["/usr/bin/node", "/opt/formferry/dist/main.js"])
      const ran = yield* at.run(...args.map(at.here))
      expect(ran.status, ran.stderr).toBe(0)
      expect(at.count()).toBe(5)
      // The process that goes on is asked for the same, without --once.
      const goesOn = unit(read("formferry-schedule.service")).find(({ key }) => key === "ExecStart")?.value
      expect(goesOn).toBe(serviceStarts.replace(" --once", ""))
    }))
})

it.scopedLive("crontab: its times are read by the cron library, its commands run", () =>
  Effect.gen(function*() {
    const at = yield* deployed
    const lines = read("crontab").split("\n").filter((line) => /^[\d*]/.test(line))
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const [, times = "", command = ""] = /^((?:\S+ ){4}\S+) (.*)$/.exec(line) ?? []
      expect(cronFault(times), times).toBeUndefined()
      // cron takes a % for a line end.
      expect(command).not.toContain("%")
      const { status, text } = yield* at.shell(command)
      expect(text).toBe("")
      expect(status).toBe(0)
    }
    expect(at.count()).toBe(5)
    // What goes wrong is said, and so mailed.
    at.write("pipelines/contacts.yaml", "nonsense")
    expect((yield* at.shell(lines[0]?.split(" ").slice(5).join(" ") ?? "")).text).toMatch(
      /^formferry ended with 2: see/,
    )
  }))

describe("Kubernetes", () => {
  const documents = parseAllDocuments(read("cronjob.yaml")).map((document) =>
    document.toJS() as Record<string, unknown>
  )

  it("both objects pass Kubernetes' own schemas, and no key is misspelt", () => {
    const [claim, job] = documents
    new PersistentVolumeClaim(claim as never).validate()
    new CronJob(job as never).validate()
    expect(() => new CronJob(withPolicy(job, "Forbidden")).validate()).toThrow(/concurrencyPolicy/)
    expect(typeFaults(job)).toEqual([])
    expect(typeFaults({ ...job, spec: { ...(job?.["spec"] as object), timeZon: "Etc/UTC" } }).join()).toContain(
      "timeZon",
    )
  })

  it("one pod at a time on one disk, never started anew; it is called as the systemd service calls", () => {
    const job = new CronJob(documents[1] as never)
    expect(job.spec).toMatchObject({ concurrencyPolicy: "Forbid", jobTemplate: { spec: { backoffLimit: 0 } } })
    expect(documents[0]).toMatchObject({ spec: { accessModes: ["ReadWriteOncePod"] } })
    expect(cronFault(job.spec?.schedule ?? "")).toBeUndefined()
    const pod = job.spec?.jobTemplate.spec?.template.spec
    expect(pod?.restartPolicy).toBe("Never")
    const volumes = pod?.volumes?.map(({ name }) => name)
    for (const { name } of pod?.containers[0]?.volumeMounts ?? []) expect(volumes).toContain(name)
    const args = pod?.containers[0]?.args?.map((word) => word.replace("/project", "/srv/forms"))
    expect(args?.toSorted()).toEqual(serviceStarts.split(" ").slice(2).toSorted())
  })
})

const withPolicy = (job: Record<string, unknown> | undefined, concurrencyPolicy: string) =>
  ({ ...job, spec: { ...(job?.["spec"] as object), concurrencyPolicy } }) as never

const parsed = new Map<string, ts.SourceFile>()

/** What TypeScript says of an object that is to be a CronJob: its types know every key, the schema lets unknown ones pass. */
const typeFaults = (job: Record<string, unknown> | undefined): ReadonlyArray<string> => {
  const file = join(repository, "test", "cronjob.virtual.ts")
  const text = `import type { ICronJob } from "kubernetes-models/batch/v1"\nexport const job: ICronJob = ${
    JSON.stringify(job)
  }\n`
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    lib: ["lib.es5.d.ts"],
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
    const found = parsed.get(name) ?? getSourceFile(name, ...rest)
    if (found !== undefined) parsed.set(name, found)
    return found
  }
  const program = ts.createProgram([file], options, host)
  return program.getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
}

it.scopedLive("GitHub Actions: the workflow passes GitHub's own parser; without its ledger it refuses; its steps run what is due", () =>
  Effect.gen(function*() {
    const at = yield* deployed
    const text = read("github-workflow.yaml")
    const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = yield* workflowParser
    const faults = (content: string) =>
      Effect.promise(async () => {
        const { context, value } = parseWorkflow({ name: "formferry.yaml", content }, new NoOperationTraceWriter())
        const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value)
        return [...context.errors.getErrors().map(({ message }) => message), ...(template?.errors ?? [])]
      })
    expect(yield* faults(text)).toEqual([])
    expect((yield* faults(text.replace("runs-on:", "runson:"))).length).toBeGreaterThan(0)

    const { jobs, on } = parse(text) as {
      readonly on: { readonly schedule: ReadonlyArray<{ readonly cron: string }> }
      readonly jobs: { readonly schedule: { readonly steps: ReadonlyArray<{ readonly run?: string }> } }
    }
    expect(cronFault(on.schedule[0]?.cron ?? "")).toBeUndefined()
    const [guard = "", copy = "", ...rest] = jobs.schedule.steps.flatMap(({ run }) => run ?? [])
    const project = join(at.folder, "srv")
    mkdirSync(project)
    cpSync(join(at.folder, "source.csv"), join(project, "source.csv"))
    const step = (line: string) => at.shell(line, { PROJECT: project })
    expect(yield* step(guard)).toMatchObject({
      status: 1,
      text: expect.stringContaining("every row would go in once more"),
    })
    for (const line of [copy, ...rest, guard]) {
      const { status, text } = yield* step(line)
      expect(status, text).toBe(0)
    }
    expect(at.count()).toBe(5)
  }))

/** GitHub's parser, whose packages import JSON in a way that Node does not take. */
const workflowParser = Effect.promise(async () => {
  const outfile = join(repository, "node_modules/.cache", `workflow-parser-${process.pid}.mjs`)
  await build({
    stdin: { contents: `export * from "@actions/workflow-parser"`, resolveDir: repository },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: `import { createRequire as r } from "node:module"; const require = r(import.meta.url);` },
  })
  return await import(pathToFileURL(outfile).href) as typeof import("@actions/workflow-parser")
})

describe("Dockerfile", () => {
  const text = read("Dockerfile")
  const instructions = text.split("\n").flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name, rest }]
  })
  const of = (name: string) => instructions.flatMap((one) => one.name === name ? [one.rest] : [])

  it("a Dockerfile linter finds nothing, and finds a planted mistake", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
    expect(validate(text.replace("WORKDIR /build", "WORKDR /build"))).not.toEqual([])
  })

  it("copies only what is there and what .dockerignore lets in, and runs scripts that there are", () => {
    const allowed = read("Dockerfile.dockerignore").split("\n").flatMap((line) =>
      line.startsWith("!") ? [line.slice(1)] : []
    )
    for (const copy of of("COPY").filter((rest) => !rest.startsWith("--from"))) {
      for (const source of copy.split(" ").slice(0, -1)) {
        expect(existsSync(join(repository, source)), source).toBe(true)
        expect(allowed, source).toContain(source)
      }
    }
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const script of of("RUN").flatMap((line) => /npm run (\S+)/.exec(line)?.[1] ?? [])) {
      expect(Object.keys(scripts)).toContain(script)
    }
    expect(of("USER")).toEqual(["node"])
  })

  it.scopedLive("what it puts together is all that the command needs: a dry run, without docker", () =>
    Effect.gen(function*() {
      const at = yield* deployed
      // Not in the project: all of that is read through when it closes.
      const stage = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "formferry-image-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      )
      // Links in the place of big files: Node is told to look for modules where the links stand.
      mkdirSync(join(stage, "node_modules"), { recursive: true })
      for (const name of readdirSync(join(repository, "node_modules"))) {
        symlinkSync(join(repository, "node_modules", name), join(stage, "node_modules", name))
      }
      for (const name of ["dist", "package.json"]) symlinkSync(join(repository, name), join(stage, name))
      const assembly = of("RUN").find((line) => line.includes("out/")) ?? ""
      execFileSync("sh", ["-e", "-c", assembly], { cwd: stage })
      const [program, script = "", ...more] = JSON.parse(of("ENTRYPOINT")[0] ?? "[]") as ReadonlyArray<string>
      expect(program).toBe("node")
      expect(more).toEqual([])
      expect(of("COPY").at(-1)).toBe("--from=build /build/out /opt/formferry")
      const node = `"${process.execPath}" --preserve-symlinks --preserve-symlinks-main`
      const command = `${node} ${script.replace("/opt/formferry", join(stage, "out"))} schedule --once`
      const { status, text } = yield* inShell(command, at.folder, { NODE_ENV: "production" })
      expect(status, text).toBe(0)
      expect(at.count()).toBe(5)
    }))
})
