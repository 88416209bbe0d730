import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Form, Question } from "../../src/domain/form.ts"
import { formDifference, readFormRecord, recordFile, writeFormRecord } from "../../src/project/formRecord.ts"
import { formWith } from "../fakeForms.ts"
import { platform, projectFolder } from "./projectFolder.ts"

const question = (id: string, name: string, more: Partial<Question> = {}): Question => ({
  id,
  name,
  type: "ShortAnswer",
  options: undefined,
  ...more,
})

const form = (...questions: ReadonlyArray<Question>) =>
  formWith({
    id: "f1",
    name: "People",
    questions,
    urlParameters: [{ id: "u1", name: "ref" }],
  })

const color = (options: ReadonlyArray<readonly [string, string]>) =>
  question("q2", "Color", { type: "Dropdown", options: options.map(([value, label]) => ({ value, label })) })

const changes = (before: Form, after: Form) =>
  formDifference(before, after).map(({ harmless, kind, message }) =>
    `${harmless ? "harmless " : ""}${kind}: ${message}`
  )

describe("the differences between two forms", () => {
  it("two forms have no differences if only the order changed", () => {
    expect(changes(form(question("a", "A"), question("b", "B")), form(question("b", "B"), question("a", "A")))).toEqual(
      [],
    )
  })

  it("differences name each change once, as a sentence", () => {
    const before = form(
      question("q1", "Name"),
      color([["r", "Red"], ["g", "Green"]]),
      question("q3", "Age"),
      question("q4", "Town"),
    )
    const after = {
      ...form(
        question("q1", "Full name"),
        color([["r", "Crimson"], ["b", "Blue"]]),
        question("q9", "Town"),
        question("q5", "Phone"),
        question("q3", "Age", { type: "NumberInput" }),
      ),
      urlParameters: [],
    }
    expect(changes(before, after)).toEqual([
      'renamed: The question "Name" (q1) is called "Full name" now.',
      'newId: The question "Town" has the id q9 now; it was q4.',
      'harmless added: The question "Phone" (q5) is new.',
      'removed: The URL parameter "ref" (u1) was removed.',
      'options: The options of the question "Color" (q2) changed: "Green" was removed; "Blue" is new; "Red" is "Crimson" now.',
      'type: The question "Age" (q3) was of the type ShortAnswer and is NumberInput now.',
    ])
  })

  it("a difference says if a question's type was or is unknown", () => {
    const [untyped, typed] = [form(question("q3", "Age", { type: undefined })), form(question("q3", "Age"))]
    expect([...changes(untyped, typed), ...changes(typed, untyped)]).toEqual([
      'type: The question "Age" (q3) had no known type; its type is now ShortAnswer.',
      'type: The question "Age" (q3) was of the type ShortAnswer; its type is no longer known.',
    ])
  })

  it("differences are harmless if options were only added", () => {
    expect(changes(form(color([["r", "Red"]])), form(color([["r", "Red"], ["b", "Blue"]])))).toEqual([
      'harmless options: The options of the question "Color" (q2) changed: "Blue" is new.',
    ])
  })
})

layer(platform)("a recorded form", (it) => {
  it.scoped("a recorded form is read back as it was written", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({})
      const record = {
        pipeline: "people / β",
        target: "staging",
        service: "live",
        form: form(question("q1", "Name", { type: undefined }), color([["r", "Red"]])),
        columns: ["No", "Name", ""],
      }
      const name = yield* writeFormRecord(root, record)
      expect(name).toBe("config/forms/people%20%2F%20%CE%B2@staging.json")
      expect(yield* readFormRecord(root, record.pipeline, "staging")).toEqual(record)
      expect(yield* readFormRecord(root, record.pipeline, undefined)).toBe(undefined)
    }))

  it.scoped("an unreadable recorded form is reported with advice", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({ "config/forms/people.json": '{ "pipeline": ' })
      const read = yield* Effect.either(readFormRecord(root, "people", undefined))
      expect(Either.isLeft(read) && read.left.diagnostics[0]).toMatchObject({
        file: "config/forms/people.json",
        message: "The file does not contain a form in the format that formferry writes.",
      })
    }))

  it.scoped("a recorded form never has a path outside its folder", () =>
    Effect.gen(function*() {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const root = yield* projectFolder({})
      for (const name of ["../../evil", "..", ".", "a/b", "a\\b"]) {
        const folder = path.dirname(path.resolve(root, recordFile(name, undefined)))
        expect(folder, name).toBe(path.join(root, "config", "forms"))
      }
      expect(yield* fs.exists(path.join(root, "config"))).toBe(false)
    }))
})
