import { type Column, optionColumns } from "../domain/row.ts"
import { oneText } from "../kinds/cells.ts"
import { kindNamed } from "../kinds/index.ts"
import { type InputShape, ofColumns, type OtherCells, type Parse } from "../kinds/Kind.ts"
import type { ColumnName, Input, PartEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { CellNotes, CellUses } from "./CellUses.ts"
import { type BlockColumns, type ColumnBook, inputColumns, otherColumn } from "./ColumnBook.ts"
import { compileCell, readingFixedNumbers } from "./compileCell.ts"
import type { CompileContext, CompiledEntry } from "./CompileContext.ts"
import { type AnswerSpec, compileKind, constant, emptyFor, inheritedBy, optionsOf } from "./compileKind.ts"
import {
  faultOfConstants,
  type Read,
  readColumns,
  readFirstOf,
  type Reading,
  type ReadPart,
  readParts,
  readTemplate,
  type RedirectedText,
  templateText,
} from "./readers.ts"
import { redirectOf } from "./textRedirects.ts"

const findAll = (names: ReadonlyArray<ColumnName>, book: ColumnBook): ReadonlyArray<Column> | undefined => {
  const found = names.map((name) => book.find(name, "answers"))
  return found.every((column) => column !== undefined) ? found : undefined
}

type InputOf<Tag extends Input["_tag"]> = Extract<Input, { readonly _tag: Tag }>

/** Sends redirected texts on only after the whole answer was read without a problem. */
const redirecting = (
  read: Read,
  redirected: Array<RedirectedText>,
  send: (text: string, to: string) => void,
): Read =>
(cells, problems) => {
  redirected.length = 0
  const before = problems.length
  const value = read(cells, problems)
  if (problems.length === before) { for (const { text, to } of redirected) send(text, to) }
  return value
}

/** What an input is compiled with, whatever its shape. */
type InputCompiler = ReturnType<typeof inputCompiler>

const inputCompiler = (asked: AnswerSpec, input: Input, fallbackText: string | undefined, context: CompileContext) => {
  const { kind, path } = asked
  const { columns: book, findings, uses } = context
  const options = optionsOf(asked, input, context)
  const empty = emptyFor(asked, options, input, context.empty)
  const send = redirectOf(asked, options, context)
  const redirected: Array<RedirectedText> = []
  const redirect = send && ((text: string, to: string) => void redirected.push({ text, to }))
  const notes = new CellNotes()
  const compile = (shape: InputShape) =>
    compileKind(asked, options, input, shape, { empty, redirect, note: notes.note }, context)
  const reading = (parse: Parse): Reading => ({
    id: asked.id,
    parse,
    empty,
    fallback: fallbackText === undefined ? undefined : constant(asked, options, fallbackText, "default", context),
    uses,
    notes,
    redirected,
  })
  const done = (read: Read, columns: ReadonlyArray<Column>): CompiledEntry => ({
    read: send === undefined ? read : redirecting(read, redirected, send),
    columns: [...new Set(columns)],
    fromCells: columns.length > 0,
    translations: columns.length === 0 ? [] : kind.translations?.(options as never, asked.question?.options ?? []),
  })
  const fail = (key: "extract" | "from" | "other", message: string, suggestion?: string): undefined => {
    findings.error([...path, key], message, suggestion)
  }
  return {
    asked,
    context,
    options,
    /** The context for the parts of the input. Their cells count as used only if the whole answer was read. */
    within: { ...context, empty, uses: new CellUses(uses.most.length) },
    compile,
    /** Compiles the kind for columns whose cells may be split by `extract`. */
    compileCells: (shape: InputShape) => compileCell(asked, options, shape, compile, notes, context),
    reading,
    done,
    fail,
    /** Returns the column of the "Other" option. Returns undefined if the entry names no such column. Returns "missing" if the column is not in the source, or if the entry must name one but does not. */
    findOther: (): Column | "missing" | undefined => {
      const name = otherColumn(asked)
      if (name !== undefined) return book.find(name, "answers") ?? "missing"
      if (options["other"] === undefined) return undefined
      fail("other", "`other` needs its column.", "Write `other: { from: Column, … }`.")
      return "missing"
    },
  }
}

/** Compiles an input for a kind. Returns undefined if the input has mistakes, which are added to the findings. */
export const compileInput = (
  asked: AnswerSpec,
  input: Input,
  fallbackText: string | undefined,
  context: CompileContext,
): CompiledEntry | undefined => {
  const { columns: book } = context
  const compiler = inputCompiler(asked, input, fallbackText, context)
  const { compile, compileCells, done, fail, options, reading } = compiler
  if (asked.extract !== undefined && (input._tag === "Parts" || input._tag === "Block")) {
    return fail("extract", "`extract` splits a cell, so `from` must be one column.")
  }
  switch (input._tag) {
    case "Value": {
      const value = constant(asked, options, input.value, "value", context)
      return value === undefined ? undefined : { read: () => value, columns: [], fromCells: false }
    }
    case "Columns":
      return compileColumns(input, compiler)
    case "FirstOf": {
      const parse = compileCells(ofColumns)
      const columns = findAll(input.columns, book)
      if (parse === undefined || columns === undefined) return undefined
      return done(readFirstOf(columns, reading(parse)), columns)
    }
    case "Template": {
      const parse = compile(ofColumns)
      const columns = findAll(inputColumns(input), book)
      if (parse === undefined || columns === undefined) return undefined
      let index = 0
      const pieces = input.pieces.map((piece) => (typeof piece === "string" ? piece : index++))
      const write = templateText(pieces, options["decimal"] === "," ? "," : ".")
      const filling: Parse = (cells) => parse([write(cells) ?? null])
      return done(
        readTemplate(write, columns, reading(readingFixedNumbers(filling, asked.kind, context.fixed))),
        columns,
      )
    }
    case "Parts":
      return compilePartsInput(input, compiler)
    case "Block":
      return compileBlock(input, compiler)
  }
}

const compileColumns = (
  input: InputOf<"Columns">,
  { asked: { extract, kind }, compileCells, context, done, fail, findOther, reading }: InputCompiler,
): CompiledEntry | undefined => {
  const columns = findAll(input.columns, context.columns)
  const count = input.columns.length
  const other = findOther()
  if (count > 1 && (kind.many !== true || extract !== undefined)) {
    return fail(
      "from",
      extract === undefined
        ? `The kind ${kind.name} takes one column, not ${count}.`
        : `\`extract\` splits one column, not ${count}.`,
    )
  }
  const otherCells = typeof other === "object" ? { tick: count, text: undefined } : undefined
  const parse = compileCells({ ...ofColumns, other: otherCells })
  if (parse === undefined || columns === undefined || other === "missing") return undefined
  const all = other === undefined ? columns : [...columns, other]
  return done(readColumns(all, reading(parse)), all)
}

const readPartsOf = (
  parts: ReadonlyArray<ReadPart> | undefined,
  names: ReadonlyArray<string>,
  other: OtherCells | undefined,
  { compile, done, fail, reading, within }: InputCompiler,
): CompiledEntry | undefined => {
  const parse = compile({ _tag: "Parts", parts: names, other })
  if (parse === undefined || parts === undefined) return undefined
  const fault = faultOfConstants(parts, parse)
  if (fault !== undefined) return fail("from", `These constants can't be sent; expected ${fault.expected}.`)
  return done(readParts(parts, reading(parse), within.uses), parts.flatMap((part) => part.columns))
}

const compilePartsInput = (input: InputOf<"Parts">, compiler: InputCompiler): CompiledEntry | undefined => {
  const { asked, asked: { kind }, context, fail, within } = compiler
  if (kind.named === "ranks" && !input.ranks) {
    return fail("from", "A ranking's columns contain ranks.", "Write `from: { ranks: { OPTION: column } }`.")
  }
  if (kind.named !== "ranks" && input.ranks) return fail("from", `The kind ${kind.name} has no ranks.`)
  if (kind.parts === undefined && kind.named === undefined) {
    return fail("from", `The kind ${kind.name} has no parts.`, "Give it one column.")
  }
  const other = compiler.findOther()
  const parts = kind.named === undefined
    ? compileParts(asked, input.parts, kind.parts ?? {}, { ...within, empty: context.empty })
    : compileNamed(asked, input.parts, within)
  if (other === "missing") return undefined
  return readPartsOf(
    other === undefined ? parts : parts && [...parts, textPart(asked, "other", other, within)],
    input.parts.map(({ part }) => part),
    other && { tick: input.parts.length, text: undefined },
    compiler,
  )
}

const compileBlock = (input: InputOf<"Block">, compiler: InputCompiler): CompiledEntry | undefined => {
  const { asked, asked: { kind }, context: { columns: book, findings }, within } = compiler
  if (kind.named === undefined) {
    findings.error(input.path, `The kind ${kind.name} has no block of columns.`, "Give it one column.")
    return undefined
  }
  const block = book.block(input.title, input.path)
  if (block === "unknown") return { read: () => undefined, columns: [], fromCells: true }
  if (block === undefined) return undefined
  const members = optionColumns(block)
  const named = otherColumn(asked)
  const others = named === undefined && kind.named === "options"
    ? othersOf(block, asked.options["other"] !== undefined)
    : []
  const other = named === undefined ? undefined : book.find(named, "answers")
  book.answers([...members, ...others])
  if (named !== undefined && other === undefined) return undefined
  const cells = [...members, ...others].map(({ column, option }) => textPart(asked, option, column, within))
  const at = (role: "other" | "text") => {
    const index = others.findIndex((one) => one.role === role)
    return index < 0 ? undefined : members.length + index
  }
  const otherCells = other !== undefined
    ? { tick: cells.length, text: undefined }
    : others.length > 0
    ? { tick: at("other"), name: others.find(({ role }) => role === "other")?.option, text: at("text") }
    : undefined
  return readPartsOf(
    other === undefined ? cells : [...cells, textPart(asked, "other", other, within)],
    members.map(({ option }) => option),
    otherCells,
    compiler,
  )
}

/**
 * Returns the columns of a block for its "Other" option, which exists only if a question takes several choices. These are the tick, and the text next
 * to it if the entry says which question gets the text. Any other text is not read, and counts as not mapped.
 */
const othersOf = (block: BlockColumns, withText: boolean): BlockColumns => {
  const tick = block.findIndex(({ role }) => role === "other")
  const texts = block.filter(({ role }) => role === "text")
  const after = block.find(({ role }, index) => role === "text" && index > tick)
  const text = tick >= 0 && after !== undefined ? after : texts.length === 1 ? texts[0] : undefined
  return [...(tick < 0 ? [] : block.slice(tick, tick + 1)), ...(withText && text !== undefined ? [text] : [])]
}

/** Compiles a part as if it were an entry. */
const compilePart = (
  { id, name }: Pick<AnswerSpec, "id" | "name">,
  { default: fallback, extract, input, options, part, path }: PartEntry,
  more: Pick<AnswerSpec, "kind"> & Partial<AnswerSpec>,
  context: CompileContext,
): ReadPart | undefined => {
  const done = compileInput(
    { id, name, options, question: undefined, path, extract, ...more },
    input,
    fallback,
    context,
  )
  return done === undefined ? undefined : { part, ...done }
}

const complete = (parts: ReadonlyArray<ReadPart | undefined>): ReadonlyArray<ReadPart> | undefined =>
  parts.every((part) => part !== undefined) ? parts : undefined

const textKind = kindNamed("text")!

/** Compiles options, ranks or rows. Their cells are read as text, without the pipeline's defaults for texts. */
const compileNamed = (asked: AnswerSpec, parts: ReadonlyArray<PartEntry>, context: CompileContext) =>
  complete(parts.map((entry) => compilePart(asked, entry, { kind: textKind, plain: true }, context)))

/** Compiles the parts of an answer, each with its own kind. */
export const compileParts = (
  asked: Pick<AnswerSpec, "id" | "name"> & Partial<Pick<AnswerSpec, "kind" | "options">>,
  parts: ReadonlyArray<PartEntry>,
  kindOf: Readonly<Record<string, string>>,
  context: CompileContext,
): ReadonlyArray<ReadPart> | undefined =>
  complete(parts.map((entry) => {
    const kind = Object.hasOwn(kindOf, entry.part) ? kindNamed(kindOf[entry.part]) : undefined
    if (kind !== undefined) {
      const inherited = inheritedBy(kind, asked.kind, asked.options ?? {})
      return compilePart(asked, entry, { kind, inherited }, context)
    }
    context.findings.error(
      entry.path,
      `There is no part "${entry.part}".`,
      suggest(entry.part, Object.keys(kindOf), "The parts are"),
      "key",
    )
    return undefined
  }))

/** Returns the part for a column without an entry. Its value is the column's text. */
const textPart = ({ id }: AnswerSpec, part: string, column: Column, { empty, uses }: CompileContext): ReadPart => {
  const parse = oneText((text) => text)
  return {
    part,
    columns: [column],
    read: readColumns([column], {
      id,
      parse,
      empty,
      fallback: undefined,
      uses,
      notes: new CellNotes(),
      redirected: [],
    }),
  }
}
