import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse, parseDocument } from "yaml"
import { visible } from "../../src/domain/visible.ts"
import { addToPipeline, type DraftEntry, entryLines, yamlText } from "../../src/project/PipelineDraft.ts"

const entry = (of: string, more: Partial<DraftEntry> = {}): DraftEntry => ({
  of,
  comments: [],
  keys: [{ key: "id", value: of }, { key: "from", value: "Column" }],
  below: [],
  open: false,
  ...more,
})

/** Texts that occur in headers and cells, and texts that YAML would read differently. */
const anyText = fc.oneof(
  fc.fullUnicodeString(),
  fc.constantFrom(
    "yes",
    "no",
    "null",
    "~",
    "1.0",
    "0x1F",
    "2024-01-01",
    "- a",
    "a: b",
    "a #b",
    "#",
    "[x]",
    "{a}",
    "a, b",
    "'",
    '"',
    "*a",
    "&a",
    "!t",
    "|",
    ">",
    "%",
    "@",
    "`",
    " a ",
    "",
    "\u0085",
    "\u2028",
    "\uFEFF",
    "\u202Etxt",
    "a\u200Bb",
    "\u{E0067}",
    "<<",
    "=",
    "key:",
    "?",
    "a\nb",
    "\t",
  ),
)

describe("texts written into a pipeline file", () => {
  it("texts are read back unchanged, alone on a line or in a list", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(parse(`a: ${yamlText(a)}`)).toEqual({ a })
        expect(parse(`a: [${yamlText(a, true)}, ${yamlText(b, true)}]`)).toEqual({ a: [a, b] })
        expect(parse(`{ ${yamlText(a, true)}: x }`)).toEqual({ [a]: "x" })
        // An editor shows all of it, in the order in which it is read.
        expect(visible(yamlText(a))).toBe(yamlText(a))
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  it("texts can't end a comment or hide in one", () => {
    const lines = entryLines(entry("q", { comments: ["a\nkey: value", "\u001B[31mred\u202E\u2028x"] }))
    expect(lines.slice(0, 2)).toEqual(["# a↵key: value", "# ␛[31mred<U+202E><U+2028>x"])
    expect(parse(lines.join("\n"))).toEqual([{ id: "q", from: "Column" }])
  })

  it("texts in an open entry are comments that can be uncommented unchanged", () => {
    const open = entryLines(entry("q", { open: true, comments: ["why"], below: ["values:", "  a: # 3 ×"] }))
    expect(parse(open.join("\n"))).toBe(null)
    expect(parse(open.filter((line) => line !== "# why").map((line) => line.slice(2)).join("\n"))).toEqual([
      { id: "q", from: "Column" },
    ])
  })
})

const pipeline = `# A file of somebody's own
pipeline: people   # its name

mapping:
    questions:      # four spaces deep

    - name: "Full name"   # quoted
      from: Name
      # values:
      #   a: b

    - { name: Mail, from: E-mail }
      # - id: q9
      #   name: Left open
    unmapped: warn

sink: { service: practice, form: f }
`

describe("adding entries to a pipeline file", () => {
  it("new entries are inserted after the existing entries, and nothing else changes", () => {
    const text = addToPipeline(pipeline, {
      questions: [entry("new")],
      urlParameters: [entry("u")],
      own: [entry("login")],
    })
    const kept = text?.split("\n").filter((line) => pipeline.split("\n").includes(line)).join("\n")
    expect(kept).toBe(pipeline)
    expect(parseDocument(text ?? "").errors).toEqual([])
    expect(parse(text ?? "")).toEqual({
      pipeline: "people",
      mapping: {
        questions: [{ name: "Full name", from: "Name" }, { name: "Mail", from: "E-mail" }, {
          id: "new",
          from: "Column",
        }],
        unmapped: "warn",
        urlParameters: [{ id: "u", from: "Column" }],
        login: { id: "login", from: "Column" },
      },
      sink: { service: "practice", form: "f" },
    })
    // The new entries follow the comments that belong to the last entry.
    expect(text?.indexOf("id: new")).toBeGreaterThan(text?.indexOf("Left open") ?? 0)
  })

  it("the file keeps its line endings, even if its last line has none", () => {
    const text = addToPipeline("mapping:\r\n  questions:\r\n  - id: a\r\n    from: A", {
      questions: [entry("b")],
      urlParameters: [],
      own: [],
    })
    expect(text).toBe("mapping:\r\n  questions:\r\n  - id: a\r\n    from: A\r\n  - id: b\r\n    from: Column\r\n")
  })

  it("entries are added to a list whose entries are all comments, and to an empty list", () => {
    const open = "mapping:\n  questions:\n    # - id: a\n    #   from: A\n  unmapped: warn\n"
    const added = { questions: [entry("b")], urlParameters: [entry("u")], own: [] }
    expect(parse(addToPipeline(open, added) ?? "").mapping).toEqual({
      questions: [{ id: "b", from: "Column" }],
      unmapped: "warn",
      urlParameters: [{ id: "u", from: "Column" }],
    })
    const empty = "mapping:\n  questions: [] # none yet\n  urlParameters: []\n"
    expect(addToPipeline(empty, added)).toBe(
      "mapping:\n  questions: # none yet\n    - id: b\n      from: Column\n  urlParameters:\n    - id: u\n      from: Column\n",
    )
  })

  it("a file stays unchanged if lines can't be inserted", () => {
    const none = { urlParameters: [], own: [] }
    expect(addToPipeline("mapping: { questions: [] }\n", { questions: [entry("b")], ...none })).toBe(undefined)
    expect(addToPipeline("mapping:\n  questions: [{ id: a, from: A }]\n", { questions: [entry("b")], ...none })).toBe(
      undefined,
    )
    expect(addToPipeline("mapping: [\n", { questions: [entry("b")], ...none })).toBe(undefined)
  })
})
