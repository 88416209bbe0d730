import { createHash } from "node:crypto"
import type { Option } from "../domain/form.ts"
import { canonicalJson, isObject } from "../domain/json.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import type { MappedAnswer } from "./Mapping.ts"

/** An entry of a mapping with the place that it fills. */
export interface AnswerEntries {
  readonly answer: MappedAnswer
  /** Several, if each is for some rows only. None, if another answer's entry gives it. */
  readonly entries: ReadonlyArray<MappingEntry>
  /** The form's options, which decide what a choice is sent as. */
  readonly options: ReadonlyArray<Option> | undefined
}

/** Returns what an entry says, without its places in the file. Columns go by name, so that their order in the source does not matter. */
const withoutPlaces = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  if (!isObject(value)) return value
  const { at: _at, path: _path, ...rest } = value
  return Object.fromEntries(
    Object.entries(rest).map(([key, member]) => {
      // Options may have members of any name.
      const plain = key === "options" ? member : withoutPlaces(member)
      return [key, key === "parts" && Array.isArray(plain) ? plain.map(canonicalJson).toSorted() : plain]
    }),
  )
}

/** Returns the SHA-256, in hex, of all that decides which item the same cells give: targets, kinds, options, defaults, inputs. */
export const fingerprint = (
  filled: ReadonlyArray<AnswerEntries>,
  empty: ReadonlySet<string>,
  { mapping: { defaults }, sink: { stamp } }: Pick<Pipeline, "mapping" | "sink">,
): string => {
  const answers = filled.map(({ answer, entries, options }) =>
    canonicalJson({
      list: answer.list,
      id: answer.id,
      name: answer.list === "urlParameters" ? answer.name : undefined,
      kind: answer.kind,
      entries: entries.map(({ as: _as, id: _id, name: _name, ...entry }) => withoutPlaces(entry)),
      form: options?.map(({ value, label }) => [value, label]),
    })
  )
  const all = { answers: answers.toSorted(), empty: [...empty].toSorted(), defaults, stamp: stamp?.urlParameter }
  return createHash("sha256").update(canonicalJson(all)).digest("hex")
}
