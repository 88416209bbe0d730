import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml"
import type { Finding } from "./errors.ts"
import { quoted } from "./suggestion.ts"

const tab = { message: "A tab can't be used for indentation.", suggestion: "Use spaces." }

const noColon = ["There is no `: ` after this key.", "Write a colon and a space after it."] as const

const indentation = [
  "The indentation of this line doesn't match the lines around it.",
  "Indent all keys of a mapping, and all items of a list, by the same number of spaces.",
] as const

const sentences: { readonly [Code in YAMLError["code"]]?: readonly [message: string, suggestion?: string] } = {
  BLOCK_AS_IMPLICIT_KEY: [
    "A second `: ` in one line can't be read.",
    "Put the value in quotes, or the inner mapping on a separate line.",
  ],
  MULTIPLE_DOCS: [
    "The file contains several documents.",
    "Write one pipeline per file: remove the `---` and everything after it.",
  ],
  MISSING_CHAR: ["A quote or a bracket is not closed, or a `:` is missing."],
  MULTILINE_IMPLICIT_KEY: noColon,
  BAD_SCALAR_START: ["A value can't begin with this character.", "Put the value in quotes."],
  BAD_INDENT: indentation,
  BAD_DQ_ESCAPE: [
    "This is not a valid escape in double quotes.",
    "In single quotes a backslash is an ordinary character.",
  ],
  TAG_RESOLVE_FAILED: ["Tags (`!name`) mean nothing here.", "Put text that begins with `!` in quotes."],
  RESOURCE_EXHAUSTION: ["The file is nested too deeply to be read."],
}

/** If a line is indented too far, the value above it continues there, and becomes a mapping. */
const nested = ["Nested mappings", "The next line is indented further than this one.", indentation[1]] as const

/** Our messages for faults whose code is not specific enough, by the start of the library's message. */
const byMessage: ReadonlyArray<readonly [beginning: string, message: string, suggestion: string]> = [
  ["Missing closing", "A quote is not closed.", "Close it, or remove the quote before the text."],
  ["Implicit map keys", ...noColon],
  ["Sequence item without", ...indentation],
  ["A block sequence may not", ...indentation],
  nested,
  [
    "Flow sequence",
    "A list that begins with `[` is not closed, or not indented.",
    "Close it with `]`, indented like its text.",
  ],
  [
    "Flow map",
    "A mapping that begins with `{` is not closed, or not indented.",
    "Close it with `}`, indented like its text.",
  ],
]

/**
 * Returns `offset` if visible text follows it on its line, otherwise the offset of the last visible character before
 * it. If something is missing at the end of a file, diagnostics point there.
 */
const visibleOffset = (text: string, offset: number): number => {
  if (/\S/.test(text.slice(offset, text.indexOf("\n", offset) + 1 || undefined))) return offset
  const before = text.slice(0, offset).trimEnd().length
  return Math.max(0, before - 1)
}

const findingOf = (error: YAMLError, text: string): Finding => {
  const offset = visibleOffset(text, error.pos[0])
  const rest = text.slice(offset).split("\n", 1)[0] ?? ""
  const known = byMessage.find(([beginning]) => error.message.startsWith(beginning))
  const [message, suggestion] = known === undefined || (known === nested && /:(?:\s|$)/.test(rest))
    ? sentences[error.code] ?? [`This is not YAML: ${error.message}.`]
    : [known[1], known[2]]
  return { offset, message, suggestion }
}

/**
 * Returns syntax errors with our messages if they exist, otherwise with the library's. Omits errors that follow from an
 * earlier one: later unexpected tokens, and further errors on the same line.
 *
 * @param lineOf returns the line of an offset
 */
export const syntaxFindings = (
  errors: ReadonlyArray<YAMLError>,
  text: string,
  lineOf: (offset: number) => number,
): ReadonlyArray<Finding> => {
  const lines = new Set<number>()
  const isTab = ({ code, pos: [from] }: YAMLError) =>
    code === "TAB_AS_INDENT" || /^ *\t/.test(text.slice(text.lastIndexOf("\n", from - 1) + 1))
  // A tab shifts the text around it, so the other faults might not be real.
  const tabs = errors.filter(isTab).map(({ pos: [from] }) => ({ offset: visibleOffset(text, from), ...tab }))
  const others = errors.filter((error, index) => index === 0 || error.code !== "UNEXPECTED_TOKEN")
  return (tabs.length > 0 ? tabs : others.map((error) => findingOf(error, text)))
    .filter(({ offset }) => !lines.has(lineOf(offset)) && lines.add(lineOf(offset)))
}

/**
 * The maximum number of bytes of a configuration file, and the maximum depth of its lists and mappings. A file's nodes
 * need hundreds of times more memory than its text.
 */
export const yamlLimits = { bytes: 1024 * 1024, levels: 200 } as const

/** Returns the depth of a document with its aliases followed. An alias's target comes before the alias, so no target is visited twice. */
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

/** Whether a key is `<<` without quotes. */
export const isMerge = (key: unknown): key is Scalar => isScalar(key) && key.type === "PLAIN" && key.source === "<<"

/** Returns a scalar as written: `007`, `yes` and `1.50` are not converted. */
export const written = (scalar: Scalar): string =>
  typeof scalar.value === "string" ? scalar.value : scalar.source ?? String(scalar.value)

/** Returns the offset at which a node starts. 0 if there is no node. */
export const start = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0

/** Facts about a document's nodes that are needed before the nodes are read. */
interface NodeSurvey {
  readonly findings: ReadonlyArray<Finding>
  /** Whether the nodes can be read. False after an alias without an anchor, but true after a repeated key. */
  readonly sound: boolean
  /** The node of each alias. */
  readonly targets: ReadonlyMap<Alias, Node>
  /** The ranges of scalars that must not be shown, because their key's name suggests a secret. Offsets, end excluded. */
  readonly secrets: ReadonlyArray<readonly [number, number]>
}

/** Visits a document's nodes once and collects aliases, repeated keys and secrets. */
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
          suggestion: `Put text that begins with an asterisk in quotes: "*${node.source}".`,
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
        // A string that can't be a variable's name may be an API key that was pasted instead.
        const named = name === "file" || (name === "env" && isScalar(inner) && variableName.test(written(inner)))
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
      if (secretKey.test(key)) markSecrets(value)
      if (seen.has(key)) {
        findings.push({
          offset: start(node),
          message: `${quoted(key)} occurs twice.`,
          suggestion: isMerge(node) ? "To merge several, write a list: <<: [*a, *b]." : "Keep one of them.",
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
      message: `The file is nested more than ${yamlLimits.levels} levels deep, with its aliases expanded.`,
      suggestion: "Use fewer aliases.",
    })
  }
  return { findings, sound, targets, secrets }
}

/** Matches what may be secret in an address: a user name and password, and the values of parameters. Also matches a ledger's key. */
const credentials =
  /(?<=postgres(?:ql)?:\/\/)\S+(?=@)|(?<=:\/\/)[^/@\s"'`]+(?=@)|(?<=[?&][\w.[\]-]+=)[^&\s"'`,}]+|\b[0-9a-f]{32,}\b/gi

/** A pattern of keys whose names suggest a value that must not be shown. */
const secretKeys = "(?:api[-_ ]?key|secret|token|password|bearer|auth|authorization|cookie|webhook)"

/** Matches a literal after such a key, up to the end of the line. */
const literalSecret = new RegExp(
  String.raw`(?<=${secretKeys}["']?\s*:\s+)(?!\{\s*(?:env|file)\b|\{?\s*$).+$`,
  "i",
)

const secretKey = new RegExp(`^${secretKeys}$`, "i")

/** Matches the name of an environment variable. Any other string may be an API key that was pasted instead. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Masks a secret with text of the same length, so that column numbers remain correct. */
const masked = (secret: string): string => "•".repeat(secret.length)

/** Returns a text with addresses' credentials and keys of ledgers masked. */
export const withoutCredentials = (text: string): string => text.replace(credentials, masked)

/**
 * Returns a line without text that must never be shown.
 *
 * @param ranges the columns (from 0, end excluded) that contain a secret
 * @param parsed whether the file could be parsed, so that `ranges` is complete; otherwise, everything that looks like a secret is masked
 */
export const withoutSecrets = (
  line: string,
  ranges: ReadonlyArray<readonly [number, number]>,
  parsed: boolean,
): string => {
  let shown = line
  for (const [from, to] of ranges) shown = shown.slice(0, from) + masked(shown.slice(from, to)) + shown.slice(to)
  shown = withoutCredentials(shown)
  return parsed ? shown : shown.replace(literalSecret, masked)
}
