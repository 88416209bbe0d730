import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { stringify } from "yaml"
import type { Diagnostic } from "../../src/domain/diagnostic.ts"
import { seeds } from "../long.ts"
import { pipelineDiagnostics, projectDiagnostics } from "./diagnosed.ts"
import { file } from "./mistakes.ts"
import { projectYaml } from "./projectFolder.ts"

const sound = (text: string, diagnostics: ReadonlyArray<Diagnostic>) => {
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  for (const { line, column, excerpt, message } of diagnostics) {
    const shown = (lines[line - 1] ?? "").replace(/\r$/, "")
    expect(excerpt.length).toBe(shown.length)
    expect(column).toBeGreaterThanOrEqual(1)
    expect(column).toBeLessThanOrEqual(shown.length + 2)
    expect(message).not.toBe("")
  }
}

/** Returns a text with pieces removed, doubled, or replaced by special YAML syntax. */
const mutated = (text: string) =>
  fc.array(
    fc.record({
      at: fc.nat(text.length),
      cut: fc.nat(12),
      put: fc.oneof(
        fc.constantFrom(
          "",
          ":",
          ": ",
          "- ",
          "{",
          "}",
          "[",
          "]",
          "&a ",
          "*a",
          "<<: ",
          "!!str ",
          "|\n",
          "'",
          '"',
          "#",
          "\t",
          "\n",
          "? ",
          "---\n",
          "%",
          "null",
          "\uFEFF",
          "\r\n",
        ),
        fc.string({ maxLength: 5, unit: "binary" }),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ).map((edits) => edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text))

it("all diagnostics point into the file, whatever its content", () => {
  fc.assert(
    fc.property(mutated(file(() => undefined).text), mutated(projectYaml), (pipeline, project) => {
      sound(pipeline, pipelineDiagnostics(pipeline))
      sound(project, projectDiagnostics(project))
    }),
    { seed: 20_263, numRuns: seeds(50, 150) },
  )
})

it("all diagnostics use formferry's own words, whatever the values", () => {
  const keys = fc.constantFrom(
    "pipeline",
    "source",
    "mapping",
    "questions",
    "sink",
    "from",
    "as",
    "file",
    "stopWhen",
    "new",
    "targets",
    "x-a",
    "y",
  )
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(null, true, "text", "", 5, -1.5, "date", "{A}", "5%"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
    ),
  })).value
  fc.assert(
    fc.property(fc.dictionary(keys, tree, { maxKeys: 6 }), (value) => {
      const text = stringify(value)
      const diagnostics = pipelineDiagnostics(text)
      expect(diagnostics.length).toBeGreaterThan(0)
      sound(text, diagnostics)
      for (const { message } of diagnostics) expect(message).not.toMatch(/undefined|\[object|└|Expected |readonly/)
    }),
    { seed: 20_264, numRuns: seeds(50, 150) },
  )
})
