// Tests files damaged by disks, mail programs and people: flipped bytes, cuts, and inserted quotes and line ends. A
// source must not crash, hang, print, or silently lose a row. It is refused, or its returned and reported rows add up
// to the rows in the file.
import { Cause, Effect, Exit } from "effect"
import { afterAll, describe, expect, it, vi } from "vitest"
import { seeds } from "../long.ts"
import { random } from "../random.ts"
import { mutate } from "./mutated/mutate.ts"
import { samples } from "./mutated/samples.ts"
import {
  checkCells,
  checkJson,
  checkLines,
  checkSealed,
  checkText,
  doubts,
  type Reading,
  taken,
} from "./mutated/truth.ts"
import { config, file, read, run } from "./opening.ts"

/** For different files: `MUTATED=20000 MUTATED_SEED=7 npx vitest run test/source/mutated.test.ts`. */
const count = Number(process.env["MUTATED"] ?? seeds(120, 600))
const seed = Number(process.env["MUTATED_SEED"] ?? 20_261_120)

/** Reads a file, or returns the refusal's message. Any other error fails the test. */
const attempt = async (content: Buffer, extension: string): Promise<Reading | string> => {
  const exit = await run(
    Effect.exit(Effect.timeout(read(config(file(content, extension)), { blockSize: 4096 }), "10 seconds")),
  )
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "None" || failure.value._tag !== "SourceError") throw new Error(Cause.pretty(exit.cause))
  // The message is a sentence with advice.
  expect(failure.value.message).toMatch(/[.)]$/)
  expect(failure.value.message).not.toMatch(/undefined|\[object|NaN/)
  return failure.value.message
}

describe(`${count} mutated files, from seed ${seed}`, () => {
  const share = Math.ceil(count / samples.length)
  const counts = { samples: 0, files: 0, refused: 0, read: 0, doubted: 0 }
  const printed = vi.spyOn(console, "error")

  it.each(samples)(
    "reading a mutated file never loses a row silently, prints nothing, and gives advice if it fails: $name",
    async ({ bytes, extension, kind }) => {
      const whole = await attempt(bytes, extension)
      if (typeof whole === "string") throw new Error(whole)
      const next = random(seed + bytes.length)
      for (let at = 0; at < share; at++) {
        const content = mutate(bytes, next, kind === "xls" || kind === "sealed")
        const all = await attempt(content, extension)
        counts.files++
        if (typeof all === "string") {
          counts.refused++
          continue
        }
        counts.read++
        expect(all.files.map((one) => one.file.rows)).toEqual([all.rows.length])
        const format = all.source.format
        if (doubts(all)) counts.doubted++
        else if (kind === "xls") checkCells(whole, all)
        else if (
          kind === "sealed"
          && (format === whole.source.format && taken(all).has("archive") === taken(whole).has("archive"))
        ) {
          checkSealed(whole, all)
        } // A change may turn a file into a different kind. For example, JSON without its first bracket is a text.
        else if (format === "json") checkJson(content, all)
        else if (format === "jsonl") checkLines(content, all)
        else checkText(content, all)
      }
      expect(printed.mock.calls).toEqual([])
      counts.samples++
    },
    60_000,
  )

  afterAll(() => {
    printed.mockRestore()
    const { doubted, files, read, refused } = counts
    process.stdout.write(
      `mutated files, seed ${seed}: ${files}, of which ${refused} refused, ${read} read (${doubted} of them with a doubt)\n`,
    )
    // Some samples can be tested separately.
    if (counts.samples < samples.length) return
    expect(files).toBeGreaterThanOrEqual(count)
    expect(refused).toBeGreaterThan(0)
  })
})
