// Tests sources with as many columns as a workbook can have.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Session } from "node:inspector/promises"
import { setFlagsFromString } from "node:v8"
import { columnName } from "../../src/source/workbook/Sheet.ts"
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

/** Inspects a file with this many columns, and also checks and surveys it if it is CSV. The first and the last column are mapped. */
const inspect = (at: Bench, format: string, columns: number) =>
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
    const later = format === "csv" ? [["check", "contacts"], ["run", "contacts", "--dry-run"]] : []
    for (const command of [["inspect", file], ...later]) {
      const ran = yield* at.inProcess(...command)
      expect([command, ran.status], ran.stderr).toEqual([command, 0])
    }
  })

for (const format of Object.keys(formats)) {
  it.scopedLive.runIf(isLong)(
    `inspect, check and run need work in proportion to the columns of a source, and import 16,000 columns (.${format})`,
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        // Loads every module that is needed.
        yield* inspect(at, format, 100)
        const few = yield* countRuns(inspect(at, format, 1000))
        const many = yield* countRuns(inspect(at, format, 4000))
        expect(many / few).toBeLessThan(4 * 1.5)
        yield* inspect(at, format, 16_000)
        const ran = yield* at.inProcess("run", "contacts")
        expect(ran.status, ran.stderr).toBe(0)
        expect(at.answers("qName")).toEqual(["one 15999", "two 15999"])
      }),
    240_000,
  )
}
