import { describe, expect, it } from "@effect/vitest"
import { parse } from "yaml"
import type { DraftEntry } from "../../src/project/PipelineDraft.ts"
import {
  leaveUnanswered,
  proposedSourceKey,
  putEntry,
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
  # the tool's own column
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
    expect(own).not.toContain("# submissionTime")
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

  it("an edit translates a choice, and removes it from the comment that lists it", () => {
    const one = setChoice(pipeline, a, "n: o", null) ?? ""
    expect(parse(one).mapping.questions[0].values).toEqual({ "n: o": null })
    expect(gone(pipeline, one)).toEqual(['#   "n: o": # 1 ×'])
    const two = setChoice(one, a, "Rot", "Red, dark") ?? ""
    expect(parse(two).mapping.questions[0].values).toEqual({ "n: o": null, Rot: "Red, dark" })
    expect(two).not.toContain("# values")
    const inFlow = pipeline.replace("from: Color\n", "from: Color\n      values: { a: b }\n")
    expect(parse(setChoice(inFlow, a, "Rot", "Red, dark") ?? "").mapping.questions[0].values).toEqual({
      a: "b",
      Rot: "Red, dark",
    })
    expect(setChoice("mapping:\n  questions: [{ id: a, from: A }]\n", a, "x", "y")).toBe(undefined)
  })

  it("an edit writes or removes a source key that a comment proposes", () => {
    expect(proposedSourceKey(pipeline, "empty")).toEqual(["-", "n/a"])
    expect(proposedSourceKey(pipeline, "where")).toBe(undefined)
    expect(parse(setSourceKey(pipeline, "empty", ["-"]) ?? "").source).toEqual({ file: "../people.csv", empty: ["-"] })
    expect(gone(pipeline, removeProposal(pipeline, "empty"))).toEqual([
      '# empty: ["-", "n/a"] # remove the # if these mean "no answer": 2 ×',
    ])
  })
})
