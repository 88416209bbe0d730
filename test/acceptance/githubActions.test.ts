import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { parse } from "yaml"
import { cronFault } from "../../src/project/cron.ts"
import { isLong } from "../long.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { inShell, read, registry, repository } from "./deployed.ts"
import { actionFaults, workflowFaults } from "./workflow.ts"

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly on: { readonly schedule: ReadonlyArray<{ readonly cron: string }> }
  readonly jobs: Readonly<Record<string, { readonly steps: ReadonlyArray<Step> }>>
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: { readonly steps: ReadonlyArray<Step> }
}

const text = (file: string) => readFileSync(join(repository, file), "utf8")
const action = parse(text("action.yml")) as Action
const workflows = {
  check: read("github-check.yaml"),
  schedule: read("github-workflow.yaml"),
  test: text(".github/workflows/test.yml"),
}
const stepsOf = (workflow: string) => Object.values((parse(workflow) as Workflow).jobs).flatMap(({ steps }) => steps)

const runner = mkdtempSync(join(tmpdir(), "formferry-runner-"))
const temp = join(runner, "folder with a space")
afterAll(() => rmSync(runner, { recursive: true }))

/** Replaces each `${{ … }}` with its value. */
const filled = (values: Readonly<Record<string, string>>, template: string) =>
  template.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name] ?? `no value of ${name}`)

/** Runs a step in bash with its variables and PATH, as GitHub's runner does. */
const runStep = ({ env = {}, run = "" }: Step, values: Readonly<Record<string, string>>, cwd: string) => {
  const file = join(temp, "step.sh")
  writeFileSync(file, run)
  const added = existsSync(join(temp, "path")) ? readFileSync(join(temp, "path"), "utf8").trim() : ""
  return inShell(`exec bash --noprofile --norc -e -o pipefail "${file}"`, cwd, {
    PATH: `${added}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: runner,
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION_PATH: repository,
    GITHUB_PATH: join(temp, "path"),
    GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
    RUNNER_TEMP: temp,
    ...(run === install.run ? registry() : {}),
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(values, value)])),
  })
}

const [install, formferry] = action.runs.steps as readonly [Step, Step]

/** Returns the action's inputs by their names in expressions. */
const inputs = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, given[name] ?? input.default]),
  )

/** A project with a due pipeline and the action. */
const project = Effect.gen(function*() {
  const at = yield* bench()
  at.write("source.csv", csv(upTo(5)))
  at.write("pipelines/contacts.yaml", pipelineYaml({ more: `schedule: { cron: "0 2 * * *", zone: Europe/Berlin }\n` }))
  const act = (given: Readonly<Record<string, string>>) => runStep(formferry, inputs(given), at.folder)
  return { ...at, act }
})

/** Installs the package as the action does. */
const installed = async () => {
  mkdirSync(temp)
  const name = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", temp], {
    cwd: repository,
  }).toString()
  const packed = { package: join(temp, name.trim()) }
  const { status, text } = await Effect.runPromise(runStep(install, inputs(packed), temp))
  expect(status, text).toBe(0)
}

if (isLong) beforeAll(installed)

it("the action and its workflows pass GitHub's own parser, which detects a planted mistake", async () => {
  const manifest = text("action.yml")
  expect(await actionFaults(manifest)).toEqual([])
  expect(await actionFaults(manifest.replace("shell:", "shel:"))).not.toEqual([])
  for (const workflow of Object.values(workflows)) {
    expect(await workflowFaults(workflow)).toEqual([])
    expect(await workflowFaults(workflow.replace("runs-on:", "runson:"))).not.toEqual([])
  }
  expect(cronFault((parse(workflows.schedule) as Workflow).on.schedule[0]?.cron ?? "")).toBeUndefined()
})

it("workflows never put an expression into shell text, and pin third-party actions to a commit", () => {
  const steps = [
    ...action.runs.steps,
    ...[...Object.values(workflows), text(".github/workflows/release.yml")].flatMap(stepsOf),
  ]
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([])
  const pinned = /^(\.\/|formferry\/formferry@v[\d.]+|[\w-]+\/[\w-]+@[0-9a-f]{40})$/
  expect(steps.filter(({ uses }) => uses !== undefined && !pinned.test(uses))).toEqual([])
  const { version } = JSON.parse(text("package.json")) as { readonly version: string }
  expect(workflows.check).toContain(`formferry/formferry@v${version}\n`)
  expect(workflows.schedule).toContain(`formferry/formferry@v${version}\n`)
})

it.scopedLive.runIf(isLong)(
  "the action annotates findings at their lines in a pull request, and shows no cells of the source",
  () =>
    Effect.gen(function*() {
      const at = yield* project
      at.write("source.csv", csv(upTo(3), (key) => `Person ${key},p${key}@example.org,Secretday`))
      const checked = yield* at.act({})
      expect(checked.status).toBe(0)
      expect(checked.text).toMatch(
        /^::warning file=pipelines\/contacts\.yaml,line=9,col=\d+,title=formferry::not-a-date in the column "Born": 3 of 3 rows: rows 1, 2, 3\./m,
      )
      expect(checked.text).not.toContain("Secretday")
      at.write("pipelines/contacts.yaml", pipelineYaml({ column: "Nmae" }))
      const wrong = yield* at.act({ command: "check contacts" })
      expect(wrong.status).toBe(2)
      expect(wrong.text).toMatch(/^::error file=pipelines\/contacts\.yaml,line=7,col=\d+,title=formferry::[^\n]*Nmae/m)
    }),
)

it.scopedLive.runIf(isLong)(
  "the action runs only if a ledger exists or `first-run` is set, and its summary contains no cells",
  () =>
    Effect.gen(function*() {
      const at = yield* project
      const command = "run contacts --confirm live"
      for (const refused of [command, "schedule --once", "--log-level debug  run contacts"]) {
        expect(yield* at.act({ command: refused })).toMatchObject({
          status: 2,
          text: expect.stringMatching(/^::error title=formferry::There is no ledger/),
        })
      }
      expect(at.count()).toBe(0)
      expect((yield* at.act({ command: "run contacts --dry-run" })).status).toBe(0)
      const born = (third: string) =>
        csv(upTo(5), (key) => `Person ${key},p${key}@example.org,${key === 3 ? third : "1990-01-17"}`)
      at.write("source.csv", born("Secretday"))
      const first = yield* at.act({ command, "first-run": "true" })
      expect(first.status, first.text).toBe(1)
      expect(first.text).toContain("::error title=formferry::Exit code 1: rows need review")
      const summary = at.read("summary.md")
      expect(summary).toContain("**contacts** → Form contacts (live): Rows need review.")
      expect(summary).toContain("5 read: 1 invalid, 4 imported.  \nRead back: 4 verified.  \nProblems: not-a-date 1.\n")
      expect(summary).toMatch(/```sh\nformferry run contacts --source \S+rejected\.csv --project \.\n```/)
      expect(first.text + summary).not.toMatch(/Secretday|Person \d/)
      at.write("source.csv", born("1990-01-18"))
      expect((yield* at.act({ command })).status).toBe(0)
      expect(at.count()).toBe(5)
    }),
)

it.scopedLive("the action's summary reports rows in doubt and how to settle them", () =>
  Effect.gen(function*() {
    const at = yield* bench({ faults: [{ fault: "reset", on: "create", when: "after", chance: 1, times: 1 }] })
    at.write("source.csv", csv(upTo(5)))
    const { status, stdout } = yield* at.inProcess("run", "contacts", "--output", "github")
    expect(status).toBe(4)
    expect(stdout).toContain("Rows are in doubt. Sent, but it is unknown whether they arrived.")
    expect(stdout).toContain(
      "\n::error title=formferry::Exit code 4: rows are in doubt",
    )
  }))

it.scopedLive.runIf(isLong)(
  "the action treats inputs as words of one command, never as shell text",
  () =>
    Effect.gen(function*() {
      const at = yield* project
      const hostile = "check; touch pwned; check $(touch pwned) `touch pwned` && touch pwned"
      expect((yield* at.act({ command: hostile })).status).toBe(2)
      expect((yield* at.act({ project: `."; touch pwned; "` })).status).toBe(2)
      expect(existsSync(join(at.folder, "pwned"))).toBe(false)
      // This glob matches names of pipelines, not files.
      expect((yield* at.act({ command: "check *" })).status).toBe(0)
    }),
)

it.scopedLive.runIf(isLong)(
  "the scheduled workflow imports once in a persistent folder, and refuses to run without its ledger",
  () =>
    Effect.gen(function*() {
      const at = yield* project
      const folder = join(at.folder, "srv")
      mkdirSync(folder)
      cpSync(join(at.folder, "source.csv"), join(folder, "source.csv"))
      const job = (first: string) =>
        Effect.gen(function*() {
          const values = { "env.PROJECT": folder, "inputs.first": first }
          const ended: Array<number | null> = []
          for (const step of stepsOf(workflows.schedule)) {
            if (step.uses?.startsWith("actions/checkout@") === true) continue
            const given = Object.entries(step.with ?? {}).map(([name, value]) => [name, filled(values, value)])
            const { status } = step.uses === undefined
              ? yield* runStep({ ...step, env: { PROJECT: folder } }, {}, at.folder)
              : yield* at.act(Object.fromEntries(given))
            ended.push(status)
          }
          return ended
        })
      expect(yield* job("")).toEqual([0, 2, 0])
      expect(yield* job("true")).toEqual([0, 0, 0])
      expect(yield* job("false")).toEqual([0, 0, 0])
      expect(at.count()).toBe(5)
      rmSync(join(folder, ".formferry"), { recursive: true })
      expect((yield* job("false"))[1]).toBe(2)
      expect(at.count()).toBe(5)
    }),
)
