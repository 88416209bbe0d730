import type { Json, JsonObject } from "../domain/json.ts"
import { both, different, equivalent, isList, isObject, same } from "./compared.ts"
import type { Compared } from "./Kind.ts"

const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === "" || (isList(value) && value.length === 0)

/** Two objects member by member. A member that says nothing may be there or not; one that came back unasked is named. */
export const compareMembers = (
  sent: Json,
  returned: Json,
  compare: (sent: Json, returned: Json, member: string) => Compared,
): Compared => {
  if (!isObject(sent) || !isObject(returned)) return sent === returned ? same : different
  let verdict = same
  for (const [member, value] of Object.entries(sent)) {
    if (verdict.verdict === "different") return verdict
    const there = Object.hasOwn(returned, member) ? returned[member] : undefined
    if (isNothing(value) || isNothing(there)) {
      if (!isNothing(value) || !isNothing(there)) return different
      continue
    }
    verdict = both(verdict, compare(value, there ?? null, member))
  }
  const added = Object.keys(returned).filter((member) => !Object.hasOwn(sent, member))
  if (added.length === 0) return verdict
  return both(verdict, added.every((member) => isNothing(returned[member])) ? equivalent("empty members") : different)
}

/** An object of the members that are there; undefined when there are none. */
export const objectOf = (members: ReadonlyArray<readonly [string, Json | undefined]>): JsonObject | undefined => {
  const there: Array<readonly [string, Json]> = []
  for (const [name, value] of members) if (value !== undefined) there.push([name, value])
  return there.length === 0 ? undefined : Object.fromEntries(there)
}
