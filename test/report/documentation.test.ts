import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, it } from "vitest"
import { reportJson } from "../../src/report/reportFile.ts"
import { exampleReport } from "./exampleReport.ts"
import { places } from "./places.ts"

/** Returns the first cells of the documentation's table of report.json, without their quotes. */
const documented = (): ReadonlyArray<string | undefined> => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/report.md"), "utf8")
  const part = page.split("\n## report.json\n")[1]?.split(/\n#/)[0] ?? ""
  return [...part.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
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

it("the documentation names every field of report.json and no other, in order", () => {
  expect(documented()).toEqual([...new Set(places(written()))])
})
