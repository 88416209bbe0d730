import { createHash } from "node:crypto"
import type { Option } from "../domain/form.ts"
import { canonicalJson } from "../domain/json.ts"
import type { Condition, Input, MappingEntry, Pipeline } from "../project/Pipeline.ts"
import type { MappedAnswer } from "./Mapping.ts"

/** An entry of a mapping with the place that it fills. */
export interface Filled {
  readonly answer: MappedAnswer
  /** Several, if each is for some rows only. None, if another answer's entry gives it. */
  readonly entries: ReadonlyArray<MappingEntry>
  /** The form's options, which decide what a choice is sent as. */
  readonly options: ReadonlyArray<Option> | undefined
}

/** Returns an input without its places in the file. Columns go by name, so that their order in the source does not matter. */
const plainInput = (input: Input): object => {
  switch (input._tag) {
    case "Columns":
      return { columns: input.columns.map(({ name }) => name) }
    case "FirstOf":
      return { firstOf: input.columns.map(({ name }) => name) }
    case "Value":
      return { value: input.value }
    case "Template":
      return { template: input.template }
    case "Block":
      return { block: input.title }
    case "Parts": {
      const parts = input.parts.map((part) => [
        part.part,
        { input: plainInput(part.input), options: part.options, extract: part.extract, default: part.default },
      ])
      return input.ranks ? { ranks: parts } : Object.fromEntries(parts)
    }
  }
}

const plainConditions = (conditions: ReadonlyArray<Condition>): object | undefined =>
  conditions.length === 0
    ? undefined
    : conditions.map((condition) => ({ ...condition, column: condition.column.name, path: undefined }))

const plainEntry = (entry: MappingEntry) => ({
  options: entry.options,
  input: plainInput(entry.input),
  required: entry.required,
  default: entry.default,
  extract: entry.extract,
  when: plainConditions(entry.when),
  onInvalid: entry.onInvalid === "drop" ? "drop" : undefined,
  unique: entry.unique || undefined,
})

/** Returns the SHA-256, in hex, of all that decides which item the same cells give: targets, kinds, options, defaults, inputs. */
export const fingerprint = (
  filled: ReadonlyArray<Filled>,
  empty: ReadonlySet<string>,
  { mapping: { defaults }, sink: { stamp } }: Pick<Pipeline, "mapping" | "sink">,
): string => {
  const answers = filled.map(({ answer, entries, options }) => {
    const [only, ...others] = entries
    return canonicalJson({
      list: answer.list,
      id: answer.id,
      name: answer.list === "urlParameters" ? answer.name : undefined,
      kind: answer.kind,
      ...(only === undefined ? {} : plainEntry(only)),
      others: others.length === 0 ? undefined : others.map(plainEntry),
      form: options?.map(({ value, label }) => [value, label]),
    })
  })
  const all = {
    answers: answers.toSorted(),
    empty: [...empty].toSorted(),
    defaults: Object.keys(defaults).length === 0 ? undefined : defaults,
    stamp: stamp?.urlParameter,
  }
  return createHash("sha256").update(canonicalJson(all)).digest("hex")
}
