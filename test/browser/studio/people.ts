import { stringify } from "yaml"

/** A form of four questions. */
export const people = stringify({
  id: "people",
  name: "People",
  questions: [
    { id: "name", name: "Name", type: "ShortAnswer" },
    { id: "mail", name: "Mail", type: "EmailInput" },
    { id: "born", name: "Date of birth", type: "DatePicker" },
    { id: "team", name: "Team", type: "Dropdown", options: ["Red", "Blue"] },
  ],
})
/** Twenty-one rows for it. The last one can't be sent. No cell shows whether the day or the month comes first. */
export const rows = [
  ["No", "Name", "Mail", "Date of birth", "Team"],
  ...Array.from(
    { length: 20 },
    (_, at) => [`${at + 1}`, `Person ${at + 1}`, `p${at + 1}@example.org`, "03/04/1990", "rouge"],
  ),
  ["21", "Bad", "not-an-address", "05/06/1990", "Blue"],
]

/** Returns a pipeline that imports names and addresses. */
export const pipelineOf = (pipeline: string, file: string, sink: Readonly<Record<string, string>> = {}) => ({
  pipeline,
  source: { file, rowKey: ["No"] },
  mapping: { questions: [{ name: "Name", from: "Name" }, { name: "Mail", from: "Mail" }] },
  sink: { service: "live", form: "people", ...sink },
})
