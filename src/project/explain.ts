import type * as ParseResult from "effect/ParseResult"
import * as SchemaAST from "effect/SchemaAST"
import { isMap, isScalar, isSeq, type Node } from "yaml"
import { cut } from "../domain/problem.ts"
import type { Finding } from "./errors.ts"
import {
  discriminator,
  expected,
  literalOf,
  literals,
  ownSentence,
  property,
  sample,
  sectionsWith,
  type Shapes,
  shapesOf,
} from "./expectations.ts"
import { annotation, brokenRules, type KeyRules, Rules, ruleSets } from "./section.ts"
import { nearest, oneOf, quoted, suggest } from "./suggestion.ts"
import { start, withoutCredentials, written } from "./yamlFaults.ts"
import { isExtension, isMapping, type Mapping, nothing, originOf, type YamlText } from "./yamlText.ts"

export type Issue = ParseResult.ParseIssue

/** A value that the schema refuses, and its place in a file. */
interface Place {
  readonly ast: SchemaAST.AST
  readonly value: unknown
  /** The subject of a sentence about it: "`file`", "An item of `questions`", "The file". */
  readonly called: string
  readonly node: Node | null
  /** The node to point at if there is no value: the key, or the beginning of the item. */
  readonly owner: Node | null
  /** Replaces the value. */
  readonly put: (value: unknown) => void
}

/** The mistakes found in a file. */
export interface Explanation {
  readonly yaml: YamlText
  /** The schema of the whole file. */
  readonly top: SchemaAST.AST
  readonly findings: Array<Finding>
  /** Mistakes that earlier passes have repaired. */
  readonly repaired: ReadonlyArray<Finding>
  /**
   * Repairs of the value, each with the mistake that it repairs. The value is then decoded again. Empty if the value
   * has no mistake.
   */
  readonly repairs: Array<{ readonly finding?: Finding; readonly repair: () => void }>
  readonly issueOf: (ast: SchemaAST.AST, value: unknown) => Issue | undefined
}

type Struct = Shapes["structs"][number]

const within = ({ called }: Place): string => called.charAt(0).toLowerCase() + called.slice(1)

const offsetOf = ({ node, owner }: Place): number => {
  const isEmpty = node === null || (node.range?.[0] === node.range?.[1])
  return start(isEmpty ? owner ?? node : node)
}

/** Adds the mistakes at a place that the schema refuses. */
export const explain = (to: Explanation, place: Place): void => {
  const { lists, structs } = shapesOf(place.ast)
  if (Array.isArray(place.value) && lists[0] !== undefined) return explainList(to, place, lists[0])
  if (isMapping(place.value) && structs.length > 0) return explainMapping(to, place, place.value, structs)
  return explainScalar(to, place)
}

/** Returns the place of a member or item. */
const inside = (place: Place, key: string | number, ast: SchemaAST.AST): Place => {
  const of = place.value as Mapping
  const { node = null, owner = null } = originOf(of)?.members.get(key) ?? {}
  const put = (value: unknown) => {
    of[key] = value
  }
  const called = typeof key === "number" ? `An item of ${within(place)}` : quoted(key)
  return { ast, value: of[key], called, node, owner, put }
}

// Scalars

/** The words for true and false that YAML 1.2 reads as text. */
const otherWords: Readonly<Record<string, string>> = { yes: "true", on: "true", no: "false", off: "false" }

const shown = ({ yaml }: Explanation, node: Node | null): string => {
  if (isSeq(node)) return "a list"
  if (isMap(node)) return "a mapping"
  if (!isScalar(node)) return "empty"
  if (yaml.secret(node)) return "the secret itself"
  const text = withoutCredentials(written(node))
  return text === "" ? "empty" : quoted(cut(text, 60))
}

const fail = (to: Explanation, place: Place, message: string, suggestion?: string): void => {
  to.findings.push({ offset: offsetOf(place), message, suggestion })
}

const mismatch = (to: Explanation, place: Place): void => {
  const { node } = place
  const { lists, scalars } = shapesOf(place.ast)
  const choices = [...literals(place.ast), ...(scalars.some(SchemaAST.isBooleanKeyword) ? ["true", "false"] : [])]
  const text = isScalar(node) ? written(node) : undefined
  const near = text === undefined ? undefined : nearest(otherWords[text.toLowerCase()] ?? text, choices)
  const isItem = text !== undefined && text.length <= 60 && !to.yaml.secret(node as Node)
    && lists.some((list) => to.issueOf(list.ast, [text]) === undefined)
  fail(
    to,
    place,
    `${place.called} expects ${expected(place.ast)}, not ${shown(to, node)}.`,
    near !== undefined ? `Did you mean ${quoted(near)}?` : isItem ? `Write a list: [${node?.toString()}].` : undefined,
  )
}

const explainScalar = (to: Explanation, place: Place): void => {
  const { ast, called, node, value } = place
  if (value === nothing) {
    // A choice that `init` left to the user is an empty value. It must not be read as null, which means no answer.
    const mayBeNull = shapesOf(ast).scalars.some((scalar) => to.issueOf(scalar, null) === undefined)
    const suggestion = mayBeNull ? "Write a value, or `null` for no answer." : `It expects ${expected(ast)}.`
    return fail(to, place, `${called} has no value.`, suggestion)
  }
  if (!isScalar(node)) return mismatch(to, place)
  const text = written(node)
  if (value === null) {
    const message = `${called} expects ${expected(ast)}, and ${quoted(text)} means nothing here.`
    return fail(to, place, message, `To write the text, use quotes: "${text}".`)
  }
  // If the schema expects text, a value counts as written: `007` is not 7.
  if (typeof value !== "string" && to.issueOf(ast, text) === undefined) {
    to.repairs.push({ repair: () => place.put(text) })
    return
  }
  const { lists, scalars, structs } = shapesOf(ast)
  const only = scalars.length === 1 && lists.length + structs.length === 0 ? scalars[0] : undefined
  const issue = only === undefined ? undefined : to.issueOf(only, text)
  const sentence = issue === undefined ? undefined : ownSentence(issue)
  if (sentence === undefined) mismatch(to, place)
  else fail(to, place, sentence)
}

// Lists and mappings

/** The issues with the members of a list or mapping, and with the list or mapping itself. */
interface Parts {
  readonly missing: Array<string | number>
  readonly unexpected: Array<string>
  readonly wrong: Array<string | number>
  readonly whole: Array<Issue>
}

const partsOf = (issue: Issue, into: Parts = { missing: [], unexpected: [], wrong: [], whole: [] }): Parts => {
  switch (issue._tag) {
    case "Composite":
      for (const each of Array.isArray(issue.issues) ? issue.issues as ReadonlyArray<Issue> : [issue.issues as Issue]) {
        partsOf(each, into)
      }
      return into
    case "Pointer": {
      const [key] = Array.isArray(issue.path) ? issue.path as ReadonlyArray<PropertyKey> : [issue.path as PropertyKey]
      if (typeof key === "symbol" || key === undefined) return into
      if (issue.issue._tag === "Missing") into.missing.push(key)
      else if (issue.issue._tag === "Unexpected") into.unexpected.push(String(key))
      else into.wrong.push(key)
      return into
    }
    case "Transformation":
    case "Refinement":
      if (issue.kind === "From" || issue.kind === "Encoded") return partsOf(issue.issue, into)
      into.whole.push(issue)
      return into
    default:
      into.whole.push(issue)
      return into
  }
}

const explainWhole = (to: Explanation, place: Place, ast: SchemaAST.AST, issue: Issue): void => {
  const rules = issue._tag === "Refinement" ? annotation<KeyRules>(issue.ast, Rules) : undefined
  if (rules !== undefined && isMapping(place.value)) return explainRules(to, place, place.value, rules)
  // A key that was just repaired may be the key that the rule requires.
  const [from = 0, end = 0] = place.node?.range ?? []
  if (to.repaired.some(({ offset }) => from <= offset && offset < end)) return
  const isEmpty = Object.keys(place.value as object).length === 0
  const sentence = ownSentence(issue)
    ?? (isEmpty ? `${place.called} is empty.` : `${place.called} is invalid.`)
  fail(to, place, sentence, `It expects ${expected(ast)}.`)
}

const explainList = (to: Explanation, place: Place, list: Shapes["lists"][number]): void => {
  const { elements, rest } = list.core
  const issue = to.issueOf(list.ast, place.value)
  if (issue === undefined) return mismatch(to, place)
  const { missing, whole, wrong } = partsOf(issue)
  if (missing.length > 0) fail(to, place, `${place.called} is an empty list.`, `It expects ${expected(place.ast)}.`)
  for (const index of wrong) {
    const ast = elements[Number(index)]?.type ?? rest[0]?.type
    if (ast !== undefined) explain(to, inside(place, index, ast))
  }
  for (const each of whole) explainWhole(to, place, list.ast, each)
}

const explainMapping = (to: Explanation, place: Place, value: Mapping, structs: Shapes["structs"]): void => {
  const by = discriminator(structs)
  const struct = by === undefined ? bestStruct(value, structs) : namedStruct(to, place, value, structs, by)
  if (struct === undefined) return
  const issue = to.issueOf(struct.ast, value)
  if (issue === undefined) return mismatch(to, place)
  const { missing, unexpected, whole, wrong } = partsOf(issue)
  const [index] = struct.core.indexSignatures
  for (const key of unexpected) {
    if (index !== undefined) {
      const at = inside(place, key, index.type)
      to.findings.push({
        offset: start(at.owner),
        message: `${quoted(key)} can't be a key of ${within(place)}.`,
        suggestion: `It expects ${expected(index.parameter)}.`,
      })
      if (to.issueOf(at.ast, at.value) !== undefined) explain(to, at)
    }
  }
  if (index === undefined) explainUnknown(to, { place, value, struct, structs, by }, unexpected)
  for (const key of wrong) {
    const ast = property(struct.core, String(key))?.type ?? index?.type
    if (ast !== undefined) explain(to, inside(place, key, ast))
  }
  for (const key of missing) {
    const type = property(struct.core, String(key))?.type
    to.findings.push({
      offset: start(place.owner ?? place.node),
      message: `${place.called} needs ${quoted(String(key))}.`,
      suggestion: type && `Add ${quoted(String(key))}: ${sample(type)}.`,
    })
  }
  for (const each of whole) explainWhole(to, place, struct.ast, each)
}

/** Reports each rule that the keys of a mapping break, at the key to point at. */
const explainRules = (to: Explanation, place: Place, value: Mapping, rules: KeyRules): void => {
  const why = (key: string): string => rules.why?.[key] === undefined ? "" : ` ${rules.why[key]}`
  const add = (key: string | undefined, message: string, suggestion: string): void => {
    const owner = key === undefined ? undefined : originOf(value)?.members.get(key)?.owner
    to.findings.push({ offset: start(owner ?? place.owner ?? place.node), message, suggestion })
  }
  for (const broken of brokenRules(rules, (key) => Object.hasOwn(value, key))) {
    if (broken._tag === "NoneOf") {
      add(undefined, `${place.called} needs ${oneOf(broken.keys.map(quoted))}.`, "Add one of them.")
    } else if (broken._tag === "Lacks") {
      const { key, other } = broken
      add(key, `${quoted(key)} also needs ${quoted(other)}.${why(other)}`, `Add ${quoted(other)}.`)
    } else {
      const { by, key, keys } = broken
      const which = keys === undefined ? "one of them" : oneOf(keys.map(quoted))
      add(key, `${quoted(key)} can't be used together with ${quoted(by)}.${why(key)}`, `Keep only ${which}.`)
    }
  }
}

// The struct of a union that a mapping should be

const keysOf = ({ core }: Struct): ReadonlyArray<string> =>
  core.propertySignatures.flatMap(({ name }) => typeof name === "string" ? [name] : [])

const bestStruct = (value: Mapping, structs: Shapes["structs"]): Struct | undefined => {
  const keys = Object.keys(value)
  const declared = ({ core }: Struct) => keys.flatMap((key) => property(core, key) ?? [])
  const fits = (struct: Struct) => declared(struct).length
  // A key that a struct requires shows better what is meant than several that are optional.
  const required = (struct: Struct) => declared(struct).filter(({ isOptional }) => !isOptional).length
  const missing = (struct: Struct) =>
    struct.core.propertySignatures.filter(({ isOptional }) => !isOptional).length - required(struct)
  const [best] = structs.toSorted((a, b) => required(b) - required(a) || missing(a) - missing(b) || fits(b) - fits(a))
  // A mapping may have names from the form as keys. If it could also be a struct, it counts as a struct only if the struct declares all keys of the mapping.
  const free = structs.find(({ core }) => core.indexSignatures.length > 0)
  if (best === undefined || free === undefined) return best ?? free
  const isKnown = keys.every((key) => isExtension(key) || property(best.core, key) !== undefined)
  return isKnown && fits(best) > 0 ? best : free
}

/** Returns the struct that the discriminating key names. Undefined if that name must be repaired first. */
const namedStruct = (
  to: Explanation,
  place: Place,
  value: Mapping,
  structs: Shapes["structs"],
  by: string,
): Struct | undefined => {
  const without = structs.find(({ core }) => property(core, by) === undefined) ?? structs[0]
  if (!Object.hasOwn(value, by)) return without
  const { node, owner } = inside(place, by, place.ast)
  const given = value[by]
  const name = typeof given === "string" ? given : isScalar(node) ? written(node) : ""
  const struct = structs.find(({ core }) => literalOf(core, by) === name)
  if (struct !== undefined) return struct
  const all = structs.flatMap(({ core }) => literalOf(core, by) ?? [])
  const near = nearest(name, all)
  to.repairs.push({
    finding: {
      offset: start(node ?? owner),
      message: name === "" ? `${quoted(by)} has no value.` : `There is no kind called ${quoted(name)}.`,
      suggestion: suggest(name, all, "Kinds are"),
    },
    repair: () => {
      if (near !== undefined) {
        value[by] = near
        return
      }
      // Accepts the options of every kind, because the kind is unknown.
      delete value[by]
      for (const key of Object.keys(value)) {
        const isOption = structs.some(({ core }) => property(core, key) !== undefined)
        if (isOption && without !== undefined && property(without.core, key) === undefined) delete value[key]
      }
    },
  })
  return undefined
}

interface Choice {
  readonly place: Place
  readonly value: Mapping
  readonly struct: Struct
  readonly structs: Shapes["structs"]
  readonly by: string | undefined
}

/** Reports each unknown key. The repair replaces a misspelt key with the probable one. */
const explainUnknown = (to: Explanation, choice: Choice, keys: ReadonlyArray<string>): void => {
  const { by, struct, structs, value } = choice
  const given = new Set(Object.keys(value))
  const members = originOf(value)?.members
  const owned = (key: string) => structs.some(({ core }) => property(core, key) !== undefined)
  const rename = (key: string, name: string) => () => {
    const member = members?.get(key)
    if (member !== undefined) members?.set(name, member)
    value[name] = value[key]
    delete value[key]
  }
  const repairs: Array<Explanation["repairs"][number]> = []
  let isKindMissing = false
  for (const key of keys) {
    const drop = () => delete value[key]
    if (isExtension(key)) {
      repairs.push({ repair: drop })
      continue
    }
    const names = by === undefined ? keysOf(struct) : [...keysOf(struct), by]
    const meant = owned(key) ? undefined : nearest(key, names.filter((name) => !given.has(name)))
    const finding = { offset: start(members?.get(key)?.owner), ...unknownKey(to, choice, key, meant) }
    if (meant === undefined) {
      // If the kind is missing, reports only the first of its options.
      const isOption = owned(key) && by !== undefined && literalOf(struct.core, by) === undefined
      repairs.push(isOption && isKindMissing ? { repair: drop } : { finding, repair: drop })
      isKindMissing ||= isOption
      continue
    }
    // The kind must be known before the other keys are checked.
    if (meant === by) return void to.repairs.push({ finding, repair: rename(key, meant) })
    given.add(meant)
    const isTaken = ruleSets(struct.ast).some(({ exactlyOne = [] }) =>
      exactlyOne.includes(meant) && exactlyOne.some((one) => one !== meant && Object.hasOwn(value, one))
    )
    repairs.push({ finding, repair: isTaken ? drop : rename(key, meant) })
  }
  to.repairs.push(...repairs)
}

const unknownKey = (
  to: Explanation,
  { by, place, struct, structs }: Choice,
  key: string,
  meant: string | undefined,
): Pick<Finding, "message" | "suggestion"> => {
  const own = by === undefined ? undefined : literalOf(struct.core, by)
  const owners = by === undefined
    ? []
    : structs.filter(({ core }) => property(core, key) !== undefined).flatMap(({ core }) => literalOf(core, by) ?? [])
  if (owners.length > 0 && own === undefined) {
    return {
      message: `${quoted(key)} needs ${quoted(by ?? "")}; it is an option of ${owners.join(", ")}.`,
      suggestion: `Add ${oneOf(owners.slice(0, 3).map((owner) => quoted(`${by}: ${owner}`)))}.`,
    }
  }
  if (owners.length > 0) {
    return { message: `${quoted(key)} is not an option of ${own}; it is one of ${owners.join(", ")}.` }
  }
  const sections = meant === undefined ? sectionsWith(to.top, key) : []
  return {
    message: own === undefined
      ? `${quoted(key)} is not a key of ${within(place)}.`
      : `${quoted(key)} is not an option of ${own}.`,
    suggestion: meant !== undefined
      ? `Did you mean ${quoted(meant)}?`
      : sections.length === 1
      ? `It is a key of ${quoted(sections[0] ?? "")}.`
      : suggest(key, keysOf(struct), "Its keys are"),
  }
}
