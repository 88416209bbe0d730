import type { SchemaAST } from "effect"
import type { Node } from "yaml"
import { ruleSets } from "./annotated.ts"
import { brokenRules } from "./keyRules.ts"
import { within } from "./place.ts"
import type { Place, Reading } from "./place.ts"
import { literalOf, property } from "./shapes.ts"
import { quoted } from "./suggestion.ts"
import { isExtension, meant, unknownKey } from "./unionChoice.ts"
import type { Choice } from "./unionChoice.ts"
import { expected, sample } from "./wording.ts"
import type { Member } from "./yamlText.ts"

type Read = (reading: Reading, ast: SchemaAST.AST, place: Place) => unknown

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
  const given: ReadonlySet<string> = new Set(members.map((member) => member.key))
  const present = new Set(given)
  let asked = false
  const pointAt = (node: Node | null) => node?.range?.[0] ?? 0

  for (const member of members) {
    const at: Place = { node: member.value, owner: member.keyNode, called: quoted(member.key) }
    const known = property(struct.core, member.key)
    if (known !== undefined) {
      put(member.key, member.key === by ? literalOf(struct.core, by) : read(reading, known.type, at))
      continue
    }
    if (index !== undefined) {
      if (reading.check(index.parameter, member.key) !== undefined) {
        reading.findings.push({
          offset: pointAt(member.keyNode),
          message: `${quoted(member.key)} can't be a key of ${within(place)}.`,
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
    const kindless = owned && by !== undefined && literalOf(struct.core, by) === undefined
    // Several options of a kind that is not told: what is missing is one `as`.
    if (!kindless || !asked) {
      reading.findings.push({
        offset: pointAt(member.keyNode),
        ...unknownKey(reading, choice, member.key, guess, place),
      })
    }
    asked ||= kindless
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
      message: `${place.called} needs ${quoted(name)}.`,
      suggestion: `Add ${quoted(name)}: ${sample(type)}.`,
    })
  }

  for (const rules of ruleSets(struct.ast)) {
    // A misspelt key stands for what it was meant to be only where nothing else does.
    const taken = rules.exactlyOne?.some((key) => given.has(key)) === true ? rules.exactlyOne : []
    const has = (key: string) => given.has(key) || (present.has(key) && !taken.includes(key))
    for (const { key, message, suggestion } of brokenRules(rules, has, place)) {
      const member = members.find((one) => one.key === key)
      reading.findings.push({ offset: pointAt(member?.keyNode ?? place.owner ?? place.node), message, suggestion })
    }
  }
  return value
}
