import { describe, expect, it } from "@effect/vitest"
import { listed } from "../../src/domain/words.ts"
import { kindNames } from "../../src/kinds/index.ts"
import { pipelineDiagnostics, projectDiagnostics, withEntry, withSection } from "./diagnosed.ts"
import { marked, places } from "./marked.ts"

/** A name, a text with a mark at each expected place, and the expected messages and suggestions. */
type Case = readonly [name: string, text: string, ...expected: ReadonlyArray<readonly [string, string?]>]

const check = (diagnose: typeof pipelineDiagnostics, cases: ReadonlyArray<Case>) => {
  it.each(cases.map(([name, text, ...expected]) => ({ name, text, expected })))(
    "the message is at the expected place: $name",
    ({ text, expected }) => {
      const file = marked(text)
      const diagnostics = diagnose(file.text)
      expect(diagnostics.map(({ message, suggestion }) => [message, suggestion])).toEqual(
        expected.map(([message, suggestion]) => [message, suggestion]),
      )
      expect(places(diagnostics)).toEqual(file.places)
      for (const { line, excerpt, severity } of diagnostics) {
        expect(severity).toBe("error")
        expect(excerpt).toBe(file.lines[line - 1])
      }
    },
  )
}

describe("an unknown key, with the nearest key as a suggestion", () => {
  check(pipelineDiagnostics, [
    ["misspelt", withSection("source", "file: a.csv\nrowKey: [Id]\n«fomrat: csv"), [
      "`fomrat` is not a key of `source`.",
      "Did you mean `format`?",
    ]],
    [
      "a misspelt required key is not reported as missing too",
      withSection("source", "file: a.csv\n«row_key: [Id]"),
      [
        "`row_key` is not a key of `source`.",
        "Did you mean `rowKey`?",
      ],
    ],
    ["a misspelt one of several", withEntry("name: A\n«form: B"), [
      "`form` is not a key of an item of `questions`.",
      "Did you mean `from`?",
    ]],
    [
      "mistakes inside a misspelt section are reported too",
      withSection("source", "file: a.csv\nrowKey: [Id]").replace("sink:", "«snik:").replace(
        "service: practice",
        "«service:",
      ),
      ["`snik` is not a key of the pipeline.", "Did you mean `sink`?"],
      [
        "`service` has no value.",
        "It expects a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit.",
      ],
    ],
    [
      "a choice of init that was not filled in",
      withEntry("name: A\nfrom: B\nas: choice\nvalues:\n  «Rot:\n  Grün: null"),
      [
        "`Rot` has no value.",
        "Write a value, or `null` for no answer.",
      ],
    ],
    ["one of another section", `${withEntry("name: A\nfrom: B")}«batchSize: 3\n`, [
      "`batchSize` is not a key of the pipeline.",
      "It is a key of `sink`.",
    ]],
    ["like none", `${withEntry("name: A\nfrom: B")}«everyNight: 3\n`, [
      "`everyNight` is not a key of the pipeline.",
      "Its keys are: `pipeline`, `renamedFrom`, `tags`, `source`, `mapping`, `sink`, `reconcile`, `schedule` and `examples`.",
    ]],
    ["an option of another kind", withEntry("name: A\nfrom: B\nas: text\n«format: dd.MM.yyyy"), [
      "`format` is not an option of text; it is one of date, time, dateTime, dateRange.",
    ]],
    ["options without a kind are one mistake", withEntry("name: A\nfrom: B\n«format: dd.MM.yyyy\nzone: UTC"), [
      "`format` needs `as`; it is an option of date, time, dateTime, dateRange.",
      "Add `as: date`, `as: time` or `as: dateTime`.",
    ]],
    ["a misspelt kind, whose options are not reported", withEntry("name: A\nfrom: B\nas: «dateTme\nzone: UTC"), [
      "There is no kind called `dateTme`.",
      "Did you mean `dateTime`?",
    ]],
    [
      "a kind like none, with options of any kind",
      withEntry("name: A\nfrom: B\nas: «thing\nzone: UTC\nformat: x"),
      [
        "There is no kind called `thing`.",
        `Kinds are: ${listed(kindNames.map((name) => "`" + name + "`"))}.`,
      ],
    ],
    ["a part", withEntry("name: A\nas: dateTime\nzone: UTC\nfrom: { date: D, «tim: T }"), [
      "`tim` is not a key of `from`.",
      "Did you mean `time`?",
    ]],
  ])
})

describe("a missing key, at its parent", () => {
  check(pipelineDiagnostics, [
    ["of a section", withSection("source", "rowKey: content").replace("source:", "«source:"), [
      "`source` needs `file` or `connection`.",
      "Add one of them.",
    ]],
    [
      "of the file",
      withSection("source", "file: a.csv\nrowKey: content").replace("pipeline: a\n", "").replace("source", "«source"),
      [
        "The pipeline needs `pipeline`.",
        "Add `pipeline`: a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit.",
      ],
    ],
    ["of an item", withSection("reconcile", "tolerate:\n  - «name: Phone"), [
      "An item of `tolerate` needs `because`.",
      "Add `because`: a reason.",
    ]],
    ["one of several", withEntry("«name: A\nas: text"), [
      "An item of `questions` needs `from`, `value` or `template`.",
      "Add one of them.",
    ]],
    ["a name", withEntry("«from: A"), ["An item of `questions` needs `id` or `name`.", "Add one of them."]],
    ["a key that another key requires", withSection("sink", "«service: practice"), [
      "`service` also needs `form`.",
      "Add `form`.",
    ]],
  ])
})

describe("an invalid value, with what is allowed", () => {
  check(pipelineDiagnostics, [
    ["a number out of range", withSection("sink", "service: s\nform: f\nbatchSize: «11"), [
      "`batchSize` expects a whole number from 1 to 10, not `11`.",
    ]],
    ["one of a few words", withSection("sink", "service: s\nform: f\nonChange: «reprot"), [
      "`onChange` expects `report`, `ignore` or `import-again`, not `reprot`.",
      "Did you mean `report`?",
    ]],
    ["a union of shapes", withSection("sink", "service: s\nform: f\ncanary: «0"), [
      "`canary` expects a number of rows from 1 to 10, or `off`, not `0`.",
    ]],
    [
      "a unit",
      withSection("sink", "service: s\nform: f\nretries: { base: «5 sec, max: «30 constructor }"),
      ["`base` expects a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`, not `5 sec`."],
      ["`max` expects a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`, not `30 constructor`."],
    ],
    [
      "shares",
      withSection(
        "sink",
        "service: s\nform: f\nstopWhen: { new: «101%, changed: «-1, invalid: «0.5, refused: { share: 5%, atLeast: «0 } }",
      ),
      ["`new` expects a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }, not `101%`."],
      ["`changed` expects a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }, not `-1`."],
      ["`invalid` expects a number of rows, a share such as `5%`, or { share: 20%, atLeast: 50 }, not `0.5`."],
      ["`atLeast` expects a whole number, 1 or more, not `0`."],
    ],
    ["a single column where a list is needed", withSection("source", "file: a.csv\nrowKey: «Id"), [
      "`rowKey` expects a list of columns, or `content`, not `Id`.",
      "Write a list: [Id].",
    ]],
    ["an empty list", withSection("source", "file: a.csv\nrowKey: «[]"), [
      "`rowKey` is an empty list.",
      "It expects a list of columns, or `content`.",
    ]],
    ["several columns for a kind that takes one", withEntry("name: A\nas: date\nfrom: «[A, B]"), [
      "`from` expects a column or { firstOf: [A, B] }, not a list.",
    ]],
    ["yes for true", withEntry("name: A\nfrom: A\nrequired: «yes"), [
      "`required` expects true or false, not `yes`.",
      "Did you mean `true`?",
    ]],
    ["an unclosed template", withEntry("name: A\ntemplate: «'{First name'"), [
      "`template` expects text with columns in braces, such as `{First name} {Last name}`, not `{First name`.",
    ]],
    ["nothing", withEntry("name: A\n«from:"), [
      "`from` has no value.",
      "It expects a column, a list of columns or parts with their columns.",
    ]],
    ["null for text", withEntry("name: A\nfrom: A\ndefault: «null"), [
      "`default` expects text, and `null` means nothing here.",
      'To write the text, use quotes: "null".',
    ]],
    ["an address for a path", withSection("source", "file: «http://example.com/a.csv\nrowKey: [Id]"), [
      "`file` expects a path, an https:// address, a list of them, or { glob: PATTERN, take: newest }, not `http://example.com/a.csv`.",
    ]],
    ["an empty path", withSection("source", "file: «''\nrowKey: [Id]"), [
      "`file` expects a path, an https:// address, a list of them, or { glob: PATTERN, take: newest }, not empty.",
    ]],
    ...["windows-9999", "hex", "base64", "binary", "utf-7"].map((name): Case => [
      `an encoding that does not exist: ${name}`,
      withSection("source", `file: a.csv\nrowKey: [Id]\nencoding: «${name}`),
      [`There is no encoding called \`${name}\`. Encodings are, for example, utf-8, windows-1252 and iso-8859-15.`],
    ]),
    [
      "two keys that can't be used together are one mistake",
      withSection("sink", "service: s\nform: f\n«targets: { a: { service: s, form: f } }"),
      [
        "`targets` can't be used together with `service`.",
        "Keep only `service` or `targets`.",
      ],
    ],
    ["a mapping of nothing", withSection("mapping", "unmapped: warn").replace("mapping:", "«mapping:"), [
      "`mapping` needs `questions`, `urlParameters`, `submissionTime`, `lastUpdatedAt`, `login`, `scheduling` or `payments`.",
      "Add one of them.",
    ]],
  ])
})

describe("an invalid project file", () => {
  check(projectDiagnostics, [
    ["plain http into the open", "services:\n  live: { baseUrl: «http://forms.example.com/v1, apiKey: { env: K } }\n", [
      "Plain http is allowed only to this machine (localhost), because it would send the key unencrypted. Write https://.",
    ]],
    ["both places of a key", "services:\n  live: { baseUrl: https://x.org, apiKey: { env: K, «file: f } }\n", [
      "`file` can't be used together with `env`.",
      "Keep only `env` or `file`.",
    ]],
    ["a practice service by its keys", "services:\n  practice: { practice: { «form: ../forms } }\n", [
      "`form` is not a key of `practice`.",
      "Did you mean `forms`?",
    ]],
    [
      "a practice service with keys of other services",
      "services:\n  practice: { practice: { forms: f }, «apiKey: { env: K }, «timeout: 5 seconds, «confirm: false }\n",
      [
        "`apiKey` is not a key of `practice`.",
        "Its keys are: `practice` and `capabilities`.",
      ],
      [
        "`timeout` is not a key of `practice`.",
        "Its keys are: `practice` and `capabilities`.",
      ],
      [
        "`confirm` is not a key of `practice`.",
        "Its keys are: `practice` and `capabilities`.",
      ],
    ],
    [
      "a timeout of nothing",
      "services:\n  live: { baseUrl: https://x.org, apiKey: { env: K }, timeout: «0 seconds }\n",
      [
        "`timeout` expects a time above zero, such as `30 seconds`, not `0 seconds`.",
      ],
    ],
    ["a service's name", "services:\n  «my service: { practice: { forms: f } }\n", [
      "`my service` can't be a key of `services`.",
      "It expects a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit.",
    ]],
    ["no services", "services: «{}\n", ["`services` is empty.", "It expects a mapping from names to services."]],
  ])

  it.each(["http://localhost:3000/v1", "http://127.0.0.1:80", "http://[::1]:8080/v1", "https://example.com"])(
    "%s is a valid base address",
    (url) => {
      expect(projectDiagnostics(`services: { live: { baseUrl: "${url}", apiKey: { env: K } } }`)).toEqual([])
    },
  )

  it.each([
    "apiKey: sk_live_51secret",
    "apikey: sk_live_51secret",
    "apiKey: { env: sk-live-51secret }",
    "apiKey: { key: sk_live_51secret }",
    "apiKey: [sk_live_51secret]",
    "apiKey: |\n      sk_live_51secret\n    timeout: 1",
    "apiKey: sk_live_51secret: x",
    "apiKey: sk_live_51secret\n    bad: [",
    "baseUrl: https://user:sk_live_51secret@x.org",
  ])("a secret written in the file is an error, and no diagnostic shows it: %s", (line) => {
    const diagnostics = projectDiagnostics(`services:\n  live:\n    ${line}\n`)
    expect(diagnostics.length).toBeGreaterThan(0)
    expect(JSON.stringify(diagnostics)).not.toMatch(/51secret/)
  })

  it.each(["", " ["])("a webhook's address written in the file is an error, and no diagnostic shows it: %s", (end) => {
    const [diagnostic] = projectDiagnostics(
      `services: { live: { baseUrl: https://x.org, apiKey: { env: K } } }\nnotify:\n  - webhook: https://hooks.example.org/T51secret${end}\n`,
    )
    expect(diagnostic).toBeDefined()
    expect(JSON.stringify(diagnostic)).not.toMatch(/51secret/)
  })
})
