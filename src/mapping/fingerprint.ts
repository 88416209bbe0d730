import { createHash } from "node:crypto"
import type { Option } from "../domain/form.ts"
import type { Input, MappingEntry } from "../project/Pipeline.ts"
import type { MappedAnswer } from "./Mapping.ts"

/** An entry of a mapping with the place that it fills. */
export interface Filled {
  readonly answer: MappedAnswer
  readonly entry: MappingEntry
  /** The form's options, which decide what a choice is sent as. */
  readonly options: ReadonlyArray<Option> | undefined
}

/** JSON with members in the order of their names, members that are undefined left out: equal for equal content. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) =>
      `${JSON.stringify(name)}:${canonical(member)}`
    )
      .join(",")
  }}`
}

/** An input without its places in the file: columns by name, so that their order in the source does not matter. */
const plainInput = (input: Input): object => {
  switch (input._tag) {
    case "Columns":
      return { columns: input.columns.map(({ name }) => name) }
    case "Value":
      return { value: input.value }
    case "Template":
      return { template: input.template }
    case "Parts":
      return Object.fromEntries(
        input.parts.map(({ part, input, options }) => [part, { input: plainInput(input), options }]),
      )
  }
}

/** SHA-256, in hex, over all that decides which item the same cells give: targets, kinds, options, inputs. */
export const fingerprint = (filled: ReadonlyArray<Filled>, empty: ReadonlySet<string>): string => {
  const answers = filled.map(({ answer, entry, options }) =>
    canonical({
      list: answer.list,
      id: answer.id,
      name: answer.list === "urlParameters" ? answer.name : undefined,
      kind: answer.kind,
      options: entry.options,
      input: plainInput(entry.input),
      required: entry.required,
      default: entry.default,
      form: options?.map(({ value, label }) => [value, label]),
    })
  )
  return createHash("sha256").update(canonical({ answers: answers.toSorted(), empty: [...empty].toSorted() })).digest(
    "hex",
  )
}
