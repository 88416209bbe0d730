import { isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml"
import type { Node, YAMLMap } from "yaml"
import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import type { Finding } from "./finding.ts"
import { withoutSecrets } from "./secretsInText.ts"
import { isMerge, surveyNodes, written } from "./yamlNodes.ts"
import { syntaxFindings } from "./yamlSyntax.ts"

/** One member of a mapping, merge keys already followed. */
export interface Member {
  readonly key: string
  readonly keyNode: Node
  readonly value: Node | null
}

/** A configuration file, to point into. */
export interface Document {
  /** From the project's folder, with slashes: `pipelines/contacts.yaml`. */
  readonly file: string
  /** Returns the place of a path's value, or of the key that names it; of the nearest parent if the path does not exist. Counts from 1. */
  readonly at: (
    path: YamlPath,
    point?: "key" | "value",
  ) => { readonly line: number; readonly column: number; readonly excerpt: string }
}

/** A YAML file: its nodes, where they stand, and what is wrong with it as YAML. */
export interface YamlText extends Document {
  /** The file's text, without a byte order mark. */
  readonly text: string
  readonly root: Node | null
  /** Faults of the YAML itself. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether the nodes can be trusted: false after a fault of syntax, true after a repeated key. */
  readonly sound: boolean
  /** The node an alias stands for; other nodes as they are. */
  readonly resolve: (node: Node | null) => Node | null
  /** Members of a mapping with merge keys (`<<`) followed: its own first, each key once. */
  readonly members: (map: YAMLMap) => ReadonlyArray<Member>
  /** The offset of a path's value or key; of the nearest parent when the path is not there. */
  readonly offset: (path: YamlPath, point: "key" | "value") => number
  /** Whether a node's text must never be shown. */
  readonly secret: (node: Node) => boolean
  readonly diagnostic: (finding: Finding) => Diagnostic
}

const start = (node: Node | null | undefined): number => node?.range?.[0] ?? 0

/** Where lines begin. (The library's own count goes wrong behind control characters.) */
const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/**
 * Parses a configuration file.
 * @param file its name as people should see it
 * @param text its content; a byte order mark is left out
 */
export const parseYaml = (file: string, text: string): YamlText => {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text
  const lines = lineStarts(source)
  const lineAt = (offset: number): number => {
    const next = lines.findIndex((begin) => begin > offset)
    return next === -1 ? lines.length : next
  }
  const document = parseDocument<Node>(source, {
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    strict: true,
  })
  const faults = syntaxFindings(
    [...document.errors, ...document.warnings],
    source,
    lineAt,
  )
  const { targets, secrets, ...survey } = surveyNodes(document)
  const findings = faults.length > 0 ? faults : survey.findings
  const sound = faults.length === 0 && survey.sound

  const root = document.contents
  const resolve = (node: Node | null): Node | null => (isAlias(node) ? targets.get(node) ?? null : node)

  const known = new WeakMap<YAMLMap, ReadonlyArray<Member>>()
  const members = (map: YAMLMap): ReadonlyArray<Member> => {
    const before = known.get(map)
    if (before !== undefined) return before
    const own = new Map<string, Member>()
    const merged: Array<Member> = []
    for (const pair of map.items) {
      if (!isScalar(pair.key)) continue
      const value = pair.value as Node | null
      if (isMerge(pair.key)) {
        const from = resolve(value)
        for (const one of isSeq(from) ? from.items : [from]) {
          const target = resolve(one as Node | null)
          if (isMap(target)) merged.push(...members(target))
        }
      } else if (!own.has(written(pair.key))) {
        own.set(written(pair.key), { key: written(pair.key), keyNode: pair.key, value })
      }
    }
    for (const member of merged) if (!own.has(member.key)) own.set(member.key, member)
    const all = [...own.values()]
    known.set(map, all)
    return all
  }

  const place = (offset: number) => {
    const line = lineAt(offset)
    const from = lines[line - 1] ?? 0
    const end = source.indexOf("\n", from)
    const whole = source.slice(from, end === -1 ? source.length : end).replace(/\r$/, "")
    const ranges = secrets
      .filter(([begin, stop]) => begin < from + whole.length && stop > from)
      .map(([begin, stop]) => [Math.max(0, begin - from), Math.min(whole.length, stop - from)] as const)
    return { line, column: Math.min(offset, source.length) - from + 1, excerpt: withoutSecrets(whole, ranges, sound) }
  }

  const offsetOf = (path: YamlPath, point: "key" | "value"): number => {
    let node: Node | null = resolve(root)
    let offset = start(node)
    for (const [index, step] of path.entries()) {
      const last = index === path.length - 1
      if (isMap(node)) {
        const member = members(node).find((one) => one.key === String(step))
        if (member === undefined) return offset
        const empty = member.value === null || member.value.range?.[0] === member.value.range?.[1]
        offset = start((last && point === "key") || empty ? member.keyNode : member.value)
        node = resolve(member.value)
      } else if (isSeq(node) && typeof step === "number" && step in node.items) {
        const item = node.items[step] as Node | null
        offset = item === null ? offset : start(item)
        node = resolve(item)
      } else {
        return offset
      }
    }
    return offset
  }

  return {
    file,
    text: source,
    root,
    findings: findings.toSorted((a, b) => a.offset - b.offset),
    sound,
    resolve,
    members,
    offset: offsetOf,
    secret: (node) => secrets.some(([begin]) => begin === node.range?.[0]),
    at: (path, point = "value") => place(offsetOf(path, point)),
    diagnostic: ({ offset, message, suggestion }) => ({
      severity: "error",
      file,
      ...place(offset),
      message,
      suggestion,
    }),
  }
}
