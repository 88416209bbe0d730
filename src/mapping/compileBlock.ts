import type { Column } from "../domain/row.ts"
import type { Parse } from "../kinds/Kind.ts"
import { text } from "../kinds/text.ts"
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
  const reading = { id: asked.id, empty: workshop.empty, fallback: undefined }
  return {
    part,
    columns: [column],
    read: typeof parse === "function" ? readColumn(column, { ...reading, parse }) : () => undefined,
  }
}

export const compileBlock = (
  asked: Asked,
  block: Block,
  compile: (shape: Parameters<typeof compileKind>[3]) => Parse | undefined,
  workshop: Workshop,
  done: (parts: ReadonlyArray<ReadPart>, parse: Parse) => CompiledEntry,
): CompiledEntry | undefined => {
  const parts = block.filter(({ role }) => role === "option")
  // Only a choice of several has an "Other" beside its options.
  const others = asked.kind.named === "options" ? block.filter(({ role }) => role !== "option") : []
  const at = (role: "other" | "text") => {
    const index = others.findIndex((one) => one.role === role)
    return index < 0 ? undefined : parts.length + index
  }
  const named = otherColumn({ ...asked, options: asked.options })
  const beside = named === undefined ? undefined : workshop.columns.find(named)
  if (named !== undefined && beside === undefined) return undefined
  const cells = [...parts, ...others].map(({ column, option }) => rawPart(asked, option, column, workshop))
  const all = beside === undefined ? cells : [...cells, rawPart(asked, "other", beside, workshop)]
  const other = beside !== undefined
    ? { tick: cells.length, text: undefined }
    : others.length > 0
    ? { tick: at("other"), text: at("text") }
    : undefined
  const parse = compile({ _tag: "Parts", parts: parts.map(({ option }) => option), other })
  return parse === undefined ? undefined : done(all, parse)
}
