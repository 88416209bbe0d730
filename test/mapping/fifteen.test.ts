import { Either } from "effect"
import { expect, it } from "vitest"
import { compile } from "../../src/mapping/compile.ts"
import { decodePipeline } from "../../src/project/Pipeline.ts"
import { parseYaml } from "../../src/project/yamlText.ts"
import { pipelineDiagnostics } from "../project/diagnosed.ts"
import { marked, places } from "../project/marked.ts"
import { columnsOf, formOf } from "./pipeline.ts"

const ofTheFile = marked(`pipeline: contacts
source:
  file: contacts.csv
  rowKey: [No]
  where: { Status: { atleast«: 5 } }
  columns: { reason: { header: Why?, «nht: 2, of: 2 } }
mapping:
  defaults: { «dat: { format: dd.MM.yyyy } }
  questions:
    - name: Films
      from: { ranks: { A: a, B: «[] } }
      as: ranking
    - name: Address
      from: { city: { from: City, «formt: x }, «town: T }
      as: address
    - name: Number
      from: Street
      extract: «'(\\d+'
    - name: Choice
      from: A
      as: choice
      otherwise: { «us: Other }
    - name: Mail
      from: Mail
      as: «emial
    - name: Twice
      from: A
      «value: x
    - name: Sure
      from: A
      unique: «yes
      when: { Status: { matches: «"[" } }
    - «from: B
sink: { service: practice, form: f, stamp: { «urlParam: x } }
examples:
  - row: { A: x }
    fails: [«not-a-mail]
`.replace("atleast«", "«atleast"))

it("fifteen different mistakes in a file give fifteen diagnostics in one call, each at its place", () => {
  expect(ofTheFile.places).toHaveLength(15)
  const diagnostics = pipelineDiagnostics(ofTheFile.text)
  expect(diagnostics.map(({ line, column, message }) => [line, column, message])).toHaveLength(15)
  expect(places(diagnostics)).toEqual(ofTheFile.places)
  expect(new Set(diagnostics.map(({ message }) => message)).size).toBe(15)
})

const ofTheMapping = marked(`pipeline: contacts
source:
  file: contacts.csv
  rowKey: [«Nmber]
  columns: { reason: { header: Why?, nth: 2, of: «3 } }
  where: { Status: { atLeast: «soon } }
mapping:
  defaults: { number: { decimal: ".", group: «"." } }
  questions:
    - { name: «Ful name, from: Name }
    - { id: «q77, from: Name }
    - { name: Twice, from: Name, as: choices, options: [a, b], split: ",", values: { x: «c } }
    - { name: Born, from: Born, as: date, format: «DD.MM.YYYY }
    - { name: Count, from: Count }
    - { name: Films, from: { block: «Flims } }
    - { name: Address, from: { city: City, «town: City } }
    - { name: Products, from: { Basic: Name, «Prof: Name } }
    - { name: Note, from: Name, extract: «'(?<x>.)' }
    - { name: Other, from: Name, as: choice, options: [a], otherwise: { textTo: «Whch } }
    - «{ name: Other, from: Name, as: choice, options: [a] }
  unmapped: ignore
sink: { service: practice, form: f }
reconcile: { tolerate: [«{ name: Fone, because: it reformats }] }
`)

it("fifteen different mistakes against form and source give fifteen diagnostics in one call, each at its place", () => {
  expect(ofTheMapping.places).toHaveLength(15)
  const yaml = parseYaml("pipelines/contacts.yaml", ofTheMapping.text)
  const read = decodePipeline(yaml)
  if (read._tag !== "Read") throw new Error(read.findings.map(({ message }) => message).join("\n"))
  const options = ["Basic", "Pro"].map((label) => ({ value: label, label }))
  const result = compile({
    pipeline: read.value,
    form: formOf([
      "Full name",
      "Twice",
      "Born",
      { name: "Count", type: "NumberInput" },
      { name: "Films", type: "Checkboxes", options },
      { name: "Address", type: "Address" },
      { name: "Products", type: "Checkboxes", options },
      "Note",
      "Other",
      "Which",
    ]),
    columns: columnsOf(["Number", "Name", "Why?", "Why?", "Status", "Born", "Count", "City"]),
    blocks: [{ title: "Films", columns: [{ position: 7, option: "Basic", role: "option" }] }],
  })
  const errors = Either.isLeft(result) ? result.left.filter(({ severity }) => severity === "error") : []
  const found = errors.toSorted((a, b) => a.line - b.line || a.column - b.column)
  expect(found.map(({ line, column, message }) => [line, column, message])).toHaveLength(15)
  expect(places(found)).toEqual(ofTheMapping.places)
  expect(new Set(found.map(({ message }) => message)).size).toBe(15)
})
