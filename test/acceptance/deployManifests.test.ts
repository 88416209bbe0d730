import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CronJob } from "kubernetes-models/batch/v1"
import { PersistentVolumeClaim } from "kubernetes-models/v1"
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe } from "vitest"
import { parseAllDocuments } from "yaml"
import { cronFault } from "../../src/project/cron.ts"
import { deployed, read, repository, serviceStarts } from "./deployed.ts"

describe("the Kubernetes manifest", () => {
  const documents = parseAllDocuments(read("cronjob.yaml")).map((document) =>
    document.toJS() as Record<string, unknown>
  )

  it("the manifest matches Kubernetes' own schemas and has no misspelt keys", () => {
    const [claim, job] = documents
    new PersistentVolumeClaim(claim as never).validate()
    new CronJob(job as never).validate()
    expect(() => new CronJob(withPolicy(job, "Forbidden")).validate()).toThrow(/concurrencyPolicy/)
    expect(typeFaults(job)).toEqual([])
    expect(typeFaults({ ...job, spec: { ...(job?.["spec"] as object), timeZon: "Etc/UTC" } }).join()).toContain(
      "timeZon",
    )
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

it("the documentation creates every object that the Kubernetes pod refers to", () => {
  const text = read("cronjob.yaml")
  const names = [...text.matchAll(/configMap:\s*\{? ?name: ([\w-]+)|secretKeyRef: \{ name: ([\w-]+)/g)].map((
    [, map, secret],
  ) => map === undefined ? `secret generic ${secret}` : `configmap ${map}`)
  expect(names).toHaveLength(4)
  const created = [...read("README.md").matchAll(/^kubectl create (.*?) --from-file=/gm)].map(([, words]) => words)
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
 * Returns TypeScript's findings about an object declared as a CronJob. The types reject unknown keys, but the schema
 * accepts them.
 */
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
