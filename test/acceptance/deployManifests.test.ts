import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Deployment } from "kubernetes-models/apps/v1"
import { CronJob } from "kubernetes-models/batch/v1"
import { PersistentVolumeClaim } from "kubernetes-models/v1"
import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import ts from "typescript"
import { describe } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { cronFault } from "../../src/project/cron.ts"
import { deployed, read, repository, serviceStarts } from "./deployed.ts"

describe("the Kubernetes manifest", () => {
  const documents = parseAllDocuments(read("cronjob.yaml")).map((document) =>
    document.toJS() as Record<string, unknown>
  )

  it("the manifest matches Kubernetes' own schemas, and no manifest has misspelt keys", () => {
    const [claim, job] = documents
    new PersistentVolumeClaim(claim as never).validate()
    new CronJob(job as never).validate()
    expect(() => new CronJob(withPolicy(job, "Forbidden")).validate()).toThrow(/concurrencyPolicy/)
    const objects = [
      ["CronJob", job],
      ["CronJob", manifest("pipeline-cronjob.yaml")],
      ["Deployment", manifest("schedule-deployment.yaml")],
    ] as const
    expect(typeFaults(objects)).toEqual([])
    const misspelt = { ...job, spec: { ...(job?.["spec"] as object), timeZon: "Etc/UTC" } }
    expect(typeFaults([...objects, ["CronJob", misspelt]]).join()).toContain("timeZon")
  })

  it("the manifest runs one pod at a time on one disk without restarts, with the same command as the systemd service", () => {
    const job = new CronJob(documents[1] as never)
    expect(job.spec).toMatchObject({ concurrencyPolicy: "Forbid", jobTemplate: { spec: { backoffLimit: 0 } } })
    expect(documents[0]).toMatchObject({ spec: { accessModes: ["ReadWriteOncePod"] } })
    expect(cronFault(job.spec?.schedule ?? "")).toBeUndefined()
    const pod = job.spec?.jobTemplate.spec?.template.spec
    expect(pod?.restartPolicy).toBe("Never")
    const volumes = pod?.volumes?.map(({ name }) => name)
    for (const { name } of pod?.containers[0]?.volumeMounts ?? []) expect(volumes).toContain(name)
    const args = pod?.containers[0]?.args?.map((word) => word.replace("/project", "/srv/forms"))
    expect(args?.toSorted()).toEqual(serviceStarts.split(" ").slice(1).toSorted())
  })
})

it.scopedLive("the practice service of the compose file writes its key at once where the workers read it", () =>
  Effect.gen(function*() {
    const { folder } = yield* deployed
    const { configs, services } = parse(read("compose.yaml")) as {
      readonly configs: { readonly people: { readonly content: string } }
      readonly services: { readonly practice: { readonly command: readonly [string] } }
    }
    mkdirSync(join(folder, "forms"))
    mkdirSync(join(folder, "keys"))
    writeFileSync(join(folder, "forms", "people.yaml"), configs.people.content)
    const line = services.practice.command[0].replaceAll(/ \/(forms|keys)/g, ` ${folder}/$1`).replace("8080", "0")
    const practice = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("sh", ["-c", line], { detached: true, env: { PATH: `${folder}/bin:/usr/bin:/bin` } })),
      ({ pid = 0 }) => Effect.sync(() => process.kill(-pid, "SIGTERM")),
    )
    const key = () =>
      existsSync(join(folder, "keys/practice")) ? readFileSync(join(folder, "keys/practice"), "utf8") : ""
    while (key() === "" && practice.exitCode === null) yield* Effect.sleep("50 millis")
    expect(key()).toMatch(/^practice_\w+\n$/)
  }))

/** The first document of a YAML file. */
const manifest = (name: string) => parseAllDocuments(read(name))[0]?.toJS() as Record<string, unknown>

/** All values of a key, anywhere in a document. */
const valuesOf = (key: string, within: unknown): ReadonlyArray<unknown> =>
  typeof within !== "object" || within === null ? [] : Object.entries(within).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ])

const withoutPython = spawnSync("python3", ["--version"]).status !== 0
  && !(process.platform === "linux" && process.env["CI"] !== undefined)

/** Loads the Airflow file with stubs of Airflow's modules, and runs its task once for each ending of the command. Prints the outcomes. */
const airflowStubs = `
import os, runpy, sys, types

def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)

class AirflowException(Exception):
    pass

class AirflowFailException(AirflowException):
    pass

tasks = []

def dag(*, schedule, start_date, catchup, default_args):
    assert default_args["retries"] > 0 and start_date is not None and not catchup and len(schedule.split()) == 5
    return lambda build: build

def task(work):
    return lambda: tasks.append(work)

module("airflow")
module("airflow.decorators", dag=dag, task=task)
module("airflow.exceptions", AirflowException=AirflowException, AirflowFailException=AirflowFailException)
module("pendulum", datetime=lambda *date, tz: (date, tz))
runpy.run_path("dag.py")
[run] = tasks
for ending in sys.argv[1:]:
    os.environ["ENDING"] = ending
    try:
        run()
        print("success")
    except AirflowFailException:
        print("fail")
    except AirflowException:
        print("retry")
`

describe("the manifests for several hosts", () => {
  const deployment = manifest("schedule-deployment.yaml")
  const job = manifest("pipeline-cronjob.yaml")

  it("the manifests for several hosts match Kubernetes' own schemas", () => {
    new Deployment(deployment as never).validate()
    new CronJob(job as never).validate()
  })

  it("pods of several hosts share no disk, and the documentation creates every object that they refer to", () => {
    const created = [...read("README.md").matchAll(/^kubectl create (?:secret generic|configmap) (\S+)/gm)].map(
      ([, name]) => name,
    )
    for (const one of [deployment, job, manifest("argo.yaml")]) {
      expect(valuesOf("persistentVolumeClaim", one)).toEqual([])
      for (const reference of [...valuesOf("configMap", one), ...valuesOf("secretRef", one)]) {
        expect(created).toContain((reference as { readonly name: string }).name)
      }
    }
  })

  it.skipIf(withoutPython)(
    "Kubernetes, Argo and Airflow treat review as a success, and retry after the same exit codes",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "formferry-deploy-"))
      const stub = join(folder, "formferry")
      const endings = [...[0, 1, 2, 3, 4, 5, 6, 70, 130, 143].map((code) => `exit ${code}`), "kill -9 $$"]
      const [success, fail, retry] = ["success", "fail", "retry"]
      const expected = [success, success, fail, fail, fail, retry, retry, retry, retry, retry, retry]

      const kubernetes = job
      const argo = manifest("argo.yaml")
      const [final] = valuesOf("values", kubernetes)
      const [retried] = valuesOf("expression", argo).map((text) =>
        /asInt\(lastRetry\.exitCode\) in (.*)$/.exec(String(text))
      )
      const again = JSON.parse(retried?.[1] ?? "[]") as ReadonlyArray<number>
      const rules = [
        { of: kubernetes, retries: (code: number) => !(final as ReadonlyArray<number>).includes(code) },
        { of: argo, retries: (code: number) => again.includes(code) },
      ]
      for (const { of, retries } of rules) {
        const outcomes = endings.map((ending) => {
          writeFileSync(stub, `#!/bin/sh\n${ending}\n`)
          chmodSync(stub, 0o755)
          const line = String((valuesOf("args", of)[0] as ReadonlyArray<string>)[0])
          const { status } = spawnSync("sh", ["-c", line], { env: { PATH: `${folder}:/usr/bin:/bin` } })
          return status === 0 ? success : retries(status ?? -1) ? retry : fail
        })
        expect(outcomes).toEqual(expected)
      }

      writeFileSync(stub, `#!/bin/sh\neval "$ENDING"\n`)
      writeFileSync(join(folder, "dag.py"), read("airflow_dag.py").replace("/opt/formferry/bin", folder))
      writeFileSync(join(folder, "check.py"), airflowStubs)
      const ran = spawnSync("python3", ["check.py", ...endings], { cwd: folder, encoding: "utf8" })
      expect([ran.stderr, ran.stdout.trim().split("\n")]).toEqual(["", expected])
      rmSync(folder, { recursive: true })
      expect(read("README.md")).toContain(
        "retry a few times after 5, 6, 70, 130, 137 and 143, and fail at once after 2, 3 and 4",
      )
    },
  )
})

it("the documentation creates every object that the Kubernetes pod refers to", () => {
  const text = read("cronjob.yaml")
  const names = [...text.matchAll(/configMap:\s*\{? ?name: ([\w-]+)|secretKeyRef: \{ name: ([\w-]+)/g)].map((
    [, map, secret],
  ) => map === undefined ? `secret generic ${secret}` : `configmap ${map}`)
  expect(names).toHaveLength(4)
  const section = read("README.md").split(/^## /m).find((one) => one.startsWith("Kubernetes")) ?? ""
  const created = [...section.matchAll(/^kubectl create (.*?) --from-file=/gm)].map(([, words]) => words)
  expect(created.toSorted()).toEqual(names.toSorted())
  expect(read("README.md")).toContain(/image: (\S+)/.exec(text)?.[1])
})

/** Turns a folder into a Kubernetes mount, whose entries link to the current version through a single link. */
const asMounted = (folder: string) => {
  const entries = readdirSync(folder)
  const version = join(folder, "..2026_11_20")
  mkdirSync(version)
  symlinkSync("..2026_11_20", join(folder, "..data"))
  for (const entry of entries) {
    renameSync(join(folder, entry), join(version, entry))
    symlinkSync(join("..data", entry), join(folder, entry))
  }
}

it.scopedLive("configuration, pipelines and accepted forms are read from Kubernetes mounts", () =>
  Effect.gen(function*() {
    const at = yield* deployed
    expect(yield* at.inProcess("check", "contacts", "--accept-form")).toMatchObject({ status: 0 })
    expect(readdirSync(join(at.folder, "config/forms"))).toEqual(["contacts.json"])
    for (const folder of ["config", "pipelines"]) asMounted(join(at.folder, folder))
    yield* at.exits(0, "schedule", "--once")
    expect(at.count()).toBe(5)
    // The changed record no longer equals the form, so check fails. This shows that the record is read.
    const record = join(at.folder, "config/forms/contacts.json")
    writeFileSync(record, readFileSync(record, "utf8").replace("ShortAnswer", "LongAnswer"))
    expect((yield* at.inProcess("check", "contacts")).status).not.toBe(0)
  }))

const withPolicy = (job: Record<string, unknown> | undefined, concurrencyPolicy: string) =>
  ({ ...job, spec: { ...(job?.["spec"] as object), concurrencyPolicy } }) as never

const parsed = new Map<string, ts.SourceFile>()

/**
 * Returns TypeScript's findings about objects declared as their kinds. The types reject unknown keys, but the schema
 * accepts them.
 */
const typeFaults = (
  objects: ReadonlyArray<readonly ["CronJob" | "Deployment", Record<string, unknown> | undefined]>,
): ReadonlyArray<string> => {
  const file = join(repository, "test", "manifests.virtual.ts")
  const text = [
    `import type { IDeployment } from "kubernetes-models/apps/v1"`,
    `import type { ICronJob } from "kubernetes-models/batch/v1"`,
    ...objects.map(([kind, object], at) => `export const object${at}: I${kind} = ${JSON.stringify(object)}`),
  ].join("\n")
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
