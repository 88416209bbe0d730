import { execFileSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, it } from "vitest"
import { parse } from "yaml"
import { workflowFaults } from "../acceptance/workflow.ts"

const repository = resolve(import.meta.dirname, "../..")
const text = readFileSync(join(repository, ".github/workflows/release.yml"), "utf8")

const folder = mkdtempSync(join(tmpdir(), "formferry-release-"))
afterAll(() => rmSync(folder, { recursive: true }))
const manifest = join(folder, "package.json")
copyFileSync(join(repository, "package.json"), manifest)

interface Manifest {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly homepage: string
  readonly bugs: { readonly url: string }
  readonly repository: { readonly url: string }
}
const { bugs, homepage, repository: { url }, scripts, version } = JSON.parse(readFileSync(manifest, "utf8")) as Manifest

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: ReadonlyArray<{ readonly name?: string; readonly run?: string }> }>
  >
}
const steps = Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps)

/** Runs a step as GitHub does. */
const step = (name: string, env: Readonly<Record<string, string>>) => {
  const run = steps.find((one) => one.name === name)?.run ?? `no step is called ${name}`
  return execFileSync("bash", ["-e", "-c", run], { cwd: folder, env: { ...process.env, ...env }, stdio: "pipe" })
}

it("GitHub's own parser finds no fault in the release workflow, but finds planted mistakes", async () => {
  expect(await workflowFaults(text)).toEqual([])
  expect(await workflowFaults(text.replace("needs: build", "needs: biuld"))).not.toEqual([])
  expect(await workflowFaults(text.replace("runs-on:", "runson:"))).not.toEqual([])
})

it("the release workflow refuses a tag that differs from the version", () => {
  step("The tag is the version", { GITHUB_REF_NAME: `v${version}` })
  expect(() => step("The tag is the version", { GITHUB_REF_NAME: "v99.0.0" })).toThrow("Command failed")
})

it("the release workflow writes the addresses of its repository into package.json", () => {
  // The repository isn't published yet, so package.json contains an address reserved for examples.
  expect([url, homepage, bugs.url].filter((one) => !one.includes("https://git.example.com/formferry"))).toEqual([])
  step("The package names this repository", {
    GITHUB_SERVER_URL: "https://git.example.org",
    GITHUB_REPOSITORY: "team/ferry",
  })
  expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({
    repository: { type: "git", url: "git+https://git.example.org/team/ferry.git" },
    homepage: "https://git.example.org/team/ferry#readme",
    bugs: { url: "https://git.example.org/team/ferry/issues" },
  })
})

it("the release workflow runs scripts that exist, and tests the lowest Node version that package.json allows", () => {
  const runs = steps.flatMap(({ run }) => /npm run (\S+)/.exec(run ?? "")?.[1] ?? [])
  expect(runs).toEqual(["release"])
  expect(Object.keys(scripts)).toContain("release")
  const { engines } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly engines: { readonly node: string } }
  expect(text).toContain(`node: ["${engines.node.replace(">=", "")}",`)
})
