import { describe, expect, it } from "@effect/vitest"
import { parseYaml } from "../../src/project/yamlText.ts"
import { pipelineDiagnostics, withEntry } from "./diagnosed.ts"
import { marked, places } from "./marked.ts"

const good = withEntry("name: A\nfrom: B")

describe("the depth of a YAML file", () => {
  it("the depth of a file is limited before any value is read, even with aliases", () => {
    const chain = (length: number, open: string, close: string) =>
      Array.from({ length }, (_, at) => `x-${at}: &a${at} ${open}${at === 0 ? "" : `*a${at - 1}`}${close}`).join("\n")
    const deep = "The file is nested more than 200 levels deep, with its aliases expanded."
    const all = (text: string) => pipelineDiagnostics(`${good}\n${text}\n`).map(({ message }) => message)
    for (const length of [300, 20_000]) expect(all(chain(length, "[", "]")), String(length)).toContain(deep)
    expect(all(chain(50, "[", "]"))).toEqual([])
  })
})

describe("YAML errors", () => {
  it.each([
    ["a repeated key", good.replace("sink:", "«pipeline: b\nsink:"), "`pipeline` occurs twice."],
    ["several documents", `${good}«---\npipeline: b\n`, "The file contains several documents."],
    ["a tab", good.replace("    - ", "«\t- "), "A tab can't be used for indentation."],
    ["a tab after spaces", good.replace("      from", "«    \t from"), "A tab can't be used for indentation."],
    [
      "a line that is indented too little",
      good.replace("      from", "«     from"),
      "The indentation of this line doesn't match the lines around it.",
    ],
    [
      "an item that is indented too little",
      withEntry("name: A\nfrom: B").replace("sink", "« - name: C\nsink"),
      "The indentation of this line doesn't match the lines around it.",
    ],
    [
      "a line that is indented too far",
      good.replace("name: A\n      from", "name: «A\n       from"),
      "The next line is indented further than this one.",
    ],
    ["a missing colon", good.replace("from: B", "«from B"), "There is no `: ` after this key."],
    ["no space after a colon", good.replace("name: A", "«name:A"), "There is no `: ` after this key."],
    ["a quote that is not closed", good.replace("form: abc }", 'form: "abc «}'), "A quote is not closed."],
    ["a second colon", good.replace("from: B", "from: «B: C"), "A second `: ` in one line can't be read."],
    ["a tag", good.replace("from: B", "from: «!column B"), "Tags (`!name`) mean nothing here."],
    ["an unknown anchor", good.replace("from: B", "from: «*b"), "There is no anchor `&b` above this line."],
    ["a list as a key", good.replace("from: B", "? «[a]\n      : b"), "A key is text, not a list or a mapping."],
    [
      "an alias inside its own anchor",
      good.replace("name: A", "&self name: A").replace("from: B", "from: &all { date: «*all }"),
      "`*all` contains itself.",
    ],
    [
      "a list that is not closed at the end of the file",
      good.replace("form: abc }", "form: [abc, d«e"),
      "A list that begins with `[` is not closed, or not indented.",
    ],
    ["an empty file", "«", "The pipeline is empty."],
    ["a file of comments", "«# later\n", "The pipeline is empty."],
    [
      "a list instead of keys",
      "«- a\n",
      "The pipeline expects a mapping with `pipeline`, `source`, `mapping` and `sink`, not a list.",
    ],
  ])("a YAML error is reported in a sentence, at its place: %s", (_name, text, message) => {
    const file = marked(text)
    const diagnostics = pipelineDiagnostics(file.text)
    expect(diagnostics.map((diagnostic) => diagnostic.message)).toEqual([message])
    expect(places(diagnostics)).toEqual(file.places)
  })

  it("YAML errors are reported together", () => {
    const diagnostics = pipelineDiagnostics("pipeline: a: b\nsource: %x\nmapping: !m {}\nsink: @x\n")
    expect(diagnostics.map(({ line }) => line)).toEqual([1, 2, 3, 4])
  })

  it("all YAML errors are reported, even if a key is repeated", () => {
    const file = marked(good.replace("from: B", "from: B\n      «name: C\n      «formt: x"))
    expect(places(pipelineDiagnostics(file.text))).toEqual(file.places)
  })

  it("keys that only look alike are not errors", () => {
    expect(pipelineDiagnostics(withEntry("name: A\nfrom: B\nas: choice\nvalues: { 007: a, 7: b, 7.0: c, '07': d }")))
      .toEqual([])
    const same = marked(withEntry("name: A\nfrom: B\nas: choice\nvalues: { 7: a, «'7': b }"))
    expect(places(pipelineDiagnostics(same.text))).toEqual(same.places)
  })
})

describe("YAML's anchors, aliases and merge keys", () => {
  it("anchors, aliases and merge keys are supported, and keys that begin with x- are ignored", () => {
    expect(pipelineDiagnostics(`
x-dates: &dates { as: date, format: dd.MM.yyyy }
x-other: [anything, { at: all }]
pipeline: a
source: { file: a.csv, rowKey: [Id], x-note: why }
mapping:
  questions:
    - { name: A, from: B, <<: *dates }
    - { name: C, from: D, <<: [*dates, { format: yyyy }], x-by: me }
sink: { service: practice, form: abc }
`)).toEqual([])
  })

  it("a mistake in an anchored value is reported once, where it is written", () => {
    const file = marked(`
x-dates: &dates { as: date, «formt: dd.MM.yyyy }
pipeline: a
source: { file: a.csv, rowKey: [Id] }
mapping:
  questions:
    - { name: A, from: B, <<: *dates }
    - { name: C, from: D, <<: *dates }
sink: { service: practice, form: abc }
`)
    expect(places(pipelineDiagnostics(file.text))).toEqual(file.places)
  })

  it("a mapping's own key has priority over a merged key, and an earlier merge over a later merge", () => {
    const yaml = parseYaml("f", "a: &a { k: 1, l: 1 }\nb: &b { k: 2, m: 2 }\nc: { k: 3, <<: [*b, *a] }\n")
    expect(yaml.at(["c", "k"]).line).toBe(3)
    expect(yaml.at(["c", "m"]).line).toBe(2)
    expect(yaml.at(["c", "l"]).line).toBe(1)
  })

  it("aliases are refused quickly if they expand to too many values", () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const inner = index === 0 ? "x" : Array.from({ length: 10 }, () => `*l${index - 1}`).join(", ")
      return `x-${index}: &l${index} [${inner}]`
    })
    const bomb = `${levels.join("\n")}\n${good.replace("from: B", "from: B\n      as: choice\n      options: *l11")}`
    // `options` is a list of text, so the lists inside it are already wrong.
    expect(pipelineDiagnostics(bomb).length).toBeGreaterThan(0)
    const merges = Array.from(
      { length: 30 },
      (_, index) =>
        index === 0
          ? "x-0: &m0 { a: b }"
          : `x-${index}: &m${index} { k${index}: v, <<: [*m${index - 1}, *m${index - 1}] }`,
    )
    expect(pipelineDiagnostics(
      `${merges.join("\n")}\n${good.replace("from: B", "from: B\n      as: choice\n      values: { <<: *m29 }")}`,
    )).toEqual([])
    const options = `x-o: &o [${Array.from({ length: 1_000 }, (_, index) => `o${index}`).join(", ")}]\n`
    const entry = "    - { name: A, from: B, as: choice, options: *o }\n"
    const many = options + good.replace("    - name: A\n      from: B\n", entry.repeat(300))
    expect(pipelineDiagnostics(many).map(({ message }) => message)).toEqual([
      "The aliases of this file expand to more than 200,000 values.",
    ])
  })
})

describe("places in a YAML file", () => {
  it("places are the same with a byte order mark and with Windows line endings", () => {
    const file = marked(good.replace("from: B", "«frm: B"))
    const windows = "\uFEFF" + file.text.replaceAll("\n", "\r\n")
    expect(pipelineDiagnostics(windows)).toEqual(pipelineDiagnostics(file.text))
    expect(places(pipelineDiagnostics(windows))[0]).toEqual(file.places[0])
  })

  it("the place of a path is its value, its key, or the nearest parent if the path does not exist", () => {
    const yaml = parseYaml("f.yaml", "a:\n  b: [x, { c: 1 }]\n  d:\n")
    expect(yaml.at(["a", "b", 1, "c"])).toEqual({ line: 2, column: 15, excerpt: "  b: [x, { c: 1 }]" })
    expect(yaml.at(["a", "b", 1, "c"], "key")).toEqual({ line: 2, column: 12, excerpt: "  b: [x, { c: 1 }]" })
    expect(yaml.at(["a", "b"], "key")).toMatchObject({ line: 2, column: 3 })
    expect(yaml.at(["a", "d"])).toMatchObject({ line: 3, column: 3 })
    expect(yaml.at(["a", "b", 7, "z"])).toMatchObject({ line: 2, column: 6 })
    expect(yaml.at(["nothing"])).toMatchObject({ line: 1, column: 1 })
    expect(yaml.at([])).toMatchObject({ line: 1, column: 1 })
  })
})
