import type { KeyRules } from "./annotated.ts"
import type { Place } from "./place.ts"
import { oneOf, quoted } from "./suggestion.ts"

/** What is wrong with the keys of a struct together, and the key to point at. */
export const brokenRules = (
  rules: KeyRules,
  has: (key: string) => boolean,
  place: Place,
): ReadonlyArray<{ key?: string; message: string; suggestion: string }> => {
  const found: Array<{ key?: string; message: string; suggestion: string }> = []
  const { exactlyOne, atLeastOne, needs, excludes } = rules
  if (exactlyOne !== undefined) {
    const given = exactlyOne.filter(has)
    const all = oneOf(exactlyOne.map(quoted))
    if (given.length === 0) {
      found.push({ message: `${place.called} needs ${all}.`, suggestion: "Add one of them." })
    }
    for (const key of given.slice(1)) {
      found.push({
        key,
        message: `${quoted(key)} can't stand beside ${quoted(given[0] ?? "")}.`,
        suggestion: `Keep one of ${all}.`,
      })
    }
  }
  if (atLeastOne !== undefined && !atLeastOne.some(has)) {
    found.push({
      message: `${place.called} needs ${oneOf(atLeastOne.map(quoted))}.`,
      suggestion: "Add one of them.",
    })
  }
  // Two that exclude each other bring what each of them needs: that is one mistake.
  if (exactlyOne !== undefined && exactlyOne.filter(has).length > 1) return found
  for (const [key, needed] of Object.entries(needs ?? {})) {
    if (!has(key)) continue
    for (const missing of needed.filter((one) => !has(one))) {
      found.push({
        key,
        message: `${quoted(key)} needs ${quoted(missing)} beside it.`,
        suggestion: `Add ${quoted(missing)}.`,
      })
    }
  }
  for (const [key, excluded] of Object.entries(excludes ?? {})) {
    if (!has(key)) continue
    for (const other of excluded.filter(has)) {
      found.push({
        key: other,
        message: `${quoted(other)} can't stand beside ${quoted(key)}.`,
        suggestion: "Keep one of them.",
      })
    }
  }
  return found
}
