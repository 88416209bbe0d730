import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { pipelineDiagnostics } from "./diagnosed.ts"
import { marked, places } from "./marked.ts"

/** A line as it should be, and ways to get it wrong: `«` where the diagnostic must point. */
const lines: ReadonlyArray<readonly [right: string, ...wrong: ReadonlyArray<string>]> = [
  ["pipeline: contacts", "«pipelin: contacts", "pipeline: «my contacts", "pipeline: «[contacts]"],
  ["source:"],
  ["  file: ../samples/contacts.csv", "  «files: ../samples/contacts.csv", "  «file:", "  file: «https://x.org/y.csv"],
  ["  format: csv", "  format: «cvs", "  «frmat: csv", "  format: «{ csv: 1 }"],
  ['  delimiter: ";"', '  delimiter: «";;"', '  «delimeter: ";"', "  delimiter: «[;]"],
  ["  headerRow: 1", "  headerRow: «0", "  headerRow: «first", "  «headerrow: 1", "  headerRow: «1.5"],
  ["  rowKey: [Customer No]", "  rowKey: «[]", "  rowKey: «Customer No", "  «row_key: [Customer No]"],
  ['  empty: [N/A, "-"]', "  empty: «N/A", "  empty: [«null, x]", "  «emtpy: [x]"],
  ["mapping:"],
  ["  questions:"],
  ["    - name: Full name", "    - «nam: Full name"],
  ["      from: Name", "      «form: Name", "      «from:", "      from: «[]"],
  ["      as: text", "      as: «txt", "      «az: text"],
  ["      maxLength: 10", "      maxLength: «ten", "      maxLength: «-1", "      «maxlength: 10", "      «zone: UTC"],
  ["    - id: abc1", "    - «ids: abc1"],
  ["      from: Born", "      from: «[Born, Died]", "      from: Born\n      «value: x"],
  ["      as: date", "      as: «Date"],
  ["      format: [dd.MM.yyyy, yyyy-MM-dd]", '      «split: ","', "      format: «{ a: b }"],
  ["      required: true", "      required: «yes", "      «requird: true", "      required: «1"],
  ["    - name: Interests"],
  ["      from: Interests"],
  ["      as: choices"],
  [
    "      values: { none: null }",
    "      values: «[none]",
    "      values: { none: «[a] }",
    "      «valuse: { none: null }",
  ],
  ["    - name: Imported from"],
  [
    "      value: legacy CRM",
    "      value: «null",
    "      «vlaue: legacy CRM",
    '      value: legacy\n      «template: "{A}"',
  ],
  [
    "  submissionTime: { from: Created, zone: UTC }",
    "  submissionTime: «Created",
    "  submissionTime: { from: Created, «zoen: UTC }",
  ],
  ["  login: { from: E-mail }", "  login: { «frm: E-mail }", "  «login: {}"],
  ["  ignore: [Internal note]", "  ignore: «Internal note", "  «ignroe: [Internal note]"],
  ["sink:"],
  ["  service: live", "  service: «a b", "  «servce: live"],
  ["  form: vso9PzRfHQus", "  «from: vso9PzRfHQus", "  form: «[a]"],
  ["  batchSize: 10", "  batchSize: «11", "  «batchsize: 10", "  batchSize: «ten"],
  [
    "  retries: { attempts: 6, base: 500 millis }",
    "  retries: { attempts: «0, base: 500 millis }",
    "  retries: { base: «500 }",
    "  retries: «6",
  ],
  ["  canary: off", "  canary: «11", "  canary: «none", "  «canery: off"],
  [
    "  stopWhen: { changed: 10%, inDoubt: 20 }",
    "  stopWhen: { changed: «10 percent }",
    "  stopWhen: { «chagned: 10% }",
    "  stopWhen: «5%",
  ],
  ["reconcile:"],
  ["  visibleWithin: 60 seconds", "  visibleWithin: «60", "  «visiblewithin: 60 seconds"],
  ["  tolerate: [{ name: Phone, because: reformatted }]", "  tolerate: [«{ name: Phone }]", "  tolerate: [«Phone]"],
]

const file = (choose: (index: number) => number | undefined) =>
  marked(lines.map(([right, ...wrong], index) => wrong[choose(index) ?? -1] ?? right).join("\n"))

it("a file without mistakes gives no diagnostic", () => {
  expect(pipelineDiagnostics(file(() => undefined).text)).toEqual([])
})

it("each mistake alone gives one diagnostic, at its place", () => {
  for (const [index, [, ...wrong]] of lines.entries()) {
    for (const which of wrong.keys()) {
      const { text, places: expected } = file((line) => (line === index ? which : undefined))
      expect([wrong[which], places(pipelineDiagnostics(text))]).toEqual([wrong[which], expected])
    }
  }
})

it("so many mistakes give so many diagnostics, each at its place", () => {
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
    { seed: 20_262, numRuns: 300 },
  )
})
