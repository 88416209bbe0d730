import { SchemaAST } from "effect"
import type { Node } from "yaml"
import { isScalar } from "yaml"
import { annotation, Rules } from "./annotated.ts"
import type { KeyRules } from "./annotated.ts"
import type { Place, Reading } from "./place.ts"
import { discriminator, literalOf, property } from "./shapes.ts"
import type { Composite, Shapes } from "./shapes.ts"
import { nearest, oneOf, quoted, suggest } from "./suggestion.ts"
import { expected, sample } from "./wording.ts"
import { written } from "./yamlText.ts"
import type { Member } from "./yamlText.ts"

type Struct = Composite<SchemaAST.TypeLiteral>
type Read = (reading: Reading, ast: SchemaAST.AST, place: Place) => unknown

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

const isExtension = (key: string): boolean => key.startsWith("x-")

/** The key that an unknown one was meant to be: only when it is near, and not given itself. */
const meant = (key: string, struct: Struct, given: ReadonlySet<string>): string | undefined =>
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
    const guess = structs.find(({ core }) => literalOf(core, by) === near)
    return { struct: guess ?? without, structs, by, lost: guess === undefined }
  }
  const fits = (struct: Struct) => members.filter(({ key }) => property(struct.core, key) !== undefined).length
  const struct = structs.reduce((best, one) => (fits(one) > fits(best) ? one : best), first)
  return { struct, structs, by: undefined, lost: false }
}

const unknownKey = (choice: Choice, key: string, guess: string | undefined, place: Place) => {
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
      ? `${quoted(key)} is not a key of ${quoted(place.name)}.`
      : `${quoted(key)} is not an option of ${own}.`,
    suggestion: guess === undefined ? suggest(key, names(struct), "Its keys are") : `Did you mean ${quoted(guess)}?`,
  }
}

const ruleFindings = (
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
      found.push({ message: `${quoted(place.name)} needs ${all}.`, suggestion: "Add one of them." })
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
      message: `${quoted(place.name)} needs ${oneOf(atLeastOne.map(quoted))}.`,
      suggestion: "Add one of them.",
    })
  }
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

/** Reads the members of a mapping by the keys of a struct; keys that begin with `x-` are left alone. */
export const readKeys = (
  reading: Reading,
  choice: Choice,
  members: ReadonlyArray<Member>,
  place: Place,
  read: Read,
): Readonly<Record<string, unknown>> => {
  const { struct, structs, by, lost } = choice
  const index = struct.core.indexSignatures[0]
  const value: Record<string, unknown> = {}
  const put = (key: string, one: unknown) =>
    Object.defineProperty(value, key, { value: one, enumerable: true, configurable: true, writable: true })
  const given = new Set(members.map((member) => member.key))
  const present = new Set(given)
  const pointAt = (node: Node | null) => node?.range?.[0] ?? 0

  for (const member of members) {
    const at: Place = { node: member.value, owner: member.keyNode, name: member.key }
    const known = property(struct.core, member.key)
    if (known !== undefined) {
      put(member.key, member.key === by ? literalOf(struct.core, by) : read(reading, known.type, at))
      continue
    }
    if (index !== undefined) {
      if (reading.check(index.parameter, member.key) !== undefined) {
        reading.findings.push({
          offset: pointAt(member.keyNode),
          message: `${quoted(member.key)} can't be a key of ${quoted(place.name)}.`,
          suggestion: `It expects ${expected(index.parameter)}.`,
        })
      }
      put(member.key, read(reading, index.type, at))
      continue
    }
    if (isExtension(member.key) || (lost && structs.some(({ core }) => property(core, member.key) !== undefined))) {
      continue
    }
    const owned = structs.some(({ core }) => property(core, member.key) !== undefined)
    const guess = owned ? undefined : meant(member.key, struct, present)
    reading.findings.push({ offset: pointAt(member.keyNode), ...unknownKey(choice, member.key, guess, place) })
    if (guess === undefined) continue
    // Read as what was meant: what is wrong behind a misspelt key shows too, and the key isn't reported as missing.
    present.add(guess)
    const type = property(struct.core, guess)?.type
    if (type !== undefined && guess !== by) read(reading, type, at)
  }

  for (const { name, isOptional, type } of struct.core.propertySignatures) {
    if (isOptional || typeof name !== "string" || present.has(name)) continue
    reading.findings.push({
      offset: pointAt(place.owner ?? place.node),
      message: `${quoted(place.name)} needs ${quoted(name)}.`,
      suggestion: `Add ${quoted(name)}: ${sample(type)}.`,
    })
  }

  for (let ast = struct.ast; SchemaAST.isRefinement(ast); ast = ast.from) {
    const rules = annotation<KeyRules>(ast, Rules)
    if (rules === undefined) continue
    for (const { key, message, suggestion } of ruleFindings(rules, (one) => present.has(one), place)) {
      const member = members.find((one) => one.key === key)
      reading.findings.push({ offset: pointAt(member?.keyNode ?? place.owner ?? place.node), message, suggestion })
    }
  }
  return value
}
