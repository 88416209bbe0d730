import type { SchemaAST } from "effect"
import { isScalar } from "yaml"
import { within } from "./place.ts"
import type { Place, Reading } from "./place.ts"
import { discriminator, literalOf, property, sectionsWith } from "./shapes.ts"
import type { Composite, Shapes } from "./shapes.ts"
import { nearest, oneOf, quoted, suggest } from "./suggestion.ts"
import { written } from "./yamlNodes.ts"
import type { Member } from "./yamlText.ts"

type Struct = Composite<SchemaAST.TypeLiteral>
/** The struct of a union that a mapping is meant to be. */
export interface Choice {
  readonly struct: Struct
  readonly structs: Shapes["structs"]
  /** The key that tells the structs apart. */
  readonly by: string | undefined
  /** Whether that key's value is no good: then any key of any of the structs is let through. */
  readonly lost: boolean
}

const names = (struct: Struct): ReadonlyArray<string> =>
  struct.core.propertySignatures.flatMap(({ name }) => typeof name === "string" ? [name] : [])

/** Keys that are left alone, for anchors. */
export const isExtension = (key: string): boolean => key.startsWith("x-")

/** The key that an unknown one was meant to be: only when it is near, and not given itself. */
export const meant = (key: string, struct: Struct, given: ReadonlySet<string>): string | undefined =>
  nearest(key, names(struct).filter((name) => !given.has(name)))

/** Chooses by the discriminating key's value, else by the keys that are there. */
export const chooseStruct = (
  structs: Shapes["structs"],
  members: ReadonlyArray<Member>,
  reading: Reading,
): Choice => {
  const [first] = structs
  if (first === undefined) throw new Error("A union without structs")
  const by = discriminator(structs)
  if (by !== undefined) {
    const without = structs.find(({ core }) => property(core, by) === undefined) ?? first
    const given = new Set(members.map((member) => member.key))
    const member = members.find(({ key }) => key === by)
      ?? members.find(({ key }) =>
        !isExtension(key) && !structs.some((one) => property(one.core, key)) && meant(key, first, given) === by
      )
    if (member === undefined) return { struct: without, structs, by, lost: false }
    const node = reading.yaml.resolve(member.value)
    const value = isScalar(node) ? written(node) : ""
    const told = structs.find(({ core }) => literalOf(core, by) === value)
    if (told !== undefined) return { struct: told, structs, by, lost: false }
    const all = structs.flatMap(({ core }) => literalOf(core, by) ?? [])
    const near = nearest(value, all)
    reading.findings.push({
      offset: (member.value?.range?.[0] ?? member.keyNode.range?.[0]) ?? 0,
      message: value === "" ? `${quoted(by)} has no value.` : `There is no kind called ${quoted(value)}.`,
      suggestion: suggest(value, all, "Kinds are"),
    })
    const guess = near === undefined ? undefined : structs.find(({ core }) => literalOf(core, by) === near)
    return { struct: guess ?? without, structs, by, lost: guess === undefined }
  }
  const fits = (struct: Struct) => members.filter(({ key }) => property(struct.core, key) !== undefined).length
  const best = structs.reduce((best, one) => (fits(one) > fits(best) ? one : best), first)
  // Names of the form's own may stand where a struct's keys do: then every key of it is one of those.
  const free = structs.find(({ core }) => core.indexSignatures.length > 0)
  const known = members.every(({ key }) => isExtension(key) || property(best.core, key) !== undefined)
  const struct = free === undefined || (known && fits(best) > 0) ? best : free
  return { struct, structs, by: undefined, lost: false }
}

/** For a key that is like none of these: where it belongs, or what there is. */
const elsewhere = (reading: Reading, key: string, here: ReadonlyArray<string>): string | undefined => {
  const sections = sectionsWith(reading.top, key)
  return sections.length === 1 ? `It is a key of ${quoted(sections[0] ?? "")}.` : suggest(key, here, "Its keys are")
}

/** What is wrong with a key that a struct does not have, and what would be right. */
export const unknownKey = (reading: Reading, choice: Choice, key: string, guess: string | undefined, place: Place) => {
  const { struct, structs, by } = choice
  const owners = by === undefined
    ? []
    : structs.filter(({ core }) => property(core, key) !== undefined).flatMap(({ core }) => literalOf(core, by) ?? [])
  const own = by === undefined ? undefined : literalOf(struct.core, by)
  if (owners.length > 0 && by !== undefined) {
    return own === undefined
      ? {
        message: `${quoted(key)} needs ${quoted(by)}; it is an option of ${owners.join(", ")}.`,
        suggestion: `Add ${oneOf(owners.slice(0, 3).map((owner) => quoted(`${by}: ${owner}`)))}.`,
      }
      : {
        message: `${quoted(key)} is not an option of ${own}; it is one of ${owners.join(", ")}.`,
        suggestion: undefined,
      }
  }
  return {
    message: own === undefined
      ? `${quoted(key)} is not a key of ${within(place)}.`
      : `${quoted(key)} is not an option of ${own}.`,
    suggestion: guess === undefined ? elsewhere(reading, key, names(struct)) : `Did you mean ${quoted(guess)}?`,
  }
}
