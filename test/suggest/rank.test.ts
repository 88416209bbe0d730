import { Effect } from "effect"
import { expect, it } from "vitest"
import { profiler } from "../../src/profile/ColumnProfile.ts"
import { suggest } from "../../src/suggest/suggest.ts"
import { profiledOf } from "../../src/suggest/Suggestion.ts"
import { formOf } from "../mapping/pipeline.ts"

it("other work gets its turns while many columns are rated", async () => {
  const titles = Array.from({ length: 100 }, (_, at) => `Column ${at}`)
  const { profiles } = profiler(titles.map((title, position) => ({ position, title, name: title })))
  const turns = { count: 0, isOver: false }
  const take = () => {
    turns.count++
    if (!turns.isOver) setImmediate(take)
  }
  setImmediate(take)
  await Effect.runPromise(suggest({ form: formOf(titles.slice(0, 40)), columns: profiles(), blocks: [] }))
  turns.isOver = true
  // 100 × 40 pairs are rated, about 250 at a time.
  expect(turns.count).toBeGreaterThan(10)
})

it.each(["ShortAnswer", "TimePicker", "Address"])(
  "a block of columns is never suggested for a question of type %s, which takes one column",
  (type) => {
    const titles = ["Tools used [Saw]", "Tools used [Drill]", "Tools used [Hammer]"]
    const { addRow, profiles } = profiler(titles.map((title, position) => ({ position, title, name: title })))
    for (let row = 0; row < 12; row++) addRow([row % 2 === 0 ? "Yes" : "", row % 3 === 0 ? "Yes" : "", "Yes"])
    const form = formOf(["Tools used"])
    const questions = form.questions.map((question) => ({ ...question, type, options: undefined }))
    const { questions: [suggested] } = Effect.runSync(
      suggest({ form: { ...form, questions }, columns: profiles(), blocks: [] }),
    )
    const origins = suggested?.candidates.map(({ origin }) => origin._tag)
    expect(origins).not.toContain("Block")
  },
)

it.each([
  ["Xqzv", "accepted"],
  ["Supervisor's contact", "open"],
])(
  "the only column of email addresses, between two certain ones, is accepted for Email if nothing is known of its title, but not if it names someone: %s is %s",
  (title, expected) => {
    const titles = ["First name", title, "City"]
    const { addRow, profiles } = profiler(titles.map((title, position) => ({ position, title, name: title })))
    for (let row = 0; row < 20; row++) addRow([`Ada ${row}`, `ada${row}@example.org`, `Town ${row}`])
    const form = formOf(["First name", "Email", "City"])
    const questions = form.questions.map((question) =>
      question.name === "Email" ? { ...question, type: "EmailInput" } : question
    )
    const suggested = Effect.runSync(suggest({ form: { ...form, questions }, columns: profiles(), blocks: [] }))
    const email = suggested.questions.find(({ question }) => question.name === "Email")
    expect(email?.accepted === undefined ? "open" : "accepted").toBe(expected)
  },
)

it.each([
  [["source", "Quelle"], "source"],
  [["Quelle", "Name"], "Quelle"],
  [["sourcing", "sources of income"], undefined],
])("of the columns %j, the URL parameter `source` gets %s", (titles, expected) => {
  const { addRow, profiles } = profiler(titles.map((title, position) => ({ position, title, name: title })))
  addRow(["mail", "web"])
  const form = { ...formOf(["Remarks"]), urlParameters: [{ id: "u1", name: "source" }] }
  const { urlParameters } = Effect.runSync(suggest({ form, columns: profiles(), blocks: [] }))
  expect(urlParameters.map(({ from }) => from.column.title)).toEqual(expected === undefined ? [] : [expected])
})

it("columns that each contain one option answer a question together if its options are numbers", () => {
  const { addRow, profiles } = profiler(["Id", "A", "B"].map((title, position) => ({ position, title, name: title })))
  for (let row = 0; row < 12; row++) addRow([`x${row}`, row % 2 === 0 ? "1" : "", row % 3 === 0 ? "2" : ""])
  const options = ["1", "2", "3"].map((label) => ({ value: label, label }))
  const form = { ...formOf([]), questions: [{ id: "q", name: "Shifts", type: "Checkboxes", options }] }
  const { questions: [suggested] } = Effect.runSync(suggest({ form, columns: profiles(), blocks: [] }))
  expect(suggested?.candidates[0]?.origin).toMatchObject({ _tag: "Block", content: "ticks" })
})

it.each([
  ["the question above the first of them", ["Which fruits do you eat?", "", ""]],
  ["options in a different language", ["Äpfel", "Birnen", "Feigen"]],
  ["numbers", ["Fruits 1", "Fruits 2", "Fruits 3"]],
])("columns that each contain one option answer a question together, whether their titles are %s", (_, titles) => {
  const { addRow, profiles } = profiler(
    ["Id", ...titles].map((title, position) => ({ position, title, name: title || undefined })),
  )
  for (let row = 0; row < 12; row++) addRow([row, row % 2 === 0 ? "Apples" : "", row % 3 === 0 ? "pears" : "", ""])
  const options = ["Apples", "Pears", "Figs"].map((label) => ({ value: label, label }))
  const questions = [{ id: "q", name: "Fruits", type: "Checkboxes", options }]
  const form = { ...formOf([]), questions }
  const { questions: [suggested], unmapped } = Effect.runSync(suggest({ form, columns: profiles(), blocks: [] }))
  expect(suggested?.accepted?.origin).toMatchObject({
    _tag: "Block",
    columns: [{ option: "Apples", column: { position: 1 } }, { option: "pears", column: { position: 2 } }],
  })
  // Nothing shows which option the empty column is for.
  expect(unmapped.map(({ position }) => position)).toContain(3)
})

it("columns whose headers look like options of one question answer separate questions", () => {
  const titles = ["Allergies [Nuts]", "Allergies [Milk]"]
  const { addRow, profiles } = profiler(["Id", ...titles].map((title, position) => ({ position, title, name: title })))
  for (let row = 0; row < 12; row++) addRow([`x${row}`, row % 2 === 0 ? "Nuts" : "", row % 3 === 0 ? "Milk" : ""])
  const { questions } = Effect.runSync(suggest({ form: formOf(titles), columns: profiles(), blocks: [] }))
  expect(questions.map(({ accepted }) => accepted?.origin)).toMatchObject(
    titles.map((title) => ({ _tag: "Column", column: { title } })),
  )
})

it("the likeliest column of an open question comes first, even if it may also be the time of submission", () => {
  const titles = ["Seen on", "Submitted"]
  const { addRow, profiles } = profiler(titles.map((title, position) => ({ position, title, name: title })))
  for (let minute = 10; minute < 50; minute++) addRow([`2024-05-11 11:${minute}:00`, `2024-03-01 10:${minute}:00`])
  const form = { ...formOf([]), questions: [{ id: "q", name: "Time", type: "DatePicker", options: undefined }] }
  const { questions, submissionTime } = Effect.runSync(suggest({ form, columns: profiles(), blocks: [] }))
  expect(questions[0]?.candidates.map(({ origin }) => profiledOf(origin)[0]?.column.title)).toEqual([
    "Submitted",
    "Seen on",
  ])
  expect(submissionTime?.column.title).toBe("Submitted")
})
