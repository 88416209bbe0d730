import { expect, it } from "vitest"
import { annotation } from "../../src/cli/github.ts"
import { markdownOf, reported } from "../../src/notify/Notification.ts"
import { exampleReport } from "../report/exampleReport.ts"

it("an annotation stays on its line and in its property, whatever the finding's text is", () => {
  const finding = { severity: "error", file: "a,b:c%/pipelines/x.yaml", line: 3, column: 5 } as const
  expect(annotation({ ...finding, message: "100 % of it:\r\nno", suggestion: "Did you mean `a,b`?" })).toBe(
    "::error file=a%2Cb%3Ac%25/pipelines/x.yaml,line=3,col=5,title=formferry::100 %25 of it:%0D%0Ano%0ADid you mean `a,b`?",
  )
})

it("the summary of a run starts no line with a text of the form or of an anomaly", () => {
  const form = { service: "live", id: "f", name: "People\r\n::error::hacked\n::add-mask::a" }
  const anomalies = [{ code: "gap", message: "A file is missing:\n::stop-commands::x", new: true }] as const
  const lines = markdownOf(reported(exampleReport({ pipeline: "people", form }), anomalies)).split(/[\r\n]/)
  expect(lines.filter((line) => line.includes("::")).length).toBe(2)
  expect(lines.filter((line) => line.trimStart().startsWith("::"))).toEqual([])
})
