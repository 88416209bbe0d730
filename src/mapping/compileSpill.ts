import type { Element } from "../domain/form.ts"
import { kindOfType } from "../kinds/index.ts"
import type { Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import type { Placed } from "./CompiledAnswer.ts"
import { compileKind, kindNamed, optionsOf } from "./compileKind.ts"
import { cellProblem } from "./problems.ts"
import type { Spill } from "./Spills.ts"
import type { Workshop } from "./Workshop.ts"

/** The answers that get the texts of another question's cells (`textTo`); they are read right behind it. */
export const compileSpills = (
  from: Element,
  entries: ReadonlyArray<MappingEntry>,
  source: Placed | undefined,
  workshop: Workshop,
): ReadonlyArray<Placed> => {
  if (source === undefined || source.answer.id !== from.id) return []
  return workshop.spills.from(from).flatMap((spill) => {
    const parse = parseOf(spill, entries, workshop)
    if (parse === undefined) return []
    const { columns } = source
    const blamed = columns.at(-1)
    const answer: Placed = {
      answer: { id: spill.to.id, name: spill.to.name, kind: parse.kind, list: "questions" },
      entries: [],
      options: undefined,
      columns,
      fromCells: true,
      read: (_cells, problems) => {
        if (spill.texts.length === 0) return undefined
        const text = spill.texts.join(", ")
        spill.texts.length = 0
        const value = parse.parse([text])
        if (!(value instanceof Fault)) return value
        if (blamed !== undefined) problems.push(cellProblem(spill.to.id, blamed, text, value))
        return undefined
      },
    }
    return [answer]
  })
}

const parseOf = (
  { to, path }: Spill,
  entries: ReadonlyArray<MappingEntry>,
  workshop: Workshop,
): { readonly parse: Parse; readonly kind: string } | undefined => {
  const usual = to.type === undefined ? undefined : kindOfType(to.type)
  const kind = usual ?? kindNamed("text")
  if (kind === undefined || kind.sends !== "string" || kind.parts !== undefined) {
    workshop.findings.error(path, `"${to.name}" is a ${to.type}, which takes no text.`)
    return undefined
  }
  const asked = { id: to.id, name: to.name, kind, options: {}, question: to, path: entries[0]?.path ?? path }
  const parse = compileKind(
    asked,
    optionsOf(asked, undefined, workshop),
    undefined,
    { _tag: "Columns", count: 1 },
    { empty: new Set() },
    workshop,
  )
  return parse === undefined ? undefined : { parse, kind: kind.name }
}
