import type { Column } from "../../domain/row.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import type { Target } from "./fit.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import type { Meaning } from "./meaning.ts"
import type { Suggestion } from "./Suggestion.ts"

interface Free {
  readonly column: Column
  readonly profile: ColumnProfile
}

/** Parts of an address (configuration.md, kind `address`), by the concepts that name them. */
const addressParts: ReadonlyArray<readonly [part: string, concepts: ReadonlyArray<string>]> = [
  ["address", ["street", "address"]],
  ["city", ["city"]],
  ["state", ["state", "region"]],
  ["zipCode", ["zip"]],
  ["country", ["country"]],
]

/** What a title says beside some concepts: the columns of one address or person have the same rest. */
const rest = ({ terms }: Meaning, concepts: ReadonlyArray<string>): string =>
  terms.filter((term) => !term.concepts.some((one) => concepts.includes(one))).map((term) => term.root).toSorted().join(
    " ",
  )

/** The only free column that speaks of a concept and else says no more than `beside`. */
const only = (
  free: ReadonlyArray<Free>,
  concepts: ReadonlyArray<string>,
  beside: ReadonlySet<string>,
): Free | undefined => {
  for (const concept of concepts) {
    const found = free.filter(({ column }) => {
      const meaning = meaningOf(column.title)
      return speaksOf(meaning, concept) && beside.has(rest(meaning, [concept]))
    })
    if (found.length === 1) return found[0]
    if (found.length > 1) return undefined
  }
  return undefined
}

/**
 * Questions whose answers stand in several columns: a full name of first and last name, an address of its parts.
 *
 * @param targets questions that no column alone answers
 * @param free columns that answer no question
 */
export const joins = (
  targets: ReadonlyArray<Target>,
  free: ReadonlyArray<Free>,
): ReadonlyArray<Suggestion> => {
  const used = new Set<number>()
  const left = () => free.filter(({ column }) => !used.has(column.position))
  const take = (columns: ReadonlyArray<Free>) => {
    for (const { column } of columns) used.add(column.position)
  }
  return targets.flatMap((target): ReadonlyArray<Suggestion> => {
    const { meaning, question, expected } = target
    if (expected.kind === "text") {
      const names = ["full name", "name"]
      const beside = rest(meaning, names)
      const [first, last] = [["first name", "first"], ["last name", "last"]].map((concepts) =>
        only(left(), concepts, new Set([beside]))
      )
      const isName = names.some((one) => speaksOf(meaning, one)) || beside !== ""
      if (!isName || first === undefined || last === undefined) return []
      take([first, last])
      return [{ question, origin: { _tag: "Joined", columns: [first, last] }, confidence: 0.93 }]
    }
    if (expected.kind === "address") {
      const beside = new Set(["", rest(meaning, ["address"])])
      const parts = addressParts.flatMap(([part, concepts]) => {
        const found = only(left(), concepts, beside)
        return found === undefined ? [] : [{ part, ...found }]
      })
      if (parts.length < 2 || new Set(parts.map(({ column }) => column.position)).size < parts.length) return []
      take(parts)
      return [{ question, origin: { _tag: "Parts", parts }, confidence: parts.length > 2 ? 0.95 : 0.85 }]
    }
    return []
  })
}
