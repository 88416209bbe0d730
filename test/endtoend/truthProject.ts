import iconv from "iconv-lite"
import { stringify } from "yaml"
import { Draws } from "../faults/Draws.ts"
import { random } from "../random.ts"
import { drawRest, restOfMapping } from "./elements.ts"
import { questions } from "./questions.ts"

export const formId = "everyKind1"

const names = Object.keys(questions)
const idOf = (name: string) => `q${names.indexOf(name) + 1}`

const form = {
  id: formId,
  name: "Every kind",
  questions: Object.entries(questions).map(([name, { form: shape }]) => ({ id: idOf(name), name, ...shape })),
  urlParameters: [{ id: "u1", name: "row" }, { id: "u2", name: "campaign" }, { id: "u3", name: "source" }],
  scheduling: [{ id: "s1", name: "Booking" }],
  payments: [{ id: "p1", name: "Fee" }],
}

const pipeline = {
  pipeline: "every-kind",
  source: {
    file: "../source.csv",
    encoding: "windows-1252",
    delimiter: ";",
    rowKey: ["No"],
    empty: ["k. A.", "-", "n/a"],
  },
  mapping: {
    questions: Object.entries(questions)
      .filter(([, { entry }]) => Object.keys(entry).length > 0)
      .map(([name, { entry }]) => ({ name, ...entry })),
    ...restOfMapping,
    ignore: ["Left behind"],
    unmapped: "error",
  },
  sink: { service: "practice", form: formId },
}

/** A submission as expected in the service's store, without the id that the service assigns. */
const expected = (answers: Readonly<Record<string, unknown>>, rest: ReturnType<typeof drawRest>) => ({
  submissionTime: rest.submissionTime,
  lastUpdatedAt: rest.lastUpdatedAt,
  questions: names.map((name) => {
    const type = questions[name]?.form?.type
    return { id: idOf(name), name, ...(type === undefined ? {} : { type }), value: answers[name] }
  }),
  calculations: [],
  urlParameters: form.urlParameters.map(({ id, name }) => ({ id, name, value: rest.urlParameters[name] })),
  scheduling: [{ id: "s1", name: "Booking", value: rest.scheduling }],
  payments: [{ id: "p1", name: "Fee", value: rest.payment }],
  quiz: {},
  ...(rest.login === undefined ? {} : { login: rest.login }),
})

const csv = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map((row) => row.map((cell) => /[;"\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join(";"))
    .join("\r\n") + "\r\n"

/**
 * A project whose source was generated from the expected submissions. Contains its files, and the submission for each
 * row.
 */
export const truthProject = (rows: number, seed: number) => {
  const drawn = new Draws(random(seed))
  const made = Array.from({ length: rows }, (_, index) => {
    const answers = Object.entries(questions).map(([name, { make }]) => [name, make(drawn)] as const)
    const rest = drawRest(drawn, `R-${String(index + 1).padStart(4, "0")}`)
    const cells: Record<string, string> = { ...rest.cells, "Left behind": "internal" }
    for (const [, answer] of answers) Object.assign(cells, answer.cells)
    const truths = Object.fromEntries(answers.map(([name, { truth }]) => [name, truth]))
    return { key: rest.cells["No"], cells, submission: expected(truths, rest) }
  })
  const columns = drawn.shuffle(Object.keys(made[0]?.cells ?? {}))
  const table = [columns, ...made.map(({ cells }) => columns.map((column) => cells[column] ?? ""))]
  return {
    expected: new Map(made.map(({ key, submission }) => [key, submission])),
    files: {
      "config/formferry.yaml": "services:\n  practice:\n    practice: { forms: ../forms, store: ../store }\n",
      "forms/every-kind.yaml": stringify(form),
      "pipelines/every-kind.yaml": stringify(pipeline),
      "source.csv": iconv.encode(csv(table), "windows-1252"),
    },
  }
}
