// Tests `npm run check`: in a small project with the same settings, planted faults make each step fail. `npm run check`
// on this project shows that correct code passes.
import { execFile } from "node:child_process"
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { isLong } from "../long.ts"

const house = resolve(import.meta.dirname, "../..")

const settings = [
  ".dependency-cruiser.cjs",
  ".gitignore",
  ".npmrc",
  ".oxlintrc.json",
  "dprint.json",
  "knip.jsonc",
  "package.json",
  "test/tsconfig.json",
  "tsconfig.json",
]

const small = {
  "src/main.ts": `import { command } from "./cli/command.ts"\n\nvoid command\n`,
  "src/cli/command.ts":
    `import { Effect } from "effect"\nimport type { Row } from "../domain/row.ts"\n\nexport const command = (row: Row) => Effect.succeed(row.number)\n`,
  "src/domain/row.ts": `export interface Row {\n  readonly number: number\n}\n`,
}

/** Runs one step of `npm run check` on the small project, with the `planted` files added or replaced. */
const check = async (step: string, planted: Record<string, string>) => {
  const project = await mkdtemp(join(tmpdir(), "formferry-house-"))
  try {
    // The generated files come from this project's code, so this step gets a copy of the code.
    const whole = step === "check:generated"
    for (const folder of whole ? ["src", "test/house", ".ci", "config", "docs"] : [".ci"]) {
      await cp(join(house, folder), join(project, folder), { recursive: true })
    }
    for (const [file, text] of Object.entries({ ...(whole ? {} : small), ...planted })) {
      await mkdir(dirname(join(project, file)), { recursive: true })
      await writeFile(join(project, file), text)
    }
    await mkdir(join(project, "test"), { recursive: true })
    for (const file of settings) await copyFile(join(house, file), join(project, file))
    await symlink(join(house, "node_modules"), join(project, "node_modules"), "dir")
    return await new Promise<{ readonly failed: boolean; readonly output: string }>((done) => {
      // The small project uses few packages, so only unused code counts.
      const options = step === "check:unused" ? ["--", "--include", "files,exports,types"] : []
      execFile("npm", ["run", "--silent", step, ...options], { cwd: project }, (error, stdout, stderr) => {
        done({ failed: error !== null, output: stdout + stderr })
      })
    })
  } finally {
    await rm(project, { recursive: true, force: true })
  }
}

/** Returns a module that runs `body` inside an Effect. */
const effect = (body: string) =>
  `import { Effect } from "effect"\n\nexport const command = Effect.gen(function*() {\n  yield* Effect.void\n  ${body}\n})\n`

/** For each step: files that break its rules, and the expected messages. */
const faults: Record<string, { readonly planted: Record<string, string>; readonly says: ReadonlyArray<string> }> = {
  "check:direction": {
    planted: {
      "src/source/station.ts": `export { send } from "../sink/send.ts"\n`,
      "src/sink/send.ts": `export const send = 1\n`,
      "src/kinds/upwards.ts": `export { client } from "../service/client.ts"\n`,
      "src/service/client.ts": `export const client = 1\nexport type Client = 1\n`,
      "src/ledger/type.ts": `import type { Client } from "../service/client.ts"\n\nexport type Sql = Client\n`,
      "src/run/lazy.ts": `export const show = () => import("../cli/command.ts")\n`,
      "src/domain/package.ts": `import type { Effect } from "effect"\n\nexport type Row = Effect.Effect<number>\n`,
      "src/practice/tested.ts": `export { planted } from "../../test/planted.ts"\n`,
      "test/planted.ts": `export const planted = 1\n`,
      "src/jobs/lost.ts": `export { lost } from "../elsewhere/lost.ts"\n`,
      "src/elsewhere/lost.ts": `export const lost = 1\n`,
      "src/kinds/one.ts": `import { two } from "./two.ts"\n\nexport const one = () => two\n`,
      "src/kinds/two.ts": `import { one } from "./one.ts"\n\nexport const two = () => one\n`,
      "src/kinds/alone.ts": `export const alone = 1\n`,
      "src/mapping/any.ts": `export { any } from "./utils.ts"\n`,
      "src/mapping/utils.ts": `export const any = 1\n`,
      "src/suggest/words/upwards.ts": `export { draft } from "../draft/draft.ts"\n`,
      "src/suggest/units.ts": `export { draft } from "./draft/draft.ts"\n`,
      "src/suggest/draft/draft.ts": `export const draft = 1\n`,
      "src/mapping/tool.ts": `export { build } from "esbuild"\n`,
      "src/mapping/undeclared.ts": `export { default } from "estree-walker"\n`,
      "src/report/typo.ts": `export { typo } from "./tpyo.ts"\n`,
    },
    says: [
      "direction-source: src/source/station.ts",
      "direction-kinds: src/kinds/upwards.ts",
      "direction-ledger: src/ledger/type.ts",
      "direction-run: src/run/lazy.ts",
      "domain-imports-nothing: src/domain/package.ts",
      "src-without-tests: src/practice/tested.ts",
      "only-known-folders: src/jobs/lost.ts",
      "no-cycle: src/kinds/one.ts",
      "no-orphan: src/kinds/alone.ts",
      "named-for-its-idea: src/mapping/any.ts",
      "words-import-words: src/suggest/words/upwards.ts",
      "suggest-without-draft: src/suggest/units.ts",
      "tools-stay-outside: src/mapping/tool.ts",
      "declared-packages: src/mapping/undeclared.ts",
      "resolvable: src/report/typo.ts",
    ],
  },
  "check:types": {
    planted: {
      "src/run/index.ts": `export const first = (names: Array<string>): string => names[0]\n`,
      "test/assign.ts": `export const assign: number = ""\n`,
      "src/run/clock.ts": effect("return Date.now()"),
      "src/run/screen.ts": effect(`console.log("")`),
      "src/run/environment.ts": effect("return process.env.HOME"),
      "src/run/provide.ts":
        `import { Effect, Layer } from "effect"\n\nexport const command = Effect.provide(Effect.void, Layer.empty)\n`,
      "test/clock.ts": effect("return Date.now()"),
    },
    says: [
      "src/run/index.ts(1,",
      "test/assign.ts(1,",
      "globalDateInEffect",
      "globalConsoleInEffect",
      "processEnvInEffect",
      "strictEffectProvide",
      "test/clock.ts(",
    ],
  },
  "check:lint": {
    planted: {
      "src/run/stop.ts": `export const stop = 1\ndebugger\n`,
      "src/run/later.ts": `// xxx: later\nexport const later = 1\n`,
      "src/run/screen.ts": `export const screen = () => console.log("")\n`,
    },
    says: ["no-debugger", "no-warning-comments", "no-console"],
  },
  "check:format": {
    planted: { "src/run/quotes.ts": `export const quotes = 'one';\n` },
    says: ["src/run/quotes.ts"],
  },
  "check:generated": {
    planted: { "docs/pipeline.md": "Written manually.\n", "config/schemas/pipeline.schema.json": "{}\n" },
    says: ["docs/pipeline.md", "config/schemas/pipeline.schema.json"],
  },
  "check:unused": {
    planted: {
      "src/cli/command.ts": `export const command = 1\nexport const neverUsed = 2\n`,
      "src/kinds/alone.ts": `export const alone = 1\n`,
    },
    says: ["neverUsed", "src/kinds/alone.ts"],
  },
}

/** Steps that take several seconds each. They run with the longer proofs. */
const slow = new Set(["check:direction", "check:types", "check:generated", "check:unused"])

describe.concurrent("npm run check", () => {
  it.each(Object.entries(faults).filter(([step]) => isLong || !slow.has(step)))(
    "the step %s finds each planted fault",
    async (step, { planted, says }) => {
      const { failed, output } = await check(step, planted)
      expect(failed, output).toBe(true)
      for (const words of says) expect(output).toContain(words)
    },
  )

  it("every step of npm run check has a test", async () => {
    const { scripts } = JSON.parse(await readFile(join(house, "package.json"), "utf8")) as { scripts: object }
    expect(Object.keys(scripts).filter((name) => name.startsWith("check:")).toSorted()).toEqual(
      Object.keys(faults).toSorted(),
    )
  })
})
