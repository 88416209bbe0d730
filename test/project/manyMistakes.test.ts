import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { pipelineDiagnostics } from "./diagnosed.ts"
import { places } from "./marked.ts"
import { file, lines } from "./mistakes.ts"

it("a file without mistakes has no diagnostics", () => {
  expect(pipelineDiagnostics(file(() => undefined).text)).toEqual([])
})

it("each single mistake has one diagnostic, at its place", () => {
  for (const [index, [, ...wrong]] of lines.entries()) {
    for (const which of wrong.keys()) {
      const { text, places: expected } = file((line) => (line === index ? which : undefined))
      expect([wrong[which], places(pipelineDiagnostics(text))]).toEqual([wrong[which], expected])
    }
  }
})

it("each of several mistakes has a diagnostic, at its place", () => {
  const mistakes = lines.flatMap(([, ...wrong], line) => wrong.map((_, which) => ({ line, which })))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...mistakes), { minLength: 4, maxLength: 15, selector: ({ line }) => line }),
      (chosen) => {
        const { text, places: expected } = file((line) => chosen.find((mistake) => mistake.line === line)?.which)
        const diagnostics = pipelineDiagnostics(text)
        expect(places(diagnostics)).toEqual(expected)
        expect(diagnostics).toHaveLength(chosen.length)
        for (const { message } of diagnostics) {
          expect(message).not.toMatch(/undefined|\[object|readonly|─|minLength|Expected /)
        }
      },
    ),
    { seed: 20_262, numRuns: 150 },
  )
})
