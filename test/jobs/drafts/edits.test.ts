import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { parse } from "yaml"
import { draftState, editEntry, openDraft, surveyDraft } from "../../../src/jobs/draft.ts"
import type { FormEdit } from "../../../src/jobs/draftEdit.ts"
import { editText } from "../../../src/jobs/editText.ts"
import { demonstration } from "../../demo/demonstration.ts"
import { platform, projectFolder } from "../../project/projectFolder.ts"

const pipeline = "star-wars"
const title = "Which character shot first?"

/** Opens the demonstration's pipeline, whose entries have names only. */
const starWars = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* demonstration
  const text = yield* fs.readFileString(path.join(root, `pipelines/${pipeline}.yaml`))
  const opened = yield* openDraft({ root }, { pipeline, text })
  const survey = yield* surveyDraft(opened, true)
  const named = (name: string) => opened.form.questions.find((one) => one.name === name)!
  const position = (column: string) => opened.source.columns.find(({ name }) => name === column)!.position + 1
  const edit = (from: string, edit: FormEdit) =>
    Effect.map(editEntry({ ...opened, text: from }, survey, edit), ({ text }) => text)
  const state = (text: string, id: string) =>
    Effect.map(draftState({ root }, { pipeline, text }), (state) => ({
      ...state.questions.find((one) => one.id === id),
      messages: state.diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    }))
  return { edit, named, position, state, text }
})

/** One project for all tests, because surveying its rows takes most of their time. None of them writes to it. */
class StarWars extends Context.Tag("StarWars")<StarWars, Effect.Effect.Success<typeof starWars>>() {}

const opened = Layer.provideMerge(Layer.scoped(StarWars, starWars), platform)

const entriesIn = (text: string): ReadonlyArray<Record<string, unknown>> => parse(text).mapping.questions

layer(opened, { excludeTestServices: true })("an edit of an entry that has only a name", (it) => {
  it.scoped("an edit removes the entry, or lists its question as unanswered", () =>
    Effect.gen(function*() {
      const { edit, named, state, text } = yield* StarWars
      const { id, name } = named("Fan of Star Trek")
      const { text: removed } = yield* editText(text, { _tag: "Unmap", question: id, name })
      const lines =
        "    - name: Fan of Star Trek\n      from: Do you consider yourself to be a fan of the Star Trek franchise?\n"
      expect(text).toContain(lines)
      expect(removed).toBe(text.replace(lines, ""))
      const left = yield* edit(text, { _tag: "LeaveUnanswered", question: id })
      expect(entriesIn(left)).toEqual(entriesIn(removed))
      expect((yield* state(left, id)).state).toBe("unanswered")
      // Without a name, only an entry with this id is found.
      const refused = yield* Effect.flip(editText(text, { _tag: "Unmap", question: id }))
      expect(refused.message).toContain(`No entry for the question ${id}`)
    }))

  it.scoped("a question is unanswered on purpose also if its name is listed with other spaces, as in a run", () =>
    Effect.gen(function*() {
      const { edit, named, state, text } = yield* StarWars
      const { id, name } = named("Fan of Star Trek")
      const left = yield* edit(text, { _tag: "LeaveUnanswered", question: id })
      const listed = left.replace(`ignoreQuestions: [${name}]`, `ignoreQuestions: [" ${name} "]`)
      expect(listed).not.toBe(left)
      expect((yield* state(listed, id)).state).toBe("unanswered")
    }))

  it.scoped("an edit gives the entry a different column, and keeps its name, kind, translations and comments", () =>
    Effect.gen(function*() {
      const { edit, named, position, state, text: written } = yield* StarWars
      const { id } = named(title)
      const own = "      values: { I don't understand this question: Does not know }\n"
      const text = written.replace(
        own,
        `      # Ada decided this.\n${own}      otherwise: drop # rare\n      required: true\n`,
      )
      const moved = yield* edit(text, {
        _tag: "Map",
        question: id,
        columns: [position("Gender")],
        answers: {},
      })
      const entry = entriesIn(moved).filter(({ name }) => name === title)
      expect(entry).toMatchObject([{
        name: title,
        as: "choice",
        from: "Gender",
        values: { "I don't understand this question": "Does not know" },
        otherwise: "drop",
        required: true,
      }])
      expect(entry[0]).not.toHaveProperty("id")
      expect(moved).toContain(`      # Ada decided this.\n${own}      otherwise: drop # rare\n      required: true\n`)
      const again = yield* edit(moved, { _tag: "Map", question: id, columns: [position(title)], answers: {} })
      expect(entriesIn(again)).toEqual(entriesIn(text))
      // The added `required` contradicts an example, before and after the edits.
      expect((yield* state(again, id)).messages).toEqual((yield* state(text, id)).messages)
    }))

  it.scoped("an edit translates a choice in the entry", () =>
    Effect.gen(function*() {
      const { named, state, text } = yield* StarWars
      const { id, name } = named(title)
      const { text: chosen } = yield* editText(text, {
        _tag: "SetChoice",
        question: id,
        name,
        choice: "Nobody",
        option: null,
      })
      expect(chosen).toBe(text.replace("Does not know }\n", "Does not know, Nobody: null }\n"))
      expect((yield* state(chosen, id)).options?.["values"]).toMatchObject({ Nobody: null })
    }))
})

layer(platform, { excludeTestServices: true })("what an edit leaves open", (it) => {
  it.scoped("the first cells that are shown with each possible answer are read differently", () =>
    Effect.gen(function*() {
      const days = Array.from({ length: 9 }, (_, at) => `0${at + 1}/0${at + 1}/2024`)
      const rows = [...days, "01/02/2024"].map((day, at) =>
        `${at},${day},"${at + 1},500",${at % 2 === 0 ? "aa" : "bb"}`
      )
      const text =
        "pipeline: days\nsource: { file: ../rows.csv, rowKey: [No] }\nmapping:\n  questions:\nsink: { service: practice, form: f1 }\n"
      const root = yield* projectFolder({
        "pipelines/days.yaml": text,
        "rows.csv": `No,Day,Amount,Agreed\n${rows.join("\n")}\n`,
        "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
        "forms/f1.yaml":
          "id: f1\nname: F\nquestions:\n  - { id: d, name: Day, type: DatePicker }\n  - { id: n, name: Amount, type: NumberInput }\n  - { id: y, name: Agreed, type: Switch }\n",
      })
      const opened = yield* openDraft({ root }, { pipeline: "days", text })
      const survey = yield* surveyDraft(opened, true)
      const choicesOf = Effect.fn(function*(question: string, column: number) {
        const { entry } = yield* editEntry(opened, survey, { _tag: "Map", question, columns: [column], answers: {} })
        return entry?.asks[0]?.choices.map(({ samples, value }) => [value, samples.length, samples[0], samples[1]])
      })
      expect(yield* choicesOf("d", 2)).toEqual([
        ["dd/MM/yyyy", 6, { cell: "01/02/2024", value: "2024-02-01" }, { cell: days[0], value: "2024-01-01" }],
        ["MM/dd/yyyy", 6, { cell: "01/02/2024", value: "2024-01-02" }, { cell: days[0], value: "2024-01-01" }],
      ])
      expect(yield* choicesOf("n", 3)).toEqual([
        [",", 6, { cell: "1,500", value: 1.5 }, { cell: "2,500", value: 2.5 }],
        [".", 6, { cell: "1,500", value: 1500 }, { cell: "2,500", value: 2500 }],
      ])
      expect(yield* choicesOf("y", 4)).toEqual([
        ["aa", 2, { cell: "aa", value: true }, { cell: "bb", value: false }],
        ["bb", 2, { cell: "aa", value: false }, { cell: "bb", value: true }],
      ])
    }))
})
