import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AnyEdit, editText } from "../../src/jobs/editText.ts"

const pipeline = (questions: string, more = "") =>
  `pipeline: people\nsource:\n  file: ../a.csv\nmapping:\n  questions:${questions}\n${more}sink:\n  service: live\n  form: f\n`

const color = { question: "q3", name: "Color" }
const setChoice: AnyEdit = { _tag: "SetChoice", ...color, choice: "rot", option: "Red", as: "choice" }
const leave: AnyEdit = { _tag: "LeaveUnanswered", question: { id: "q3", name: "Color" } }
const putName: AnyEdit = {
  _tag: "PutEntry",
  list: "questions",
  entry: {
    of: "q1",
    comments: [],
    keys: [{ key: "id", value: "q1" }, { key: "name", value: "Name" }, { key: "from", value: "Other" }],
    below: [],
    open: false,
  },
}
const ignoreColumn: AnyEdit = { _tag: "IgnoreColumn", column: "Left" }

describe("an edit that would change more than it is about", () => {
  it.effect.each<readonly [string, string, AnyEdit]>([
    [
      "entry in braces on several lines",
      pipeline("\n    - {\n        id: q3,\n        name: Color,\n        from: C,\n      }"),
      {
        _tag: "Unmap",
        ...color,
      },
    ],
    [
      "list of entries in brackets",
      pipeline(" [{ id: q1, name: Name, from: A }, { id: q3, name: Color, from: C }]"),
      putName,
    ],
    ["entry with explicit keys", pipeline("\n    - ? id\n      : q3\n      name: Color\n      from: C"), setChoice],
    [
      "value with an anchor that a later entry uses",
      pipeline("\n    - id: q1\n      name: Name\n      from: &a A\n    - id: q2\n      from: *a"),
      putName,
    ],
    [
      "mapping of values that two entries share",
      pipeline(
        "\n    - id: q3\n      name: Color\n      from: C\n      values: &v\n        blau: Blue\n    - id: q1\n      from: A\n      values: *v",
      ),
      setChoice,
    ],
    [
      "commented entry inside a text",
      pipeline("\n    - id: q3\n      from: C", "  x-note: |\n    # - id: q1\n    #   from: A\n"),
      putName,
    ],
    [
      "question with two entries",
      pipeline("\n    - id: q3\n      from: C\n      when: { A: x }\n    - id: q3\n      from: D"),
      leave,
    ],
    [
      "time that was mapped in the meantime",
      pipeline("\n    - id: q3\n      from: C", "  submissionTime: { from: B }\n"),
      {
        _tag: "PutEntry",
        list: "own",
        entry: { of: "submissionTime", comments: [], keys: [{ key: "from", value: "A" }], below: [], open: false },
      },
    ],
  ])("is refused: %s", ([, text, edit]) =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(editText(text, edit))
      expect(refused.message).toContain("can't be changed automatically as it is written")
    }))

  it.effect("a column that is already ignored is not listed again", () =>
    Effect.gen(function*() {
      const text = pipeline("\n    - id: q3\n      from: C", "  ignore: [Left, B]\n")
      expect(yield* editText(text, ignoreColumn)).toMatchObject({ text })
    }))

  it.effect.each([
    ["[A,]", "[A, Left,]"],
    ["[\n    A, # a\n    B # b\n  ]", "[\n    A, # a\n    B, Left # b\n  ]"],
    ["[\n    A,\n    B,\n  ]", "[\n    A,\n    B, Left,\n  ]"],
    ["[]", "[Left]"],
  ])("is not needed to add a name to a list in brackets: %j", ([list, changed]) =>
    Effect.gen(function*() {
      const questions = "\n    - id: q3\n      from: C"
      const { text } = yield* editText(pipeline(questions, `  ignore: ${list}\n`), ignoreColumn)
      expect(text).toBe(pipeline(questions, `  ignore: ${changed}\n`))
    }))
})
