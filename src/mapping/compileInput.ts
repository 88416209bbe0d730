import type { Column } from "../domain/row.ts"
import type { OtherCells, Parse } from "../kinds/Kind.ts"
import type { ColumnName, Input, PartEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { CellNotes, CellUses } from "./CellUses.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import { compileBlock, rawPart } from "./compileBlock.ts"
import { compileCell, handedDown } from "./compileCell.ts"
import { compileKind, constant, emptyFor, kindNamed, optionsOf } from "./compileKind.ts"
import type { Asked } from "./compileKind.ts"
import { otherColumn } from "./inputColumns.ts"
import { readColumn, readColumns, readFirstOf, readParts, readTemplate } from "./readers.ts"
import type { Read, Reading, ReadPart } from "./readers.ts"
import { spillOf } from "./spillOf.ts"
import { parseTemplate } from "./template.ts"
import type { CompiledEntry, Workshop } from "./Workshop.ts"

const distinct = (columns: ReadonlyArray<Column>): ReadonlyArray<Column> => [...new Set(columns)]

const findAll = (names: ReadonlyArray<ColumnName>, book: ColumnBook): ReadonlyArray<Column> | undefined => {
  const found = names.map((name) => book.find(name, "answers"))
  return found.every((column) => column !== undefined) ? found : undefined
}

/** How to name the columns of a kind's options or rows. */
const namedSyntax = { options: "{ OPTION: column }", rows: "{ ROW: column }", ranks: "{ ranks: { OPTION: column } }" }

/** Compiles an input for one kind; undefined: something is wrong with it, and was found. */
export const compileInput = (
  asked: Asked,
  input: Input,
  fallbackText: string | undefined,
  workshop: Workshop,
): CompiledEntry | undefined => {
  const { kind, path } = asked
  const { columns: book, findings } = workshop
  const options = optionsOf(asked, input, workshop)
  const empty = emptyFor(asked, options, input, workshop.empty)
  const spill = spillOf(asked, options, workshop)
  const notes = new CellNotes()
  const compile = (shape: Parameters<typeof compileKind>[3]) =>
    compileKind(asked, options, input, shape, { empty, redirect: spill?.hand, note: notes.note }, workshop)
  const fallback = () =>
    fallbackText === undefined ? undefined : constant(asked, options, fallbackText, "default", workshop, false)
  const { uses } = workshop
  const reading = (parse: Parse): Reading => ({ id: asked.id, parse, empty, fallback: fallback(), uses, notes })
  const inParts = () => ({ ...workshop, empty, uses: new CellUses(uses.most.length) })
  const done = (read: Read, columns: ReadonlyArray<Column>): CompiledEntry => ({
    read: spill === undefined ? read : spill.around(read),
    columns: distinct(columns),
    fromCells: columns.length > 0,
  })
  if (asked.extract !== undefined && (input._tag === "Parts" || input._tag === "Block")) {
    findings.error([...path, "extract"], "`extract` takes a cell apart, so that `from` is one column.")
    return undefined
  }
  switch (input._tag) {
    case "Value": {
      const value = constant(asked, options, input.value, "value", workshop, true)
      return value === undefined ? undefined : { read: () => value, columns: [], fromCells: false }
    }
    case "Columns": {
      const columns = findAll(input.columns, book)
      const other = otherColumn({ ...asked, options: asked.options })
      const beside = other === undefined ? undefined : book.find(other, "answers")
      if (input.columns.length > 1 && (kind.many !== true || asked.extract !== undefined)) {
        findings.error(
          [...path, "from"],
          asked.extract === undefined
            ? `The kind ${kind.name} takes one column, not ${input.columns.length}.`
            : `\`extract\` takes one column apart, not ${input.columns.length}.`,
        )
        return undefined
      }
      if (options.other !== undefined && other === undefined) {
        findings.error([...path, "other"], "`other` needs its column.", "Write `other: { from: Column, … }`.")
        return undefined
      }
      const count = input.columns.length
      const otherCells: OtherCells | undefined = beside === undefined ? undefined : { tick: count, text: undefined }
      const parse = compileCell(asked, options, input, otherCells, compile, notes.note, workshop)
      const [first] = columns ?? []
      if (parse === undefined || columns === undefined || first === undefined) return undefined
      if (other !== undefined && beside === undefined) return undefined
      const all = beside === undefined ? columns : [...columns, beside]
      return done(all.length === 1 ? readColumn(first, reading(parse)) : readColumns(all, reading(parse)), all)
    }
    case "FirstOf": {
      const parse = compileCell(asked, options, input, undefined, compile, notes.note, workshop)
      const columns = findAll(input.columns, book)
      if (parse === undefined || columns === undefined) return undefined
      return done(readFirstOf(columns, reading(parse)), columns)
    }
    case "Template": {
      const parse = compile({ _tag: "Columns", count: 1 })
      const template = parseTemplate(input.template)
      if (template === undefined || template.names.length === 0) {
        findings.error([...path, "template"], "The template names no column.", "Columns stand in braces: {Name}.")
        return undefined
      }
      const places = new Map(input.columns.map((column) => [column.name, column]))
      const wanted = template.names.map((name) => places.get(name) ?? { name, path: [...path, "template"] })
      const columns = findAll(wanted, book)
      if (parse === undefined || columns === undefined) return undefined
      return done(readTemplate(template, columns, reading(parse)), columns)
    }
    case "Parts": {
      if (kind.named === "ranks" && !input.ranks) {
        findings.error([...path, "from"], "A ranking's columns hold ranks.", `Write \`from: ${namedSyntax.ranks}\`.`)
        return undefined
      }
      if (kind.named !== "ranks" && input.ranks) {
        findings.error([...path, "from"], `The kind ${kind.name} has no ranks.`)
        return undefined
      }
      if (kind.parts === undefined && kind.named === undefined) {
        findings.error([...path, "from"], `The kind ${kind.name} has no parts.`, "Give it one column.")
        return undefined
      }
      const other = otherColumn({ ...asked, options: asked.options })
      if (options.other !== undefined && other === undefined) {
        findings.error([...path, "other"], "`other` needs its column.", "Write `other: { from: Column, … }`.")
      }
      const within = inParts()
      const parts = kind.named === undefined
        ? compileParts(asked, input, (part) => kind.parts?.[part], Object.keys(kind.parts ?? {}), {
          ...within,
          empty: workshop.empty,
        })
        : compileNamed(asked, input.parts, within)
      const beside = other === undefined ? undefined : book.find(other, "answers")
      const count = input.parts.length
      const parse = compile({
        _tag: "Parts",
        parts: input.parts.map(({ part }) => part),
        other: beside === undefined ? undefined : { tick: count, text: undefined },
      })
      if (parse === undefined || parts === undefined || (other !== undefined && beside === undefined)) return undefined
      const all = beside === undefined ? parts : [...parts, rawPart(asked, "other", beside, within)]
      return done(readParts(all, reading(parse), within.uses), all.flatMap((part) => part.columns))
    }
    case "Block": {
      if (kind.named === undefined) {
        findings.error(input.path, `The kind ${kind.name} has no block of columns.`, "Give it one column.")
        return undefined
      }
      const block = book.block(input.title, input.path)
      if (block === "unknown") return { read: () => undefined, columns: [], fromCells: true }
      if (block === undefined) return undefined
      const within = inParts()
      return compileBlock(
        asked,
        block,
        compile,
        within,
        (parts, parse) => done(readParts(parts, reading(parse), within.uses), parts.flatMap((part) => part.columns)),
      )
    }
  }
}

/** Options, ranks or rows: each is read as text. */
const compileNamed = (
  asked: Asked,
  parts: ReadonlyArray<PartEntry>,
  workshop: Workshop,
): ReadonlyArray<ReadPart> | undefined => {
  const kind = kindNamed("text")
  if (kind === undefined) return undefined
  const compiled = parts.map((entry): ReadPart | undefined => {
    const { extract, options, path } = entry
    const part = { id: asked.id, name: asked.name, kind, options, question: undefined, path, extract, plain: true }
    const done = compileInput(part, entry.input, entry.default, workshop)
    return done === undefined ? undefined : { part: entry.part, ...done }
  })
  return compiled.every((part) => part !== undefined) ? compiled : undefined
}

/** Compiles the parts of an answer, each by its own kind. */
export const compileParts = (
  asked: Pick<Asked, "id" | "name"> & Partial<Pick<Asked, "kind" | "options">>,
  input: Extract<Input, { readonly _tag: "Parts" }>,
  kindOf: (part: string) => string | undefined,
  parts: ReadonlyArray<string>,
  workshop: Workshop,
): ReadonlyArray<ReadPart> | undefined => {
  const compiled = input.parts.map((entry): ReadPart | undefined => {
    const kind = parts.includes(entry.part)
      ? kindNamed(kindOf(entry.part))
      : undefined
    if (kind === undefined) {
      workshop.findings.error(
        entry.path,
        `There is no part "${entry.part}".`,
        suggest(entry.part, parts, "The parts are"),
        "key",
      )
      return undefined
    }
    const { extract, options, path } = entry
    const inherited = asked.kind === undefined ? {} : handedDown({ kind: asked.kind }, kind, asked.options ?? {})
    const part = { id: asked.id, name: asked.name, kind, options, question: undefined, path, extract, inherited }
    const done = compileInput(part, entry.input, entry.default, workshop)
    return done === undefined ? undefined : { part: entry.part, ...done }
  })
  return compiled.every((part) => part !== undefined) ? compiled : undefined
}
