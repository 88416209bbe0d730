import { describe, expect, it } from "@effect/vitest"
import { parse } from "yaml"
import type { DraftEntry } from "../../src/project/PipelineDraft.ts"
import {
  confidencesIn,
  ignore,
  isOpen,
  leaveUnanswered,
  markReviewed,
  proposedSourceKey,
  putEntry,
  removeEntry,
  removeProposal,
  setChoice,
  setSourceKey,
} from "../../src/project/pipelineEdits.ts"

const pipeline = `pipeline: people # ours
source:
  file: ../people.csv # kept
  # rowKey: [Column] # needed: what identifies a row
  # empty: ["-", "n/a"] # remove the # if these mean "no answer": 2 ×

mapping:
  questions:
    # confidence 0.84 · "Rot"
    - id: a
      name: Color
      from: Color
      # values: # these are not options
      #   # options: Red · Blue
      #   Rot: # 2 ×
      #   "n: o": # 1 ×
    # left open: no column is certain
    # candidate 0.50 Due
    # - id: b
    #   name: Due
    #   from: Due
    #   format: dd/MM/yyyy # or MM/dd/yyyy
    # left open: no column fits
    # - id: "c"
    #   name: Size
    #   from: ""
  # suggested · the tool's own column · "2024-01-02"
  # submissionTime: { from: When, zone: Europe/Berlin }
  # not mapped yet: When

sink: { service: practice, form: f }
`

const a = { id: "a", name: "Color" }

const entry = (of: string, more: Partial<DraftEntry> = {}): DraftEntry => ({
  of,
  comments: ["reviewed"],
  keys: [{ key: "id", value: of }, { key: "from", value: "X" }],
  below: [],
  open: false,
  ...more,
})

/** Returns the lines of a text that the other text doesn't have. */
const gone = (before: string, after: string | undefined) => {
  const kept = after?.split("\n") ?? []
  return before.split("\n").filter((line) => !kept.includes(line)).map((line) => line.trim())
}

describe("an edit of a pipeline file", () => {
  it("an edit replaces an open entry with a written one, and changes no other line", () => {
    const text = putEntry(pipeline, "questions", entry("b"))
    expect(parse(text ?? "").mapping.questions.map(({ id }: { id: string }) => id)).toEqual(["a", "b"])
    expect(gone(pipeline, text)).toEqual([
      "# left open: no column is certain",
      "# candidate 0.50 Due",
      "# - id: b",
      "#   name: Due",
      "#   from: Due",
      "#   format: dd/MM/yyyy # or MM/dd/yyyy",
    ])
    const replaced = putEntry(pipeline, "questions", entry("a"))
    expect(parse(replaced ?? "").mapping.questions).toEqual([{ id: "a", from: "X" }])
    expect(replaced).not.toContain("Rot")
    expect(parse(putEntry(pipeline, "questions", entry("new")) ?? "").mapping.questions).toHaveLength(2)
    const own = putEntry(pipeline, "own", entry("submissionTime", { keys: [{ key: "from", value: "When" }] }))
    expect(parse(own ?? "").mapping.submissionTime).toEqual({ from: "When" })
    expect(own).not.toMatch(/# (?:submissionTime|suggested)/)
  })

  it("an edit of an open entry keeps the comments above it that a person wrote", () => {
    const text = pipeline.replace("    # - id: b\n", "    # ours\n    # - id: b\n").replace(
      "  # submissionTime",
      "  # ours, too\n  # submissionTime",
    )
    for (const edited of [putEntry(text, "questions", entry("b")), leaveUnanswered(text, { id: "b", name: "Due" })]) {
      expect(edited).toContain("    # ours\n")
    }
    expect(putEntry(text, "own", entry("submissionTime"))).toContain("  # ours, too\n  # reviewed\n")
  })

  it("an edit keeps the file's line ends", () => {
    const windows = pipeline.replaceAll("\n", "\r\n")
    for (
      const text of [
        putEntry(windows, "questions", entry("b")),
        leaveUnanswered(windows, { id: "c", name: "Size" }),
        setChoice(windows, a, "Rot", "Red"),
        setSourceKey(windows, "rowKey", ["No"]),
      ]
    ) {
      expect(text?.replaceAll("\r\n", "")).not.toContain("\n")
      expect(text?.replaceAll("\r\n", "")).not.toContain("\r")
      expect(parse(text ?? "").pipeline).toBe("people")
    }
  })

  it("an edit lists a question that stays unanswered, and removes its entry", () => {
    const text = leaveUnanswered(pipeline, { id: "c", name: "Size" }) ?? ""
    expect(gone(pipeline, text)).toEqual([
      "# left open: no column fits",
      '# - id: "c"',
      "#   name: Size",
      '#   from: ""',
    ])
    const both = leaveUnanswered(text, { id: "a", name: "" }) ?? ""
    expect(parse(both).mapping).toEqual({ questions: null, ignoreQuestions: ["Size", "a"] })
    const block = pipeline.replace("\nsink", "  ignoreQuestions:\n    - First\n\nsink")
    expect(parse(leaveUnanswered(block, { id: "c", name: "Size" }) ?? "").mapping.ignoreQuestions).toEqual([
      "First",
      "Size",
    ])
  })

  it("an edit aligns a column with the others of a list whose first one begins with a dash", () => {
    const text = pipeline.replace("\nsink", "  ignore:\n    - -foo\n\nsink")
    expect(ignore(text, "ignore", "bar")).toContain("  ignore:\n    - -foo\n    - bar\n")
  })

  it("an edit translates a choice, and removes it from the comment that lists it", () => {
    const one = setChoice(pipeline, a, "n: o", null) ?? ""
    expect(parse(one).mapping.questions[0].values).toEqual({ "n: o": null })
    expect(gone(pipeline, one)).toEqual(["# values: # these are not options", '#   "n: o": # 1 ×'])
    // The # of the other choices can be removed.
    const uncommented = parse(one.replaceAll(/# {3}(?=Rot|# )/g, "  "))
    expect(uncommented.mapping.questions[0].values).toEqual({ "n: o": null, Rot: null })
    const two = setChoice(one, a, "Rot", "Red, dark") ?? ""
    expect(parse(two).mapping.questions[0].values).toEqual({ "n: o": null, Rot: "Red, dark" })
    expect(two).not.toContain("# values")
    const inFlow = pipeline.replace("from: Color\n", "from: Color\n      values: { a: b }\n")
    expect(parse(setChoice(inFlow, a, "Rot", "Red, dark") ?? "").mapping.questions[0].values).toEqual({
      a: "b",
      Rot: "Red, dark",
    })
    expect(setChoice("mapping:\n  questions: [{ id: a, from: A }]\n", a, "x", "y")).toBe(undefined)
    // `values` is valid only with `as`.
    const bare = "mapping:\n  questions:\n    - id: a\n      from: A\n"
    const kinded = setChoice(bare, a, "x", "y", "choice") ?? ""
    expect(parse(kinded).mapping.questions).toEqual([{ id: "a", from: "A", as: "choice", values: { x: "y" } }])
    const more = setChoice(kinded, a, "z", null, "choices") ?? ""
    expect(parse(more).mapping.questions[0]).toMatchObject({ as: "choice", values: { x: "y", z: null } })
  })

  it("an edit writes or removes a source key that a comment proposes", () => {
    expect(proposedSourceKey(pipeline, "empty")).toEqual(["-", "n/a"])
    expect(proposedSourceKey(pipeline, "where")).toBe(undefined)
    expect(parse(setSourceKey(pipeline, "empty", ["-"]) ?? "").source).toEqual({ file: "../people.csv", empty: ["-"] })
    expect(gone(pipeline, removeProposal(pipeline, "empty"))).toEqual([
      '# empty: ["-", "n/a"] # remove the # if these mean "no answer": 2 ×',
    ])
  })

  const question = { id: "q1", name: "Born  " }
  const ways = [
    ["by its id", ["id: q1"]],
    ["by its name", ["name: Born"]],
    ["by both", ["id: q1", 'name: "Born  "']],
  ] as const

  /** Returns a pipeline with an entry that has comments and keys of its own. */
  const dated = (naming: ReadonlyArray<string>) =>
    `mapping:
  questions:
    # Ask Ada.
    # confidence 0.80 · "1.2.1990"
    - ${naming.join("\n      ")}
      # the old program's column
      from: Birthday # checked
      as: date
      format: dd.MM.yyyy # or MM.dd.yyyy
      # An empty cell is a mistake.
      required: true
      onInvalid: drop # agreed
      # below
    - id: other
      from: Other
`

  const keys = (from: string, ...more: DraftEntry["keys"]) => [
    { key: "id", value: question.id },
    { key: "name", value: question.name },
    { key: "from", value: from },
    ...more,
  ]

  it.each(ways)("a correction of an entry %s changes only the keys that it is about", (_, naming) => {
    const text = dated(naming)
    const format = [{ key: "as", value: "date" }, { key: "format", value: "MM.dd.yyyy" }]
    const corrected = putEntry(text, "questions", entry("q1", { kind: "date", keys: keys("Birthday", ...format) }))
    expect(corrected).toBe(
      text.replace("dd.MM.yyyy # or MM.dd.yyyy", "MM.dd.yyyy").replace('confidence 0.80 · "1.2.1990"', "reviewed"),
    )
    // The default format of dates applies to the new column.
    const moved = putEntry(text, "questions", entry("q1", { kind: "date", keys: keys("Born on") }))
    expect(moved).toBe(
      text.replace("from: Birthday", "from: Born on").replace("      format: dd.MM.yyyy # or MM.dd.yyyy\n", "")
        .replace('confidence 0.80 · "1.2.1990"', "reviewed"),
    )
    const plain = putEntry(text, "questions", entry("q1", { kind: "text", keys: keys("Remarks") })) ?? ""
    expect(parse(plain).mapping.questions[0]).toEqual({
      ...parse(text).mapping.questions[0],
      from: "Remarks",
      as: undefined,
      format: undefined,
    })
    expect(plain).toContain("# An empty cell is a mistake.\n")
  })

  it.each(ways)("an entry %s can be removed, left unanswered and translated", (_, naming) => {
    const text = dated(naming)
    const rest = "mapping:\n  questions:\n    # Ask Ada.\n    - id: other\n      from: Other\n"
    expect(removeEntry(text, question)).toBe(rest)
    expect(parse(leaveUnanswered(text, question) ?? "").mapping.questions).toHaveLength(1)
    expect(parse(setChoice(text, question, "x", "y") ?? "").mapping.questions[0].values).toEqual({ x: "y" })
    expect(confidencesIn(text)(question)).toBe(0.8)
    expect(markReviewed(text, question)).toBe(text.replace("confidence 0.80", "reviewed"))
  })

  it.each(ways)("an entry %s keeps its own keys while an answer is missing", (_, naming) => {
    const text = dated(naming)
    const open = putEntry(text, "questions", entry("q1", { kind: "date", keys: keys("Born on"), open: true })) ?? ""
    expect(parse(open).mapping.questions).toEqual([{ id: "other", from: "Other" }])
    const answers = [{ key: "as", value: "date" }, { key: "format", value: "d/M/yyyy" }]
    const settled = putEntry(open, "questions", entry("q1", { kind: "date", keys: keys("Born on", ...answers) })) ?? ""
    expect(parse(settled).mapping.questions[0]).toMatchObject({
      from: "Born on",
      format: "d/M/yyyy",
      required: true,
      onInvalid: "drop",
    })
    for (
      const comment of ["# the old program's column", "# An empty cell", "# agreed", "      # below", "# Ask Ada."]
    ) {
      expect(settled).toContain(comment)
    }
  })

  it.each([
    ["on one line", "{ name: Born, from: [Y, Z], required: true } # ours"],
    ["without a column", "name: Born\n      required: true\n      # ours"],
  ])("an entry %s can be corrected", (_, written) => {
    const text = `mapping:\n  questions:\n    - ${written}\n    - { name: B, from: D }\n`
    const corrected = putEntry(text, "questions", entry("q1", { keys: keys("N") })) ?? ""
    expect(parse(corrected).mapping.questions).toEqual([
      { name: "Born", from: "N", required: true },
      { name: "B", from: "D" },
    ])
    expect(corrected).toContain("      # ours\n    - {")
  })

  it("an edit writes a choice whose value was left empty, and keeps the note after it", () => {
    const text =
      `mapping:\n  questions:\n    - id: a\n      values:\n        Foo:\n        "Bar": # 3 ×\n        Red: R\n`
    const one = setChoice(text, a, "Foo", "Blue") ?? ""
    expect(one).toBe(text.replace("Foo:", "Foo: Blue"))
    expect(setChoice(one, a, "Bar", null)).toBe(one.replace('"Bar":', '"Bar": null'))
    const short = "mapping:\n  questions:\n    - id: a\n      values: { Foo: , Red }\n"
    expect(setChoice(short, a, "Foo", "Blue")).toContain("{ Foo: Blue , Red }")
    expect(setChoice(short, a, "Red", "Blue")).toBe(undefined)
    expect(setChoice(text.replace("Foo:", "Foo: |\n          R"), a, "Foo", "Blue")).toBe(undefined)
  })

  it("an edit finds a choice that is written without quotes and looks like a number", () => {
    const text = "mapping:\n  questions:\n    - id: a\n      from: A\n      values:\n        01: Red\n"
    expect(setChoice(text, a, "01", "Blue")).toBe(text.replace("Red", "Blue"))
    const values = { key: "values", value: { "01": "Blue", "02": "Green" } }
    const made = { kind: "choice", keys: [{ key: "id", value: "a" }, { key: "from", value: "A" }, values] }
    expect(putEntry(text, "questions", entry("a", made))).toContain('        01: Red\n        "02": Green\n')
  })

  it("a correction keeps how the cells of a column are written whose name looks like a number", () => {
    const text = "mapping:\n  questions:\n    - id: a\n      from: 007\n      as: date\n      format: dd.MM.yyyy\n"
    const made = { kind: "date", keys: [{ key: "id", value: "a" }, { key: "from", value: "007" }] }
    expect(parse(putEntry(text, "questions", entry("a", made)) ?? "").mapping.questions[0])
      .toMatchObject({ from: 7, format: "dd.MM.yyyy" })
    const other = { kind: "date", keys: [{ key: "id", value: "a" }, { key: "from", value: "7" }] }
    expect(parse(putEntry(text, "questions", entry("a", other)) ?? "").mapping.questions[0])
      .not.toHaveProperty("format")
  })

  it("open entries are found in comments", () => {
    const open = isOpen(
      '# - id: q1\n  #   name: x\n    # - id: "q 2" # note\n  # submissionTime: { from: A }\n- id: q3\n# values:\n#   id: q4\n',
    )
    expect(["q1", "q 2", "q3", "q4", "submissionTime", "login"].map(open))
      .toEqual([true, true, false, false, true, false])
  })

  it("an open entry is found and replaced whose id is not its first key", () => {
    const text = pipeline.replace("# - id: b\n    #   name: Due\n", "# - name: Due\n    #   id: b\n")
    expect(isOpen(text)("b")).toBe(true)
    const settled = putEntry(text, "questions", entry("b")) ?? ""
    expect(parse(settled).mapping.questions[1]).toEqual({ id: "b", from: "X" })
    expect(isOpen(settled)("b")).toBe(false)
    expect(gone(text, removeEntry(text, { id: "b", name: "Due" }))).toContain("# - name: Due")
  })

  it("a correction adds translations, and keeps those that a person gave", () => {
    const text = setChoice(pipeline, a, "Rot", "Red") ?? ""
    const found = { key: "values", value: { Rot: "Blue", Blau: "Blue" } }
    const made = { kind: "choice", keys: [...entry("a").keys, { key: "as", value: "choice" }, found] }
    const corrected = putEntry(text, "questions", entry("a", { ...made, below: ["values: # why", "  Rot: # 2 ×"] }))
      ?? ""
    expect(parse(corrected).mapping.questions[0]).toEqual({
      id: "a",
      from: "X",
      as: "choice",
      values: { Rot: "Red", Blau: "Blue" },
    })
    expect(corrected).not.toContain("2 ×\n    # left")
    const set = text.replace(/values:\n\s+Rot: Red/, "values: { set: colours }")
    expect(parse(putEntry(set, "questions", entry("a", made)) ?? "").mapping.questions[0].values).toEqual({
      set: "colours",
    })
  })
})
