// A project whose only pipeline is pulled from a fake tool.
import { Clock, Effect, Either } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { cellText } from "../../../src/domain/cell.ts"
import { loadProject } from "../../../src/project/loadProject.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { fasterWaits } from "../../quickly.ts"
import { readAll, run as runInRealTime } from "../opening.ts"
import { token } from "./fakeTools.ts"

/** A sign-in, and the keys of a source. */
interface Config {
  readonly auth: string
  readonly source: string
}

/**
 * Makes the project's folder before the tests of a file, and removes it afterwards.
 *
 * @param base returns the tool's address
 */
export const pullProject = (base: () => string) => {
  // All pulls share the clock, because they share a rate.
  const clock = fasterWaits(Clock.make())
  /** Runs an effect whose waits for rates, retries and jobs are short. */
  const run = <A, E>(effect: Parameters<typeof runInRealTime<A, E>>[0]) =>
    runInRealTime(Effect.withClock(effect, clock))
  /** Returns the time by which waits are measured, in milliseconds. */
  const now = () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

  const root = mkdtempSync(join(tmpdir(), "formferry-pull-"))
  /** The folder for temporary files. Other tests use a different one, so that what is left in it is left by a pull. */
  const temporary = join(root, "temporary")
  const usual = process.env["TMPDIR"]
  beforeAll(() => {
    for (const folder of ["config", "pipelines", "temporary"]) mkdirSync(join(root, folder))
    process.env["TMPDIR"] = temporary
    writeFileSync(join(root, ".env"), `TOOL_TOKEN=${token}\nOLD_TOKEN=tok_expired\n`)
  })
  afterAll(() => {
    if (usual === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = usual
    rmSync(root, { recursive: true })
  })

  /** Loads a project whose pipeline has this source. */
  const load = (auth: string, source: string, { more = "", rate = 100 } = {}) => {
    writeFileSync(
      join(root, "config/formferry.yaml"),
      `services: { practice: { practice: { forms: forms } } }
connections:
  tool: { base: "${base()}", auth: ${auth}, requestsPerSecond: ${rate}${more} }
`,
    )
    writeFileSync(
      join(root, "pipelines/people.yaml"),
      `pipeline: people
source:
  connection: tool
  ${source}
  rowKey: [id]
mapping: { questions: [{ name: Name, from: name }] }
sink: { service: practice, form: people }
`,
    )
    return Effect.map(loadProject(root), ({ pipelines }) => pipelines.get("people")!.source)
  }

  const open = (auth: string, source: string, more = {}) =>
    Effect.flatMap(load(auth, source, more), (config) => openSource(config))

  /** Pulls and reads a source. Returns the ids and names. */
  const pulled = ({ auth, source }: Config, more = {}) =>
    run(Effect.gen(function*() {
      const opened = yield* open(auth, source, more)
      const { faults, rows } = yield* readAll(opened)
      const files = yield* opened.files
      expect(faults.size).toBe(0)
      return { rows: rows.map((row) => row.map((cell) => cellText(cell)).join(" ")), opened, files }
    }))

  const leftBehind = () => readdirSync(temporary)

  /** Returns how opening fails, and checks that the message has no secret and that nothing is left. */
  const failure = async ({ auth, source }: Config, more = {}) => {
    const before = leftBehind()
    const result = await run(Effect.either(open(auth, source, more)))
    if (Either.isRight(result)) throw new Error("it was opened")
    expect(result.left.message).not.toMatch(/tok_|secretpath/)
    expect(leftBehind()).toEqual(before)
    return result.left
  }

  return { failure, leftBehind, load, now, open, pulled, root, run, temporary }
}
