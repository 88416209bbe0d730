import { isAlias, isMap, isScalar, isSeq, visit } from "yaml"
import type { Alias, Document, Node, Scalar, YAMLMap } from "yaml"
import type { Finding } from "./finding.ts"
import { isSecretKey, isVariableName } from "./secretsInText.ts"
import { quoted } from "./suggestion.ts"

/** Bytes of a configuration file, whose nodes take hundreds of times the room of its text, and lists and mappings within one another. */
export const yamlLimits = { bytes: 1024 * 1024, levels: 200 } as const

/** Returns how deep a document is once its aliases are followed. What an alias stands for comes before it, so none is gone into twice. */
const levelsOf = (root: unknown, targets: ReadonlyMap<Alias, Node>): number => {
  const known = new Map<unknown, number>()
  const of = (node: unknown): number => {
    const before = known.get(node)
    if (before !== undefined) return before
    const members = isAlias(node)
      ? [targets.get(node)]
      : isSeq(node)
      ? node.items
      : isMap(node)
      ? node.items.flatMap(({ key, value }) => [key, value])
      : []
    const levels = 1 + members.reduce((most: number, member) => Math.max(most, of(member)), 0)
    known.set(node, levels)
    return levels
  }
  return of(root)
}

/** Whether a key is `<<`, not in quotes. */
export const isMerge = (key: unknown): key is Scalar => isScalar(key) && key.type === "PLAIN" && key.source === "<<"

/** A scalar as it is written: `007`, `yes` and `1.50` stay what they are. */
export const written = (scalar: Scalar): string =>
  typeof scalar.value === "string" ? scalar.value : scalar.source ?? String(scalar.value)

const start = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0

/** What there is to know about a document's nodes before they are read. */
export interface NodeSurvey {
  readonly findings: ReadonlyArray<Finding>
  /** Whether the nodes can be read: false after an alias to nothing, true after a repeated key. */
  readonly sound: boolean
  /** What each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>
  /** Ranges (offsets, end excluded) of scalars that must not be shown: behind a key that is named like a secret. */
  readonly secrets: ReadonlyArray<readonly [number, number]>
}

/** Goes once through a document: aliases, repeated keys, secrets. */
export const surveyNodes = (document: Document): NodeSurvey => {
  const findings: Array<Finding> = []
  const targets = new Map<Alias, Node>()
  const anchors = new Map<string, Node>()
  const secrets: Array<readonly [number, number]> = []
  let sound = true

  const alias = (node: Alias, ancestors: ReadonlyArray<unknown>): void => {
    const target = anchors.get(node.source)
    if (target !== undefined && !ancestors.includes(target)) {
      targets.set(node, target)
      return
    }
    sound = false
    findings.push(
      target !== undefined
        ? { offset: start(node), message: `${quoted("*" + node.source)} contains itself.` }
        : {
          offset: start(node),
          message: `There is no anchor ${quoted("&" + node.source)} above this line.`,
          suggestion: `Text that begins with an asterisk is written in quotes: "*${node.source}".`,
        },
    )
  }

  const marked = new Set<unknown>()
  const markSecrets = (value: unknown): void => {
    if (marked.has(value)) return
    marked.add(value)
    if (isAlias(value)) markSecrets(targets.get(value) ?? anchors.get(value.source))
    if (isScalar(value) && value.range && value.source !== "") secrets.push([value.range[0], value.range[1]])
    if (isSeq(value)) { for (const item of value.items) markSecrets(item) }
    if (isMap(value)) {
      for (const { key, value: inner } of value.items) {
        const name = isScalar(key) ? written(key) : ""
        // What can't be the name of a variable may be a key that was pasted in its place.
        const named = name === "file" || (name === "env" && isScalar(inner) && isVariableName(written(inner)))
        if (!named) markSecrets(inner)
      }
    }
  }

  const keys = (map: YAMLMap): void => {
    const seen = new Set<string>()
    for (const { key: node, value } of map.items) {
      if (!isScalar(node)) {
        findings.push({ offset: start(node), message: "A key is text, not a list or a mapping." })
        sound = false
        continue
      }
      const key = written(node)
      if (isSecretKey(key)) markSecrets(value)
      if (seen.has(key)) {
        findings.push({
          offset: start(node),
          message: `${quoted(key)} is given twice.`,
          suggestion: isMerge(node) ? "Several are merged with a list: <<: [*a, *b]." : "Keep one of them.",
        })
      }
      seen.add(key)
    }
  }

  visit(document, {
    Node: (_key, node, ancestors) => {
      if (isAlias(node)) return alias(node, ancestors)
      if (node.anchor !== undefined && node.anchor !== "") anchors.set(node.anchor, node)
      if (isMap(node)) keys(node)
    },
  })
  if (sound && levelsOf(document.contents, targets) > yamlLimits.levels) {
    sound = false
    findings.push({
      offset: start(document.contents),
      message: `The file is nested more than ${yamlLimits.levels} deep, what its aliases stand for included.`,
      suggestion: "Write it without so many aliases.",
    })
  }
  return { findings, sound, targets, secrets }
}
