import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { paymentParts, schedulingParts } from "../../src/kinds/elements.ts"
import { kinds } from "../../src/kinds/index.ts"
import { decodeYaml } from "../../src/project/decodeYaml.ts"
import { pipelineFileSchema, schemaFor } from "../../src/project/vocabulary.ts"
import { parseYaml } from "../../src/project/yamlText.ts"

/** One file with an entry of every kind, said in the ways in which YAML lets it be said, and with all that has kinds of its own. */
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

const files = () =>
  readdirSync("pipelines", { recursive: true, encoding: "utf8" }).filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readFileSync(join("pipelines", name), "utf8"))

/** First of all, before the whole schema is made: it would be taken then. */
const own = [everything(), ...files()].map((text) => {
  const yaml = parseYaml("f", text)
  return { yaml, result: decodeYaml(yaml, schemaFor(text), "The pipeline") }
})

it("a file that is right is read by the schema of the kinds it means as by that of all kinds", () => {
  expect(own.length).toBeGreaterThan(5)
  for (const { result, yaml } of own) {
    expect(result).toMatchObject({ _tag: "Read" })
    expect(result).toEqual(decodeYaml(yaml, pipelineFileSchema(), "The pipeline"))
  }
})
