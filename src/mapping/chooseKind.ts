import type { Question } from "../domain/form.ts"
import { kindNames, kindOfType, kinds } from "../kinds/index.ts"
import type { Kind } from "../kinds/Kind.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { isKnownType } from "../service/questionTypes.ts"
import type { Findings } from "./Findings.ts"

const text = kinds.get("text")

/** The kind that an entry names; a name that is none is found as an error. */
export const namedKind = (entry: MappingEntry, findings: Findings): Kind | undefined => {
  const kind = entry.as === undefined ? undefined : kinds.get(entry.as)
  if (entry.as !== undefined && kind === undefined) {
    findings.error(
      [...entry.path, "as"],
      `There is no kind "${entry.as}".`,
      suggest(entry.as, kindNames, "The kinds are"),
    )
  }
  return kind
}

/**
 * The kind of a question's answers: the one that the entry names; else the default of the question's type; where the form tells no type, text,
 * which takes no options then.
 */
export const chooseKind = (entry: MappingEntry, question: Question, findings: Findings): Kind | undefined => {
  const { path } = entry
  const { type } = question
  const usual = type === undefined ? undefined : kindOfType(type)
  if (entry.as !== undefined) {
    const kind = namedKind(entry, findings)
    if (kind === undefined) return undefined
    if (!isKnownType(type)) {
      findings.warning(
        path,
        `"${question.name}" is of the type ${type}, which formferry does not know: its answers can be sent, but not compared.`,
      )
    } else if (usual !== undefined && usual.sends !== kind.sends && kind.sends !== "any") {
      findings.warning(
        [...path, "as"],
        `"${question.name}" is a ${type}, which takes ${words[usual.sends]}; ${kind.name} sends ${words[kind.sends]}.`,
        `The usual kind is ${usual.name}.`,
      )
    }
    return kind
  }
  const [option] = Object.keys(entry.options)
  if (option !== undefined) {
    findings.error([...path, option], `The option \`${option}\` belongs to a kind.`, "Say which one with `as`.")
    return undefined
  }
  if (type === undefined) return text
  if (usual === undefined) {
    findings.error(
      path,
      isKnownType(type)
        ? `"${question.name}" is of the type ${type}, which has no usual kind.`
        : `"${question.name}" is of the type ${type}, which formferry does not know.`,
      `Say with \`as\` what is sent: ${kindNames.join(", ")}.`,
    )
  }
  return usual
}

const words = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  any: "any value",
} as const
