import { NodeContext } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Difference, RunReport } from "../../src/domain/report.ts"
import type { InDoubtRow, RejectedRow } from "../../src/report/csvFiles.ts"
import { DifferenceGroups } from "../../src/report/DifferenceGroups.ts"
import { openRunFolder } from "../../src/report/RunFolder.ts"
import { exampleReport } from "../report/exampleReport.ts"

/** Writes a report of these rows, as a run does, and returns the address of its page. */
export const writeReport = async (content: {
  readonly report?: Partial<RunReport>
  readonly columns?: ReadonlyArray<string>
  readonly rejected?: ReadonlyArray<RejectedRow>
  readonly inDoubt?: ReadonlyArray<InDoubtRow>
  readonly differences?: ReadonlyArray<Difference>
}): Promise<string> => {
  const { differences = [], inDoubt = [], rejected = [] } = content
  const findings = new DifferenceGroups()
  for (const difference of differences) findings.add(difference)
  const reports = mkdtempSync(join(tmpdir(), "formferry-report-"))
  const report = exampleReport({
    differences: differences.slice(0, 1000),
    findings: findings.all(() => undefined),
    ...content.report,
  })
  return Effect.gen(function*() {
    const folder = yield* openRunFolder({ reports, pipeline: "contacts", run: "r1" })
    yield* folder.reject(rejected)
    yield* folder.differ(differences)
    yield* folder.finish({
      report,
      columns: content.columns ?? ["No", "Name", "Born", "Phone"],
      imported: Stream.empty,
      inDoubt: Stream.make(inDoubt),
      fateOf: (row) => row,
    })
    return pathToFileURL(join(folder.path, "report.html")).href
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.runPromise)
}

const names = ["Ada Lovelace", "Jürgen Müller", "Zoë Öz", "Łukasz Wójcik", "Нина Иванова", "山田 花子", "Seán Ó Briain"]

const pick = <A>(list: ReadonlyArray<A>, index: number): A => list[index % list.length]!

/** Rejected rows and differences, as after an import of a messy source into a service that reformats answers. */
export const manyRows = (count: number) => {
  const rejected = Array.from({ length: Math.floor(count * 0.7) }, (_, index): RejectedRow => {
    const row = index * 3 + 1
    const date = `${31}.${String((index % 12) + 1).padStart(2, "0")}.19${String(index % 90).padStart(2, "0")}`
    return {
      id: `r${row}`,
      row,
      key: `K-${String(row).padStart(6, "0")}`,
      fate: pick(["invalid", "invalid", "invalid", "duplicate", "refused"] as const, index),
      problems: [{
        code: "not-a-date",
        column: pick(["Born", "Customer since", "Phone"], index),
        question: "q1",
        value: date,
        message: `Born: "${date}" is not a date, expected a date as dd.MM.yyyy.`,
      }],
      cells: [`K-${row}`, pick(names, index), date, ""],
      needsReview: true,
    }
  })
  const differences = Array.from({ length: Math.floor(count * 0.25) }, (_, index): Difference => {
    const row = index * 4 + 2
    const phone = `0${30_000_000 + index * 37}`
    const base = { row, key: `K-${String(row).padStart(6, "0")}`, submissionId: `sub-${row}` }
    const editLink = `https://forms.example/edit/sub-${row}`
    return index % 3 === 0
      ? {
        ...base,
        question: "q3",
        name: "Notes",
        verdict: "absent",
        sent: pick(names, index),
        returned: null,
        editLink,
      }
      : {
        ...base,
        question: "q2",
        name: "Phone",
        verdict: "different",
        sent: phone,
        returned: phone.slice(1),
        editLink,
      }
  })
  const inDoubt = Array.from({ length: count - rejected.length - differences.length }, (_, index): InDoubtRow => ({
    row: index * 5 + 3,
    key: `K-${String(index * 5 + 3).padStart(6, "0")}`,
    batch: Math.floor(index / 10) + 1,
    sentAt: "2025-03-01T02:00:30.000Z",
    reason: "no answer within 30 s, while waiting for the answer after sending had started",
    cells: [`K-${index * 5 + 3}`, pick(names, index), "", ""],
  }))
  return { rejected, differences, inDoubt }
}

/** Texts that try to escape from their HTML element. */
export const attacks = [
  "<script>window.attacked = 1; alert(1)</script>",
  `"><img src="https://evil.example/x.png" onerror="window.attacked = 2">`,
  "</script><script>window.attacked = 3</script>",
  "</title></style><svg onload=window.attacked=4>",
  "<!--<script>",
  "' onmouseover='window.attacked = 5' x='",
  "javascript:window.attacked=6",
  "\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Bzero\u200B width",
  "\u0000\u0001\u001B[31mred\u001B[0m\u0007\u009B",
  "line\r\nbreaks\u2028and\u2029more\ttab",
  "{{constructor.constructor('window.attacked = 7')()}}",
  "\uD800 lone \uDFFF",
  '=HYPERLINK("https://evil.example")',
  "x".repeat(5_000),
  "https://evil.example/?" + "a".repeat(300),
]
