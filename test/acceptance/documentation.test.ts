// Runs every command of README and of the pages in docs/, as a shell does.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { everywhere, flagOf } from "../../src/cli/commandLine.ts"
import { tree } from "../../src/cli/formferry.ts"
import { isLong } from "../long.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { inShell, repository } from "./deployed.ts"
import { apiKey, inScript } from "./formferry.ts"
import { blocksOf, markdownIn, pages } from "./pages.ts"

const badRow = csv(upTo(4), (key) => `Person ${key},${key === 3 ? "nonsense" : `p${key}@example.org`},1990-01-17`)

const sink = "service: live\n  form: contacts"

/** Makes the project from which a page's commands start, with the commands in its `bin`. */
const project = (state: string) =>
  Effect.gen(function*() {
    const at = yield* bench(
      state.startsWith("in doubt")
        ? { faults: [{ fault: "status", status: 500, body: "json", when: "after", at: [1] }] }
        : {},
    )
    const shim = (name: string, script: string) => {
      at.write(`bin/${name}`, `#!/bin/sh\n${script}\n`)
      chmodSync(join(at.folder, "bin", name), 0o755)
    }
    shim("formferry", `exec ${inScript} "$@"`)
    shim(
      "npm",
      `case "$*" in ci) ;; "run demo") grep -q "dist/main.js demo" "${repository}/package.json" ;; *) exit 64 ;; esac`,
    )
    shim("xdg-open", 'test -f "$1"')
    shim("open", 'test -f "$1"')
    const shell = (line: string) =>
      inShell(line, at.folder, {
        PATH: `${join(at.folder, "bin")}:/usr/bin:/bin`,
        HOME: at.folder,
        TMPDIR: at.folder,
      })
    if (state === "files") {
      for (const folder of ["config", "pipelines"]) rmSync(join(at.folder, folder), { recursive: true })
      return { ...at, shell }
    }
    const instead = state.endsWith("with list") ? "    capabilities: [list]\n" : ""
    at.edit("config/formferry.yaml", / {4}confirm: false\n/, instead)
    at.write(
      "forms/contacts.yaml",
      "id: contacts\nname: Contacts\nquestions: [{ id: q1, name: Name, type: ShortAnswer }]\n",
    )
    const rows = state === "rejected" ? badRow : csv(upTo(4))
    at.write("source.csv", rows)
    at.write("contacts.csv", rows)
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({
        sink,
        more: `schedule: { cron: "0 2 * * *", zone: Europe/Berlin }\n`,
      }),
    )
    const { status, text } = state === "new"
      ? { status: 0, text: "" }
      : yield* shell("formferry run contacts --confirm live")
    expect({ text, status }).toMatchObject({
      status: { rejected: 1, "in doubt": 4, "in doubt with list": 4 }[state] ?? 0,
    })
    const results = yield* Effect.promise(() => fetch(`${at.results}/contacts/csv`))
    at.write("results.csv", yield* Effect.promise(() => results.text()))
    return { ...at, shell }
  })

const script = (text: string): ReadonlyArray<string> =>
  // A quoted argument may span several lines.
  text.trimEnd().split(/\n(?=(?:[^']*'[^']*')*[^']*$)/)

// The commands of the tutorial run in every `npm test`, and those of the other pages with the longer proofs.
for (const page of isLong ? pages : ["docs/tutorial.md"]) {
  it.scopedLive(`the commands of ${page} run`, () =>
    Effect.gen(function*() {
      const blocks = blocksOf(readFileSync(join(repository, page), "utf8"))
      const startsFromFiles = blocks.some(({ file }) => file === "people.csv")
      let at: Effect.Effect.Success<ReturnType<typeof project>> | undefined
      for (const { file, language, state, text } of blocks) {
        if (state !== undefined) at = yield* project(state)
        if (file === undefined && language !== "sh") continue
        at ??= yield* project(startsFromFiles ? "files" : "new")
        if (file !== undefined) at.write(file, text)
        else {
          for (const line of script(text)) {
            const [, expected = "0"] = /# exits with code (\d+)$/.exec(line) ?? []
            const runsUntilSignal = line.endsWith("# runs until Ctrl-C")
            const ran = yield* at.shell(runsUntilSignal ? `timeout -s INT 2 ${line}` : line)
            const status = runsUntilSignal ? 124 : Number(expected)
            expect(ran, `${page}: ${line}\n${ran.text.replaceAll(apiKey, "")}`).toMatchObject({ status })
          }
        }
      }
    }))
}

const commands = Object.values(tree).flat().flatMap((one) =>
  "commands" in one ? one.commands.map((inner) => ({ ...inner, name: `${one.name} ${inner.name}` })) : [one]
)

const options = new Set([
  "--help",
  "--version",
  "--no-color",
  ...Object.keys(everywhere).map(flagOf),
  ...commands.flatMap((one) => Object.keys(one.options).map(flagOf)),
])

/** Options of other programs that the pages mention. */
const foreign =
  /(?<![\w-])(?:npm|docker|kubectl|systemctl|journalctl|curl|sed|node|git) [^\n`]*|`--only`|`--env [^`]*`|`--volume`/g

it.each(pages)("%s names only existing options", (page) => {
  const text = readFileSync(join(repository, page), "utf8").replaceAll(/<!--[^]*?-->/g, "")
  const named = [
    ...text.replaceAll(/```text[^]*?```/g, "").replaceAll(foreign, "").matchAll(/(?<![\w-])--[a-z][a-z-]*/g),
  ].map(([flag]) => flag)
  expect(named.filter((flag) => !options.has(flag))).toEqual([])
  for (const [, words = "", name = ""] of text.matchAll(/formferry ((?:ledger )?([a-z]+)[^\n`#]*)/g)) {
    const used = commands.find((one) => words === one.name || words.startsWith(`${one.name} `))
    if (used === undefined) continue
    const own = new Set([...Object.keys(used.options), ...Object.keys(everywhere)].map(flagOf))
    const flags = [...words.matchAll(/ (--[a-z-]+)/g)].map(([, flag = ""]) => flag)
    expect({ name, wrong: flags.filter((flag) => !own.has(flag) && flag !== "--no-color") }).toEqual({
      name,
      wrong: [],
    })
  }
})

it("the documentation describes every command and option", () => {
  const text = readFileSync(join(repository, "docs/commands.md"), "utf8")
  const sections = new Map(text.split(/\n### /).map((part) => [part.split("\n")[0], part]))
  for (const one of commands) {
    for (const key of Object.keys(one.options)) {
      expect(sections.get(one.name), `${one.name} ${key}`).toContain(`\`${flagOf(key)}`)
    }
  }
  for (const flag of options) expect(text).toContain(flag)
})

it("at most three commands in the documentation are not tested", () => {
  const skipped = pages.flatMap((page) =>
    blocksOf(readFileSync(join(repository, page), "utf8")).flatMap(({ file, language, text }) =>
      file === undefined && language !== "sh" && /^(formferry|npm|npx) /m.test(text)
        ? [`${basename(page)}: ${text.trim()}`]
        : []
    )
  )
  expect(skipped.length, skipped.join("\n")).toBeLessThanOrEqual(3)
})

/** Returns the anchors of a page's headings, as common viewers create them. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")
    ),
  )

const linked = [...pages, "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", ...markdownIn("docs/decisions")]

it.each(linked)("every link of %s has a target", (page) => {
  const text = readFileSync(join(repository, page), "utf8").replaceAll(/^ *```[^]*?^ *```$/gm, "")
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((target) => {
    if (/^https?:/.test(target)) return false
    const [file = "", anchor] = target.split("#")
    const path = file === "" ? join(repository, page) : join(repository, dirname(page), file)
    return !existsSync(path) || (anchor !== undefined && !anchorsOf(readFileSync(path, "utf8")).has(anchor))
  })
  expect(broken, page).toEqual([])
})

it("the index lists every page, and the source names only existing pages", () => {
  const index = readFileSync(join(repository, "docs/README.md"), "utf8")
  for (const page of pages.filter((one) => /^docs\/[^/]+$/.test(one) && one !== "docs/README.md")) {
    expect(index).toContain(`(${basename(page)})`)
  }
  const sources = readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" })
  for (const file of sources.filter((name) => name.endsWith(".ts"))) {
    for (const [name] of readFileSync(join(repository, "src", file), "utf8").matchAll(/docs\/[\w/-]+\.md/g)) {
      expect(existsSync(join(repository, name)), `${file}: ${name}`).toBe(true)
    }
  }
})
