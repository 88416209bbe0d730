import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete"

/** The parts of a JSON Schema that completions need. */
type Node =
  & { readonly [K in "anyOf" | "oneOf" | "allOf"]?: ReadonlyArray<Node> }
  & { readonly [K in "properties" | "$defs"]?: Readonly<Record<string, Node>> }
  & Readonly<{ $ref?: string; additionalProperties?: Node | boolean; items?: Node }>
  & Readonly<{ enum?: ReadonlyArray<unknown>; const?: unknown; description?: string }>

/** Returns a node and all its alternatives. */
const variants = (root: Node, node: Node, depth = 0): ReadonlyArray<Node> => {
  if (depth > 8) return []
  const next = [...node.anyOf ?? [], ...node.oneOf ?? [], ...node.allOf ?? []]
  const [, name = ""] = /^#\/\$defs\/(.+)$/.exec(node.$ref ?? "") ?? []
  const target = root.$defs?.[name.replaceAll("~1", "/").replaceAll("~0", "~")]
  return [node, ...[...next, ...target === undefined ? [] : [target]].flatMap((one) => variants(root, one, depth + 1))]
}

/** Returns the keys above a line of block YAML, the outermost first. A list is `[]`. */
const pathTo = (lines: ReadonlyArray<string>, indent: number): ReadonlyArray<string> => {
  const path: Array<string> = []
  let rest = indent
  for (const line of lines.toReversed()) {
    const [, lead = "", key] = /^([ -]*)"?([^"#]+?)"?\s*:/.exec(line) ?? []
    const own = line.search(/\S/)
    const isItem = lead.includes("-")
    if (key === undefined || own > rest || (own === rest && !isItem) || rest === 0) continue
    // The first key of a list's item is on the line of its dash.
    path.unshift(...isItem ? ["[]"] : [], ...lead.length < rest ? [key] : [])
    rest = own
  }
  return path
}

/** Proposes keys and values of the pipeline's schema for the place of the cursor. */
export const completionsOf = (schema: unknown, context: CompletionContext): CompletionResult | null => {
  const root = schema as Node
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(0, context.pos - line.from)
  const [, lead = "", key, typed = ""] = /^([ -]*)(?:([^:#]+):\s+)?(.*)$/.exec(before) ?? []
  if (!context.explicit && typed === "") return null
  const above = context.state.doc.sliceString(0, line.from).split("\n")
  const [indent, item] = lead.includes("-") ? [lead.indexOf("-"), ["[]"]] : [lead.length, []]
  const path = [...pathTo(above, indent), ...item, ...key === undefined ? [] : [key.trim()]]
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
    for (const [name, { description }] of key === undefined ? Object.entries(node.properties ?? {}) : []) {
      options.set(`${name}: `, description)
    }
    for (const one of [...node.enum ?? [], ...node.const === undefined ? [] : [node.const]]) {
      options.set(/^[\w ()-]+$/.test(String(one)) ? String(one) : JSON.stringify(one), node.description)
    }
  }
  return {
    from: context.pos - typed.length,
    options: [...options].map(([label, info]) => ({ label, ...info !== undefined && { info } })),
  }
}
