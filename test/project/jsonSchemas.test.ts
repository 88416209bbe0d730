import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { parse } from "yaml"
import { jsonSchemas } from "../../src/project/jsonSchemas.ts"
import { pipelineDiagnostics, projectDiagnostics, withEntry, withSection } from "./diagnosed.ts"
import { file, lines } from "./mistakes.ts"

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const accepts = { project: ajv.compile(jsonSchemas().project), pipeline: ajv.compile(jsonSchemas().pipeline) }

/** Validates as an editor does: converts YAML to plain values, follows merge keys, and applies the schema. */
const editor = (which: "project" | "pipeline", text: string): boolean => accepts[which](parse(text, { merge: true }))

const entries: ReadonlyArray<readonly [good: boolean, entry: string]> = [
  [true, "name: A\nfrom: B"],
  [true, "id: abc\nname: A\nfrom: [A, B]"],
  [true, "name: A\ntemplate: '{B} {C}'\nrequired: true"],
  [true, "name: 2024\nfrom: 7\ndefault: 1.50"],
  [true, "name: A\nvalue: true"],
  [true, "name: A\nfrom: B\nas: text\njoin: x\nx-note: [anything]"],
  [true, "name: A\nfrom: { date: D, time: T }\nas: dateTime\nzone: UTC"],
  [true, "name: A\nfrom: { date: { from: D, format: dd.MM.yyyy }, time: { value: 12:00 } }\nas: dateTime\nzone: UTC"],
  [true, "name: A\nfrom: B\nas: choices\noptions: [007, yes]\nvalues: { a: null, 1: b }\nsplit: ','"],
  [true, "name: A\nfrom: B\nas: number\nmin: 1\nmax: 2.5\ninteger: false"],
  [false, "name: A\nfrom: B\nas: number\nmin: one"],
  [false, "name: A\nfrom: B\nas: nothing"],
  [false, "name: A\nfrom: B\nas: text\nformat: dd.MM.yyyy"],
  [false, "name: A\nfrom: B\nformat: dd.MM.yyyy"],
  [false, "name: A\nfrom: [A, B]\nas: date"],
  [false, "name: A\nfrom: { date: D, when: T }\nas: dateTime"],
  [false, "name: A\nfrom: { date: { from: D, value: x } }\nas: dateTime"],
  [false, "name: A\nfrom: {}\nas: dateTime"],
  [false, "name: A\nfrom: {}"],
  [false, "name: A"],
  [false, "from: A"],
  [false, "name: A\nfrom: A\nvalue: x"],
  [false, "name: A\ntemplate: no column"],
  [false, "name: A\ntemplate: '{A'"],
  [false, "name: A\nfrom: B\ndefault: null"],
  [false, "name: A\nfrom: B\nrequired: yes"],
  [false, "name: A\nfrom: B\nas: choice\noptions: [null]"],
]

/** Every key of the mapping that is not a kind's own option. */
const inputs: ReadonlyArray<readonly [good: boolean, entry: string]> = [
  [true, "name: A\nfrom: { firstOf: [A, 7] }\nunique: true"],
  [true, "name: A\nfrom: { firstOf: [A, B] }\nas: email\nonInvalid: drop"],
  [true, "name: A\nfrom: A\nextract: '(\\d+)$'"],
  [true, "name: A\nfrom: A\nas: address\nextract: '(?<city>.+)'"],
  [
    true,
    "name: A\nfrom: A\nwhen: { Status: 1, Other: [x, 2], Third: { not: 0, atLeast: 2024-01-01, atMost: 5, matches: '^x', empty: false } }",
  ],
  [true, "name: A\nfrom: { block: What? }"],
  [true, "name: A\nfrom: { block: What? }\nas: choices\nother: { use: Other, textTo: Which? }"],
  [true, "name: A\nfrom: { block: What?, other: B }\nas: choices"],
  [
    true,
    "name: A\nfrom: { Basic: A, 2: { from: B }, Pro: { value: x } }\nas: choices\nchecked: [1, x]\nunchecked: [0]",
  ],
  [true, "name: A\nfrom: { ranks: { X: A, Y: B } }\nas: ranking"],
  [true, "name: A\nfrom: { ranks: { X: A, Y: B } }"],
  [true, "name: A\nfrom: A\nas: ranking\nsplit: ','\noptions: [x]"],
  [true, "name: A\nfrom: { Row 1: A, Row 2: B }\nas: matrix\nvalues: { set: agree5 }"],
  [true, "name: A\nfrom: { start: A, end: { from: B, format: dd.MM.yyyy } }\nas: dateRange\nformat: iso"],
  [
    true,
    "name: A\nfrom: { address: [A, B], city: { template: '{A} {B}' }, state: { from: { firstOf: [A, B] }, case: upper }, country: { value: 1 }, zipCode: { from: A, extract: '\\d+', default: 0 } }\nas: address",
  ],
  [true, "name: A\nfrom: { latitude: A, longitude: { from: B, decimal: ',' } }\nas: location"],
  [true, "name: A\nfrom: A\nas: choice\notherwise: { textTo: B }"],
  [true, "name: A\nfrom: A\nas: choice\notherwise: { use: 1, textTo: B }"],
  [true, "name: A\nfrom: A\nas: choices\nother: { from: B, use: 1 }"],
  [false, "name: A\nfrom: { firstOf: [] }"],
  [false, "name: A\nfrom: { firstOf: A }\nas: email"],
  [false, "name: A\nfrom: { firstOf: [A], more: B }\nas: email"],
  [false, "name: A\nvalue: A\nextract: x"],
  [false, "name: A\nfrom: A\nextract: ''"],
  [false, "name: A\nfrom: A\nwhen: {}"],
  [false, "name: A\nfrom: A\nwhen: { Status: {} }"],
  [false, "name: A\nfrom: A\nwhen: { Status: [] }"],
  [false, "name: A\nfrom: A\nwhen: { Status: { atleast: 5 } }"],
  [false, "name: A\nfrom: A\nwhen: { Status: { empty: yes } }"],
  [false, "name: A\nfrom: A\nwhen: Status"],
  [false, "name: A\nfrom: A\nonInvalid: keep"],
  [false, "name: A\nfrom: A\nunique: 1"],
  [false, "name: A\nfrom: { block: { x: y } }\nas: choices"],
  [false, "name: A\nfrom: { block: A }\nas: text"],
  [false, "name: A\nfrom: { block: A }\nas: address"],
  [false, "name: A\nfrom: { ranks: {} }\nas: ranking"],
  [false, "name: A\nfrom: { X: A }\nas: ranking"],
  [false, "name: A\nfrom: {}\nas: matrix"],
  [false, "name: A\nfrom: { start: A, stop: B }\nas: dateRange"],
  [false, "name: A\nfrom: { latitude: { from: A, format: x } }\nas: location"],
  [false, "name: A\nfrom: A\nas: choice\notherwise: {}"],
  [false, "name: A\nfrom: A\nas: choice\notherwise: { textto: B }"],
  [false, "name: A\nfrom: A\nas: choices\nother: { from: B }"],
  [false, "name: A\nfrom: A\nas: choices\nother: B"],
  [false, "name: A\nfrom: A\nas: choice\nother: { use: B }"],
  [false, "name: A\nfrom: A\nas: choices\nchecked: []"],
  [false, "name: A\nfrom: A\nas: text\nchecked: [x]"],
]

const sinks: ReadonlyArray<readonly [good: boolean, sink: string]> = [
  [true, "service: s\nform: f"],
  [true, "targets: { a: { service: s, form: f }, b: { service: t, form: g } }"],
  [
    true,
    "service: s\nform: f\ncanary: off\nstopWhen: { new: 100%, changed: 0, invalid: 0.5%, inDoubt: { share: 1%, atLeast: 1 } }",
  ],
  [true, "service: s\nform: 12\nretries: { attempts: 1, base: 1 second, max: 1.5 minutes }"],
  [true, "service: s\nform: f\nstamp: { urlParameter: row_key }"],
  [true, "service: s\nform: f\nstamp: { run: run_id, pipeline: imported_by }"],
  [false, "service: s\nform: f\nstamp: row_key"],
  [false, "service: s\nform: f\nstamp: {}"],
  [false, "service: s"],
  [false, "form: f"],
  [false, "targets: {}"],
  [false, "targets: { a b: { service: s, form: f } }"],
  [false, "targets: { a: { service: s } }"],
  [false, "service: s\nform: f\ntargets: { a: { service: s, form: f } }"],
  [false, "form: f\ntargets: { a: { service: s, form: f } }"],
  [false, "service: s\nform: f\ncanary: 0"],
  [false, "service: s\nform: f\nbatchSize: 1.5"],
  [false, "service: s\nform: f\nstopWhen: { new: 100.5% }"],
  [false, "service: s\nform: f\nstopWhen: { new: 1.5 }"],
  [false, "service: s\nform: f\nretries: { base: 5 }"],
  [false, "service: s\nform: f\nretries: { base: 5 fortnights }"],
]

const sources: ReadonlyArray<readonly [good: boolean, source: string]> = [
  [true, "file: a.csv\nrowKey: content"],
  [true, "file: a.xlsx\nrowKey: [A, B]\nformat: excel\nsheet: 2\nrange: B3:H400\nempty: []"],
  [true, "file: a.xlsx\nrowKey: [A]\nrange: $B$3:H"],
  [false, "file: a.xlsx\nrowKey: [A]\nrange: B3"],
  [true, "file: a.xlsx\nrowKey: [A]\nsheet: '2'"],
  [true, "file: a.csv"],
  [false, "file: http://example.com/a.csv\nrowKey: [A]"],
  [false, "file: ftp://example.com/a.csv\nrowKey: [A]"],
  [false, "file: []\nrowKey: [A]"],
  [false, "file: { glob: a-*.csv, take: oldest }\nrowKey: [A]"],
  [false, "file: { take: newest }\nrowKey: [A]"],
  [false, "file: a.json\nrecords: items\nrowKey: [A]"],
  [true, "file: https://example.com/a.csv\nrowKey: [A]"],
  [true, "file: http://127.0.0.1:8080/a.csv\nrowKey: [A]"],
  [true, "file: [a.csv, b.csv]\nrowKey: [A]"],
  [true, "file: { glob: a-*.csv, take: newest }\nrowKey: [A]"],
  [true, "file: a.zip\nmember: b.json\nformat: json\nrecords: /items\nrowKey: [A]"],
  [
    true,
    "file: a.csv\nrowKey: [A]\nwhere: { Status: [complete, 1], Created: { atLeast: 2024-01-01, format: dd.MM.yyyy }, A: x }",
  ],
  [true, "file: a.csv\nrowKey: [A]\ncolumns: { reason: { header: 'Why?', nth: 2, of: 2 }, last: { position: 14 } }"],
  [false, "file: a.csv\nrowKey: [A]\nwhere: {}"],
  [false, "file: a.csv\nrowKey: [A]\nwhere: [Status]"],
  [false, "file: a.csv\nrowKey: [A]\nwhere: { Status: { format: dd.MM.yyyy } }"],
  [false, "file: a.csv\nrowKey: [A]\ncolumns: { reason: { header: 'Why?', nth: 2 } }"],
  [false, "file: a.csv\nrowKey: [A]\ncolumns: { reason: { position: 0 } }"],
  [false, "file: a.csv\nrowKey: [A]\ncolumns: { reason: { position: 1, of: 2 } }"],
  [false, "file: a.csv\nrowKey: [A]\ncolumns: { reason: Why? }"],
  [false, "file: a.csv\nrowKey: []"],
  [false, "file: a.csv\nrowKey: contents"],
  [false, "file: a.xlsx\nrowKey: [A]\nrange: B3"],
  [false, "file: a.xlsx\nrowKey: [A]\nsheet: [1]"],
  [false, "file: a.csv\nrowKey: [A]\ndelimiter: ''"],
]

const examples: ReadonlyArray<readonly [good: boolean, examples: string]> = [
  [true, "- row: { A: 1, B: null }\n  gives: { Q: 1.50, R: null, S: [a, 2], T: { x: y, z: [1] } }"],
  [true, "- row: {}\n  fails: [required, not-an-email]"],
  [true, "[]"],
  [false, "- row: { A: 1 }"],
  [false, "- gives: { A: 1 }"],
  [false, "- row: { A: [1] }\n  gives: { Q: x }"],
  [false, "- row: { A: 1 }\n  gives: { Q: x }\n  fails: [required]"],
  [false, "- row: { A: 1 }\n  fails: []"],
  [false, "- row: { A: 1 }\n  fails: [wrong]"],
  [false, "- row: { A: 1 }\n  gives: x"],
]

const defaults: ReadonlyArray<readonly [good: boolean, defaults: string]> = [
  [
    true,
    "date: { format: [dd.MM.yyyy, iso] }\nnumber: { decimal: ',' }\nchoice: { values: { set: a }, otherwise: drop }",
  ],
  [true, "{}"],
  [false, "dat: { format: dd.MM.yyyy }"],
  [false, "date: { zone: UTC }"],
  [false, "date: dd.MM.yyyy"],
  [false, "email: { format: x }"],
]

const sets: ReadonlyArray<readonly [good: boolean, sets: string]> = [
  [true, "agree5: { Strongly agree: '5', Agree: 4, None: null, yes: no }"],
  [true, "countries: { file: countries.csv, key: name, value: code }"],
  [false, "agree5: {}"],
  [false, "agree5: [Agree]"],
  [false, "agree5: { Agree: [4] }"],
  [false, "a b: { Agree: 4 }"],
]

const services: ReadonlyArray<readonly [good: boolean, service: string]> = [
  [true, "practice: { forms: f }"],
  [true, "practice: { forms: f, store: s }"],
  [true, "baseUrl: https://example.com/v1\napiKey: { env: KEY }\ntimeout: 2 minutes\nrequestsPerSecond: 0.5"],
  [true, "baseUrl: http://localhost:3000/v1\napiKey: { file: /run/key }\nconfirm: false\nx-who: me"],
  [false, "practice: {}"],
  [false, "practice: { forms: f }\nbaseUrl: https://example.com"],
  [false, "baseUrl: https://example.com/v1"],
  [false, "baseUrl: http://example.com/v1\napiKey: { env: KEY }"],
  [false, "baseUrl: http://localhost.example.com/v1\napiKey: { env: KEY }"],
  [false, "baseUrl: https://me:secret@example.com/v1\napiKey: { env: KEY }"],
  [false, "baseUrl: https://example.com/v1?a=b\napiKey: { env: KEY }"],
  [false, "baseUrl: https://example.com/v1\napiKey: literal"],
  [false, "baseUrl: https://example.com/v1\napiKey: {}"],
  [false, "baseUrl: https://example.com/v1\napiKey: { env: KEY, file: f }"],
  [false, "baseUrl: https://example.com/v1\napiKey: { env: KEY }\ntimeout: 0 seconds"],
  [false, "baseUrl: https://example.com/v1\napiKey: { env: KEY }\nconcurrency: 0"],
]

describe("the JSON Schemas and the decoders", () => {
  const pipelines = [
    ...[...entries, ...inputs].map(([good, entry]) => ({ good, text: withEntry(entry) })),
    ...examples.map(([good, body]) => ({
      good,
      text: `${withEntry("name: A\nfrom: B")}examples:\n  ${body.split("\n").join("\n  ")}\n`,
    })),
    ...defaults.map(([good, body]) => ({
      good,
      text: withSection("mapping", `defaults:\n  ${body.split("\n").join("\n  ")}\nquestions: [{ name: A, from: A }]`),
    })),
    ...sinks.map(([good, body]) => ({ good, text: withSection("sink", body) })),
    ...sources.map(([good, body]) => ({ good, text: withSection("source", body) })),
    { good: true, text: withSection("mapping", "submissionTime: { from: A, zone: UTC, <<: { format: iso } }") },
    { good: false, text: withSection("mapping", "unmapped: warn") },
    { good: false, text: withSection("mapping", "login: { from: A, zone: UTC }") },
    { good: false, text: withSection("reconcile", "tolerate: [{ because: x }]") },
    { good: false, text: withEntry("name: A\nfrom: B") + "schedule: nightly\n" },
    { good: false, text: withEntry("name: A\nfrom: B").replace("pipeline: a", "pipeline: a/b") },
  ]
  it.each(pipelines)("schema and decoder give the same verdict ($good) for the pipeline $text", ({ good, text }) => {
    expect({ decoder: pipelineDiagnostics(text).length === 0, editor: editor("pipeline", text) })
      .toEqual({ decoder: good, editor: good })
  })

  it.each(services.map(([good, service]) => ({ good, service })))(
    "schema and decoder give the same verdict ($good) for the service $service",
    ({ good, service }) => {
      const text = `services:\n  one:\n    ${service.split("\n").join("\n    ")}\nledger: { file: l.db }\nreports: r\n`
      expect({ decoder: projectDiagnostics(text).length === 0, editor: editor("project", text) })
        .toEqual({ decoder: good, editor: good })
    },
  )

  it.each(sets.map(([good, set]) => ({ good, set })))(
    "schema and decoder give the same verdict ($good) for the value set $set",
    ({ good, set }) => {
      const text = `services:\n  one: { practice: { forms: f } }\nvalueSets:\n  ${set}\n`
      expect({ decoder: projectDiagnostics(text).length === 0, editor: editor("project", text) })
        .toEqual({ decoder: good, editor: good })
    },
  )

  it("the schema refuses every single mistake in a long pipeline", () => {
    expect(editor("pipeline", file(() => undefined).text)).toBe(true)
    for (const [index, [, ...wrong]] of lines.entries()) {
      for (const which of wrong.keys()) {
        const { text } = file((line) => (line === index ? which : undefined))
        expect([wrong[which], editor("pipeline", text)]).toEqual([wrong[which], false])
      }
    }
  })
})

it("the JSON Schemas describe every key", () => {
  const bare: Array<string> = []
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return
    for (const [key, member] of Object.entries(schema)) {
      // The keyword `if` is a condition, so its keys need no description.
      if (key === "if") continue
      if (key === "properties" && typeof member === "object" && member !== null) {
        for (const [name, property] of Object.entries(member as Record<string, object>)) {
          if (!("description" in property)) bare.push(`${path}/${name}`)
        }
      }
      // An option of a kind is described as a whole.
      const inside = /\/\$defs\/(Question|UrlParameter|Part)[^/]*\/properties\//.test(path)
      if (key !== "examples" && key !== "default" && !inside) look(member, `${path}/${key}`)
    }
  }
  look(jsonSchemas(), "")
  expect(bare).toEqual([])
})
