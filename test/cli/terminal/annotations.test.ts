import { expect, it } from "vitest"
import { annotation } from "../../../src/cli/terminal/diagnostics.ts"

it("annotations stay on their line and in their property, for any text of a finding", () => {
  expect(annotation(
    { severity: "error", line: 3, column: 5, message: "100 % of it:\r\nno", suggestion: "Did you mean `a,b`?" },
    "a,b:c%/pipelines/x.yaml",
  )).toBe(
    "::error file=a%2Cb%3Ac%25/pipelines/x.yaml,line=3,col=5,title=formferry::100 %25 of it:%0D%0Ano%0ADid you mean `a,b`?",
  )
})
