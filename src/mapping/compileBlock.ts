import type { Column } from "../domain/row.ts"
import type { Parse } from "../kinds/Kind.ts"
import { text } from "../kinds/text.ts"
import { CellNotes } from "./CellUses.ts"
import type { Block } from "./ColumnBook.ts"
import { compileKind } from "./compileKind.ts"
import type { Asked } from "./compileKind.ts"
import { otherColumn } from "./inputColumns.ts"
import { readColumn } from "./readers.ts"
import type { ReadPart } from "./readers.ts"
import type { CompiledEntry, Workshop } from "./Workshop.ts"

/** A cell as its text, whatever the pipeline's defaults for texts. */
export const rawPart = (asked: Asked, part: string, column: Column, workshop: Workshop): ReadPart => {
  const parse = text.compile({}, {
    question: undefined,
    input: { _tag: "Columns", count: 1 },
    empty: workshop.empty,
  })
  const reading = {
    id: asked.id,
    empty: workshop.empty,
    fallback: undefined,
    uses: workshop.uses,
    notes: new CellNotes(),
  }
  return {
    part,
    columns: [column],
    read: typeof parse === "function" ? readColumn(column, { ...reading, parse }) : () => undefined,
  }
}

/**
 * The columns of a block that are its "Other", of which only a choice of several has one: the tick, and the text beside it where the entry says what becomes of it.
 * Any other text is not read, and so not mapped.
 */
const othersOf = (block: Block, withText: boolean): Block => {
  const tick = block.findIndex(({ role }) => role === "other")
  const texts = block.filter(({ role }) => role === "text")
  const behind = block.find(({ role }, index) => role === "text" && index > tick)
  const text = tick >= 0 && behind !== undefined ? behind : texts.length === 1 ? texts[0] : undefined
  return [...(tick < 0 ? [] : block.slice(tick, tick + 1)), ...(withText && text !== undefined ? [text] : [])]
}

export const compileBlock = (
  asked: Asked,
  block: Block,
  compile: (shape: Parameters<typeof compileKind>[3]) => Parse | undefined,
  workshop: Workshop,
  done: (parts: ReadonlyArray<ReadPart>, parse: Parse) => CompiledEntry,
): CompiledEntry | undefined => {
  const parts = block.filter(({ role }) => role === "option")
  const named = otherColumn({ ...asked, options: asked.options })
  const others = named === undefined && asked.kind.named === "options"
    ? othersOf(block, asked.options["other"] !== undefined)
    : []
  const at = (role: "other" | "text") => {
    const index = others.findIndex((one) => one.role === role)
    return index < 0 ? undefined : parts.length + index
  }
  const beside = named === undefined ? undefined : workshop.columns.find(named, "answers")
  workshop.columns.answers([...parts, ...others])
  if (named !== undefined && beside === undefined) return undefined
  const cells = [...parts, ...others].map(({ column, option }) => rawPart(asked, option, column, workshop))
  const all = beside === undefined ? cells : [...cells, rawPart(asked, "other", beside, workshop)]
  const other = beside !== undefined
    ? { tick: cells.length, text: undefined }
    : others.length > 0
    ? { tick: at("other"), name: others.find(({ role }) => role === "other")?.option, text: at("text") }
    : undefined
  const parse = compile({ _tag: "Parts", parts: parts.map(({ option }) => option), other })
  return parse === undefined ? undefined : done(all, parse)
}
