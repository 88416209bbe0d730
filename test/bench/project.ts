import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Capability } from "../../src/domain/capability.ts"
import type { Form } from "../../src/domain/form.ts"
import { formWith } from "../fakeForms.ts"

const choice = (name: string, options: ReadonlyArray<string>) => ({
  name,
  type: "Dropdown",
  options: options.map((label) => ({ value: label.toLowerCase(), label })),
})

const plain = (name: string, type: string) => ({ name, type, options: undefined })

const questions = [
  plain("Name", "ShortAnswer"),
  plain("Mail", "EmailInput"),
  plain("Born", "DatePicker"),
  plain("Amount", "NumberInput"),
  plain("City", "ShortAnswer"),
  choice("Colour", ["Red", "Green", "Blue"]),
  plain("Note", "LongAnswer"),
  plain("Score", "NumberInput"),
  plain("Joined", "DatePicker"),
  plain("Second mail", "EmailInput"),
  choice("Status", ["Active", "Blocked"]),
].map((question, index) => ({ id: `q${index + 1}`, ...question }))

/** The form for the rows of data.ts. The row key goes into a URL parameter, so that all twelve columns are mapped. */
export const form = formWith({
  id: "bench1",
  name: "Bench",
  questions,
  urlParameters: [{ id: "u1", name: "key" }],
})

/** Returns a row's answers by the id of the question or parameter, as the service should return them. */
export const answersOf = (cells: ReadonlyArray<string>): ReadonlyMap<string, string | number> => {
  const [key = "", name = "", mail = "", born = "", amount, city = "", colour = "", note = "", score, joined = ""] =
    cells
  const [secondMail = "", status = ""] = cells.slice(10)
  const [day, month, year] = born.split(".")
  return new Map<string, string | number>([
    ["u1", key],
    ["q1", name],
    ["q2", mail],
    ["q3", `${year}-${month}-${day}`],
    ["q4", Number(amount)],
    ["q5", city],
    ["q6", colour.toLowerCase()],
    ["q7", note],
    ["q8", Number(score)],
    ["q9", joined],
    ["q10", secondMail],
    ["q11", status.toLowerCase()],
  ])
}

/** The API key of services in separate processes. */
export const apiKey = "bench_key"

/** Returns the settings of a service in a separate process, for `writeProject`. */
export const servedAt = (
  baseUrl: string,
  requestsPerSecond: number,
  concurrency: number,
  capabilities: ReadonlyArray<Capability> = [],
): string =>
  `{ baseUrl: "${baseUrl}", apiKey: { env: BENCH_KEY }, requestsPerSecond: ${requestsPerSecond}, concurrency: ${concurrency}, capabilities: [${capabilities}], confirm: false }`

/** The settings of the practice service inside the run. */
export const embedded = "{ practice: { forms: ../forms } }"

/** Writes a project's folders, its service and its form. */
export const writeConfig = (
  root: string,
  { form, service }: { readonly form: Form; readonly service: string },
): void => {
  for (const folder of ["config", "pipelines", "forms"]) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, "config", "formferry.yaml"), `services:\n  bench: ${service}\n`)
  writeFileSync(join(root, ".env"), `BENCH_KEY=${apiKey}\n`, { mode: 0o600 })
  writeFileSync(join(root, "forms", "bench.json"), JSON.stringify(form))
}

/** Writes a project with a pipeline that maps all twelve columns of its source. */
export const writeProject = (
  root: string,
  { service, sink = "", file = "source.csv", born = ", as: date, format: dd.MM.yyyy" }: {
    readonly service: string
    readonly sink?: string
    readonly file?: string
    /** The format of birthdays. */
    readonly born?: string
  },
): void => {
  writeConfig(root, { service, form })
  const entries = questions.map(({ name }) => `    - { name: ${name}, from: ${name}${name === "Born" ? born : ""} }`)
  writeFileSync(
    join(root, "pipelines", "bench.yaml"),
    [
      "pipeline: bench",
      `source: { file: ../${file}, rowKey: [Id] }`,
      "mapping:",
      "  questions:",
      ...entries,
      "  urlParameters: [{ name: key, from: Id }]",
      `sink: { service: bench, form: ${form.id}${sink} }`,
      "",
    ].join("\n"),
  )
}
