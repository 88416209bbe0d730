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

  it("orchestrators treat a run that needs review as a success, and report any other code", () => {
    const lines = [job, manifest("argo.yaml")].map((one) =>
      (valuesOf("args", one)[0] as ReadonlyArray<string>)[0] ?? ""
    )
    expect(lines[0]).toBe(lines[1])
    const folder = mkdtempSync(join(tmpdir(), "formferry-deploy-"))
    const statusOf = (code: number) => {
      writeFileSync(join(folder, "formferry"), `#!/bin/sh\nexit ${code}\n`)
      chmodSync(join(folder, "formferry"), 0o755)
      return spawnSync("sh", ["-c", lines[0] ?? ""], { env: { PATH: `${folder}:/usr/bin:/bin` } }).status
    }
    const codes = [0, 1, 2, 3, 4, 5, 6, 70, 130, 143]
    expect(codes.map(statusOf)).toEqual([0, 0, 2, 3, 4, 5, 6, 70, 130, 143])
    rmSync(folder, { recursive: true })
  })

  it("Kubernetes, Argo and Airflow retry after the same exit codes", () => {
    const codes = [5, 6, 130, 137, 143]
    const [final] = valuesOf("values", job)
    expect(final).toEqual([2, 3, 4, 70])
    expect(read("argo.yaml")).toContain(`asInt(lastRetry.exitCode) in [${codes.join(", ")}]`)
    expect(read("airflow.py")).toContain(`FINAL = {${(final as ReadonlyArray<number>).join(", ")}}`)
    expect(read("README.md")).toContain("retry after 5, 6, 130, 137 and 143, and fail at once after 2, 3, 4 and 70")
  })
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
    const ran = yield* at.inProcess("schedule", "--once")
    expect(ran.status, ran.stderr).toBe(0)
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
