import { expect, it } from "vitest"
import { paymentParts, schedulingParts } from "../../src/kinds/elements.ts"
import { kinds } from "../../src/kinds/index.ts"
import { pipelineDiagnostics } from "./diagnosed.ts"

/**
 * A file with an entry of every kind, in all forms that YAML allows. Also contains every element other than questions.
 */
const everything = () => {
  const ways = [
    (kind: string) => `as: ${kind}`,
    (kind: string) => `"as": '${kind}'`,
    (kind: string) => `as : "${kind}"`,
  ]
  const parts = (of: object) => Object.keys(of).map((part) => `${part}: Column ${part}`).join(", ")
  return [
    "pipeline: all",
    "source: { file: a.csv, rowKey: [Id] }",
    "mapping:",
    "  defaults: { date: { format: dd.MM.yyyy } }",
    "  questions:",
    ...[...kinds.keys()].map((kind, at) => `    - { name: Q${at}, from: C${at}, ${ways[at % ways.length]?.(kind)} }`),
    "    - { name: Told by the form, from: C }",
    "  urlParameters: [{ name: key, from: Id }]",
    "  submissionTime: { from: At }",
    "  login: { from: Mail }",
    `  scheduling: [{ name: S, from: { ${parts(schedulingParts)} } }]`,
    `  payments: [{ name: P, from: { ${parts(paymentParts)} } }]`,
    "sink: { service: s, form: f }",
    "",
  ].join("\n")
}

it("an entry of every kind is read, with `as` plain or quoted", () => {
  expect(pipelineDiagnostics(everything())).toEqual([])
})
