import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete"

/** The parts of a JSON Schema that completions need. */
interface Node {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<Node>
  readonly oneOf?: ReadonlyArray<Node>
  readonly allOf?: ReadonlyArray<Node>
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly description?: string
  readonly $defs?: Readonly<Record<string, Node>>
}

/** Returns a node and everything that it may be instead. */
const variants = (root: Node, node: Node, depth = 0): ReadonlyArray<Node> => {
  if (depth > 8) return []
  const next = [...node.anyOf ?? [], ...node.oneOf ?? [], ...node.allOf ?? []]
  const [, name = ""] = /^#\/\$defs\/(.+)$/.exec(node.$ref ?? "") ?? []
  const target = root.$defs?.[name.replaceAll("~1", "/").replaceAll("~0", "~")]
  return [node, ...[...next, ...target === undefined ? [] : [target]].flatMap((one) => variants(root, one, depth + 1))]
}

const indentOf = (line: string): number => /^[ -]*/.exec(line)?.[0].length ?? 0

/** Returns the keys above a line of block YAML, the outermost first. A list is `[]`. */
const pathTo = (lines: ReadonlyArray<string>, indent: number): ReadonlyArray<string> => {
  const path: Array<string> = []
  let rest = indent
  for (const line of lines.toReversed()) {
    if (/^\s*(#|$)/.test(line)) continue
    const own = line.search(/\S/)
    const [, dash = "", key] = /^\s*((?:- +)*)"?([^"#]+?)"?\s*:/.exec(line) ?? []
    // The first key of a list's element is on the line of its dash.
    if (dash !== "" && own < rest && indentOf(line) <= rest) {
      if (indentOf(line) < rest && key !== undefined) path.unshift(key)
      path.unshift("[]")
      rest = own
    } else if (own < rest || (own === rest && path[0] === "[]")) {
      if (key !== undefined) path.unshift(key)
      rest = own
    }
    if (rest === 0 && path[0] !== "[]") break
  }
  return path
}

/** Proposes keys and values of the pipeline's schema for the place of the cursor. */
export const completionsOf = (schema: unknown, context: CompletionContext): CompletionResult | null => {
  const root = schema as Node
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(0, context.pos - line.from)
  const lines = context.state.doc.sliceString(0, line.from).split("\n").slice(0, -1)
  const [, lead = "", key, gap = "", value] = /^([ -]*)(?:([^:#]+)(:\s+))?(.*)$/.exec(before) ?? []
  const isValue = key !== undefined
  if (!context.explicit && (value ?? "") === "") return null
  const dashed = lead.includes("-") ? ["[]"] : []
  const path = [
    ...pathTo(lines, lead.includes("-") ? lead.indexOf("-") : lead.length),
    ...dashed,
    ...isValue ? [key.trim()] : [],
  ]
  const nodes = path.reduce<ReadonlyArray<Node>>(
    (found, part) =>
      found.flatMap((node) => {
        const next = part === "[]" ? node.items : node.properties?.[part] ?? node.additionalProperties
        return typeof next === "object" ? variants(root, next) : []
      }),
    variants(root, root),
  )
  const options = new Map<string, string | undefined>()
  for (const node of nodes) {
    if (!isValue) {
      for (const [name, { description }] of Object.entries(node.properties ?? {})) options.set(`${name}: `, description)
    }
    for (const one of [...node.enum ?? [], ...node.const === undefined ? [] : [node.const]]) {
      options.set(/^[\w ()-]+$/.test(String(one)) ? String(one) : JSON.stringify(one), node.description)
    }
  }
  return {
    from: line.from + lead.length + (isValue ? key.length + gap.length : 0),
    options: [...options].map(([label, info]) => ({ label, ...info !== undefined && { info } })),
  }
}
