// Tests sources with as many columns as a workbook can have.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Session } from "node:inspector/promises"
import { setFlagsFromString } from "node:v8"
import { columnName, listed } from "../../src/domain/words.ts"
import { isLong } from "../long.ts"
import { ods, odsRow, text, xlsx, zip } from "../source/workbooks.ts"
import { type Bench, bench } from "./contacts.ts"

/**
 * Counts how often functions and their blocks run during some work. Unlike the time, the count does not depend on the
 * machine. V8 does not count in optimised functions, so nothing is optimised meanwhile.
 */
const countRuns = (work: Effect.Effect<void>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const session = new Session()
      session.connect()
      for (const flag of ["--no-opt", "--no-maglev"]) setFlagsFromString(flag)
      await session.post("Profiler.enable")
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
      return session
    }),
    (session) =>
      Effect.andThen(
        work,
        Effect.promise(async () => {
          const { result } = await session.post("Profiler.takePreciseCoverage")
          return result.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
            .reduce((sum, count) => sum + count, 0)
        }),
      ),
    (session) =>
      Effect.promise(async () => {
        await session.post("Profiler.disable")
        session.disconnect()
        setFlagsFromString("--opt")
      }),
  )

const cells = (line: string, columns: number) => Array.from({ length: columns }, (_, at) => `${line} ${at}`)

/** Returns a header and two rows with this many columns. */
const formats: Readonly<Record<string, (columns: number) => string | Uint8Array>> = {
  csv: (columns) => lines.map((line) => `${cells(line, columns).join(",")}\n`).join(""),
  xlsx: (columns) => {
    const rows = lines.map((line, nth) => {
      const all = cells(line, columns).map((cell, at) => `<c r="${columnName(at)}${nth + 1}" ${text(cell)}</c>`)
      return `<row r="${nth + 1}">${all.join("")}</row>`
    })
    return zip(xlsx([{ name: "Rows", rows: rows.join("") }]))
  },
  ods: (columns) => ods({ Rows: { rows: lines.map((line) => odsRow(...cells(line, columns))).join("") } }),
}

const lines = ["title", "one", "two"]

/** Writes a file with this many columns, and a pipeline that maps the first and the last one. Runs commands on them. */
const wide = (at: Bench, format: string, columns: number, names: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const file = `${format}-${columns}.${format}`
    at.write(file, formats[format]!(columns))
    at.write(
      "pipelines/contacts.yaml",
      `pipeline: contacts
source: { file: ../${file}, rowKey: [title 0] }
mapping:
  questions: [{ name: Name, from: title ${columns - 1} }]
  ignoreQuestions: [E-mail, Born]
  unmapped: ignore
sink: { service: live, form: contacts }
`,
    )
    for (const name of names) {
      const ran = yield* at.inProcess(name, name === "inspect" ? file : "contacts")
      expect([name, columns, ran.status], ran.stderr).toEqual([name, columns, 0])
    }
  })

for (const format of Object.keys(formats)) {
  const counted = format === "csv" ? ["inspect", "check", "rehearse"] : ["inspect"]
  it.scopedLive.runIf(isLong)(
    `the work of ${
      listed(counted)
    } is in proportion to the columns of a source, and run imports 16,000 columns (.${format})`,
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        // Loads every module that is needed.
        yield* wide(at, format, 100, counted)
        const few = yield* countRuns(wide(at, format, 500, counted))
        const many = yield* countRuns(wide(at, format, 2000, counted))
        expect(many / few).toBeLessThan(4 * 1.5)
        yield* wide(at, format, 16_000, ["run"])
        expect(at.answers("qName")).toEqual(["one 15999", "two 15999"])
      }),
    240_000,
  )
}
