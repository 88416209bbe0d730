import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from "yaml"
import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import { isObject } from "../domain/json.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { count } from "../domain/words.ts"
import { disk, relativePath } from "./disk.ts"
import { aboutFile, type Document, type Finding } from "./errors.ts"
import { isMerge, start, surveyNodes, syntaxFindings, withoutSecrets, written, yamlLimits } from "./yamlFaults.ts"

/** A member of a mapping, with merge keys followed. */
interface Member {
  readonly key: string
  readonly keyNode: Node
  readonly value: Node | null
}

/** A parsed YAML file: its nodes, their places, and its faults. */
export interface YamlText extends Document {
  readonly root: Node | null
  /** The faults of the YAML itself. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether the nodes can be trusted. False after a syntax error, but true after a repeated key. */
  readonly sound: boolean
  /** Returns the target of an alias. Returns any other node unchanged. */
  readonly resolve: (node: Node | null) => Node | null
  /** Returns the members of a mapping with merge keys (`<<`) followed. Its own members come first, and each key occurs once. */
  readonly members: (map: YAMLMap) => ReadonlyArray<Member>
  /** Returns the node at a path, or null. */
  readonly node: (path: YamlPath) => Node | null
  /** Returns the offset of the value or key at a path. If the path does not exist, returns the offset of the nearest parent. */
  readonly offset: (path: YamlPath, point: "key" | "value") => number
  /** Whether a node's text must never be shown. */
  readonly secret: (node: Node) => boolean
  readonly diagnostic: (finding: Finding) => Diagnostic
}

/** Returns the offsets at which lines begin. The library's own count is wrong after control characters. */
export const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** How many parsed texts are kept. */
const kept = 16

/** The texts that were parsed last. The studio loads the project for each call, mostly with the same texts. */
const parsed = new Map<string, YamlText>()

/**
 * Parses a configuration file.
 *
 * @param file the file's name, as messages show it
 * @param text the file's content, with or without a byte order mark
 */
export const parseYaml = (file: string, text: string): YamlText => {
  const key = `${file}\n${text}`
  const yaml = parsed.get(key) ?? parse(file, text)
  parsed.delete(key)
  parsed.set(key, yaml)
  for (const oldest of [...parsed.keys()].slice(0, -kept)) parsed.delete(oldest)
  return yaml
}

const parse = (file: string, text: string): YamlText => {
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
  const faults = syntaxFindings([...document.errors, ...document.warnings], source, lineAt)
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

  /**
   * Returns the value at a path and the node that names it. If the path does not exist, returns the value and node of
   * the nearest parent.
   */
  const walk = (path: YamlPath) => {
    let owner: Node | null = null
    let value: Node | null = root
    for (const step of path) {
      const node = resolve(value)
      const member = isMap(node) ? members(node).find((one) => one.key === String(step)) : undefined
      if (member !== undefined) {
        owner = member.keyNode
        value = member.value
      } else if (isSeq(node) && typeof step === "number" && step in node.items) {
        const item = node.items[step] as Node | null
        owner = item ?? value
        value = item
      } else return { found: false, owner, value }
    }
    return { found: true, owner, value }
  }

  const offsetOf = (path: YamlPath, point: "key" | "value"): number => {
    const { found, owner, value } = walk(path)
    const isEmpty = value === null || value.range?.[0] === value.range?.[1]
    return start((found && point === "key") || isEmpty ? owner ?? value : value)
  }

  return {
    file,
    text: source,
    root,
    findings: findings.toSorted((a, b) => a.offset - b.offset),
    sound,
    resolve,
    members,
    node: (path) => {
      const { found, value } = walk(path)
      return found ? resolve(value) : null
    },
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

/** Returns the text at a path, or undefined. Works even if the file has other mistakes. */
export const textAt = (yaml: YamlText, path: YamlPath): string | undefined => {
  const node = yaml.node(path)
  return isScalar(node) && node.value !== null ? written(node) : undefined
}

/** Returns the scalars of the list at a path as written, or undefined. */
export const textsAt = (yaml: YamlText, path: YamlPath): ReadonlyArray<string> | undefined => {
  const node = yaml.node(path)
  if (!isSeq(node)) return undefined
  const texts = node.items.map((_, at) => textAt(yaml, [...path, at]))
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/** Returns the keys of the mapping at a path, or undefined. */
export const keysAt = (yaml: YamlText, path: YamlPath): ReadonlyArray<string> | undefined => {
  const node = yaml.node(path)
  return isMap(node) ? yaml.members(node).map((member) => member.key) : undefined
}

/** Whether a key is ignored. Such a key may contain anchors. */
export const isExtension = (key: string): boolean => key.startsWith("x-")

/** A mapping of a file, decoded to an object. */
export type Mapping = Record<string, unknown>

export const isMapping = (value: unknown): value is Mapping => isObject(value)

/** The value of a key that the file leaves empty. No schema accepts it. */
export const nothing = Symbol("nothing")

/** Where a list or mapping is in a file. */
interface Origin {
  readonly path: YamlPath
  /** The nodes of each member's value and name, by the member's key or index. */
  readonly members: Map<string | number, { readonly node: Node | null; readonly owner: Node }>
}

const origins = new WeakMap<object, Origin>()

/** Returns where a list or mapping is in a file. Undefined for a value that does not come from a file. */
export const originOf = (value: object): Origin | undefined => origins.get(value)

/** Records that a value with all its lists and mappings belongs to a place in a file, for messages about it. Returns the value. */
export const withPath = (value: unknown, path: YamlPath): unknown => {
  if (typeof value === "object" && value !== null) {
    origins.set(value, { path, members: new Map() })
    for (const member of Object.values(value)) withPath(member, path)
  }
  return value
}

/** The maximum number of values to which a file's aliases may expand. */
export const mostValues = 200_000

// A decoder assigns the members of a mapping one by one. Without this accessor, a member that a file calls `__proto__` is a member like any other.
Reflect.deleteProperty(Object.prototype, "__proto__")

/**
 * Returns a file's value with aliases and merge keys followed. Undefined if its aliases expand to too many values. Records where each list and mapping is in the file. Scalars have the type that YAML
 * gives them.
 */
export const plainValue = (yaml: YamlText): unknown => {
  let left = mostValues
  const convert = (given: Node | null, path: YamlPath): unknown => {
    left -= 1
    if (left <= 0) return nothing
    const node = yaml.resolve(given)
    if (isMap(node)) {
      const value: Mapping = {}
      const members: Origin["members"] = new Map()
      for (const { key, keyNode, value: member } of yaml.members(node)) {
        // Ignored keys contain only anchors, and may be large.
        if (path.length === 0 && isExtension(key)) continue
        value[key] = convert(member, [...path, key])
        members.set(key, { node: yaml.resolve(member) ?? member, owner: keyNode })
      }
      origins.set(value, { path, members })
      return value
    }
    if (isSeq(node)) {
      const members: Origin["members"] = new Map()
      const value = (node.items as ReadonlyArray<Node | null>).map((item, index) => {
        members.set(index, { node: yaml.resolve(item) ?? item, owner: item ?? node })
        return convert(item, [...path, index])
      })
      origins.set(value, { path, members })
      return value
    }
    if (!isScalar(node)) return nothing
    return node.value === null && written(node) === "" ? nothing : node.value
  }
  const value = convert(yaml.root, [])
  return left > 0 ? value : undefined
}

/** Decodes UTF-8. Returns undefined if the bytes are not UTF-8. */
export const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the message that refuses a file with too many bytes before it is read. Undefined if the file is small enough or has no size (a device, a pipe). */
export const yamlTooLarge = (file: string) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((fs) => fs.stat(file)),
    Effect.map(({ size }) => Number(size)),
    Effect.orElseSucceed(() => 0),
    Effect.map((size) =>
      size <= yamlLimits.bytes
        ? undefined
        : `The file has ${count(size)} bytes. At most ${count(yamlLimits.bytes)} are allowed.`
    ),
  )

/**
 * Reads a YAML file. The result's findings include its YAML faults.
 *
 * @param root the project's folder, absolute: diagnostics name the file relative to it
 */
export const readYamlFile = (root: string, file: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const shown = relativePath(path, root, file)
    const unreadable = (diagnostic: Diagnostic) => ({ _tag: "Unreadable", diagnostic }) as const
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) {
      const suggestion = "Keep long lists in a CSV file: `{ file: NAME.csv, key: …, value: … }`."
      return unreadable(aboutFile(shown, tooLarge, suggestion))
    }
    const bytes = yield* Effect.either(fs.readFile(file))
    if (bytes._tag === "Left") return unreadable(aboutFile(shown, `The file can't be read: ${reasonOf(bytes.left)}.`))
    const text = utf8(bytes.right)
    if (text !== undefined) return { _tag: "File", yaml: parseYaml(shown, text), folder: path.dirname(file) } as const
    const damaged = new TextDecoder("utf-8").decode(bytes.right)
    return unreadable(
      parseYaml(shown, damaged).diagnostic({
        offset: damaged.indexOf("\uFFFD"),
        message: "The file is not UTF-8 from here on.",
        suggestion: "Save it as UTF-8 in your editor.",
      }),
    )
  })
