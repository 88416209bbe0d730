import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { csvFiles } from "../../src/report/csvFiles.ts"
import { reportJson } from "../../src/report/reportFile.ts"
import { exampleReport } from "./exampleReport.ts"
import { places } from "./places.ts"

const page = (name: string) => readFileSync(resolve(import.meta.dirname, `../../docs/${name}.md`), "utf8")

/** Returns the first cells of the table under a heading, without their quotes. */
const documented = (text: string, heading: string): ReadonlyArray<string> => {
  const part = text.split(`\n${heading}\n`)[1]?.split(/\n#/)[0] ?? ""
  return [...part.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name ?? "")
}

/** A report with an element in every list, written as a run writes it. */
const written = (): unknown =>
  JSON.parse(reportJson(exampleReport({
    inDoubt: [{
      reason: "no answer within 30 s",
      count: 1,
      acknowledged: 0,
      fresh: 1,
      firstSentAt: "2025-03-01T02:00:30.000Z",
      lastSentAt: "2025-03-01T02:00:30.000Z",
    }],
  })))

describe("the documentation of reports", () => {
  it("the page names every field of report.json and no other, in order", () => {
    expect(documented(page("report"), "## report.json")).toEqual([...new Set(places(written()))])
  })

  it.each(Object.values(csvFiles))(
    "the page names every column of $name and no other, in order",
    ({ name, titles }) => {
      expect(documented(page("report"), `### ${name}`)).toEqual(titles)
    },
  )
})
