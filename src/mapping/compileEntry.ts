import type { YamlPath } from "../domain/diagnostic.ts"
import type { Question } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import type { Column } from "../domain/row.ts"
import { kinds } from "../kinds/index.ts"
import type { InputShape, Kind, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { loose, optionNames } from "../kinds/optionTable.ts"
import type { ColumnName, Input, MappingEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import type { Findings } from "./Findings.ts"
import { shown } from "./problems.ts"
import type { Read, Reading, ReadPart } from "./readers.ts"
import { readColumn, readColumns, readParts, readRequired, readTemplate } from "./readers.ts"
import { parseTemplate } from "./template.ts"

/** What all entries of a pipeline are compiled with. */
export interface Workshop {
  readonly findings: Findings
  readonly columns: ColumnBook
  /** Cells that mean "no answer", without the empty text. */
  readonly empty: ReadonlySet<string>
}

/** An entry, ready to read rows; its columns are those that it reads. */
export interface CompiledEntry {
  readonly read: Read
  readonly columns: ReadonlyArray<Column>
}

type Options = Readonly<Record<string, unknown>>

interface Asked {
  readonly id: string
  readonly kind: Kind
  readonly options: Options
  readonly question: Question | undefined
  readonly path: YamlPath
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** An empty cell's name is an answer where an option, a key of `values` or a token of `true` and `false` has it. */
const emptyFor = ({ options, question }: Asked, empty: ReadonlySet<string>): ReadonlySet<string> => {
  if (empty.size === 0) return empty
  const values = typeof options.values === "object" && options.values !== null ? options.values : undefined
  const names = optionNames({ options: texts(options.options), values }, question?.options)
  const kept = new Set([...names, ...texts(options.true), ...texts(options.false)].map((name) => loose(name)))
  return new Set([...empty].filter((name) => !kept.has(loose(name))))
}

const compileKind = (asked: Asked, input: InputShape, workshop: Workshop): Parse | undefined => {
  const context = { question: asked.question, input, empty: emptyFor(asked, workshop.empty) }
  // The options were decoded by this kind's own Schema.
  const parse = asked.kind.compile(asked.options as never, context)
  if (typeof parse === "function") return parse
  workshop.findings.faults(asked.path, parse)
  return undefined
}

/** A constant of the pipeline, turned into a value once. */
const constant = (
  asked: Asked,
  text: string,
  place: "value" | "default",
  workshop: Workshop,
  report: boolean,
): Json | undefined => {
  const context = { question: asked.question, input: { _tag: "Columns", count: 1 } as const, empty: new Set<string>() }
  const parse = asked.kind.compile(asked.options as never, context)
  if (typeof parse !== "function") {
    if (report) workshop.findings.faults(asked.path, parse)
    return undefined
  }
  const value = parse([text])
  const path = [...asked.path, place]
  if (value instanceof Fault) {
    workshop.findings.error(path, `"${shown(text)}" can't be sent; expected ${value.expected}.`)
    return undefined
  }
  if (value === undefined) workshop.findings.error(path, `\`${place}\` is empty.`, "Leave it out, or say what it is.")
  return value
}

const findAll = (names: ReadonlyArray<ColumnName>, book: ColumnBook): ReadonlyArray<Column> | undefined => {
  const found = names.map((name) => book.find(name))
  return found.every((column) => column !== undefined) ? found : undefined
}

/** Compiles an input for one kind; undefined: something is wrong with it, and was found. */
const compileInput = (
  asked: Asked,
  input: Input,
  fallbackText: string | undefined,
  workshop: Workshop,
): CompiledEntry | undefined => {
  const { kind, path } = asked
  const fallback = fallbackText === undefined ? undefined : constant(asked, fallbackText, "default", workshop, false)
  const reading = (parse: Parse): Reading => ({ id: asked.id, parse, empty: emptyFor(asked, workshop.empty), fallback })
  switch (input._tag) {
    case "Value": {
      const value = constant(asked, input.value, "value", workshop, true)
      return value === undefined ? undefined : { read: () => value, columns: [] }
    }
    case "Columns": {
      const parse = compileKind(asked, { _tag: "Columns", count: input.columns.length }, workshop)
      const columns = findAll(input.columns, workshop.columns)
      if (input.columns.length > 1 && !kind.many) {
        workshop.findings.error(
          [...path, "from"],
          `The kind ${kind.name} takes one column, not ${input.columns.length}.`,
        )
        return undefined
      }
      const [first] = columns ?? []
      if (parse === undefined || columns === undefined || first === undefined) return undefined
      return {
        read: columns.length === 1 ? readColumn(first, reading(parse)) : readColumns(columns, reading(parse)),
        columns,
      }
    }
    case "Template": {
      const parse = compileKind(asked, { _tag: "Columns", count: 1 }, workshop)
      const template = parseTemplate(input.template)
      if (template === undefined || template.names.length === 0) {
        workshop.findings.error(
          [...path, "template"],
          "The template names no column.",
          "Columns stand in braces: {Name}.",
        )
        return undefined
      }
      const places = new Map(input.columns.map((column) => [column.name, column]))
      const wanted = template.names.map((name) => places.get(name) ?? { name, path: [...path, "template"] })
      const columns = findAll(wanted, workshop.columns)
      if (parse === undefined || columns === undefined) return undefined
      return { read: readTemplate(template, columns, reading(parse)), columns: [...new Set(columns)] }
    }
    case "Parts": {
      if (kind.parts.length === 0) {
        workshop.findings.error([...path, "from"], `The kind ${kind.name} has no parts.`, "Give it one column.")
        return undefined
      }
      const parse = compileKind(asked, { _tag: "Parts", parts: input.parts.map(({ part }) => part) }, workshop)
      const parts = compileParts(asked, input, (part) => kind.partKinds[part], kind.parts, workshop)
      if (parse === undefined || parts === undefined) return undefined
      return { read: readParts(parts, reading(parse)), columns: [...new Set(parts.flatMap((part) => part.columns))] }
    }
  }
}

/** Compiles the parts of an answer, each by its own kind. */
export const compileParts = (
  asked: Pick<Asked, "id">,
  input: Extract<Input, { readonly _tag: "Parts" }>,
  kindOf: (part: string) => string | undefined,
  parts: ReadonlyArray<string>,
  workshop: Workshop,
): ReadonlyArray<ReadPart> | undefined => {
  const compiled = input.parts.map((entry): ReadPart | undefined => {
    const kind = kinds.get(kindOf(entry.part) ?? "")
    if (kind === undefined) {
      workshop.findings.error(
        entry.path,
        `There is no part "${entry.part}".`,
        suggest(entry.part, parts, "The parts are"),
      )
      return undefined
    }
    const part = { id: asked.id, kind, options: entry.options, question: undefined, path: entry.path }
    const done = compileInput(part, entry.input, undefined, workshop)
    return done === undefined ? undefined : { part: entry.part, ...done }
  })
  return compiled.every((part) => part !== undefined) ? compiled : undefined
}

/** Compiles an entry that fills `id` by `kind`. */
export const compileEntry = (
  entry: MappingEntry,
  place: { readonly id: string; readonly name: string; readonly kind: Kind; readonly question?: Question | undefined },
  workshop: Workshop,
): CompiledEntry | undefined => {
  const asked = { ...place, question: place.question, options: entry.options, path: entry.path }
  const compiled = compileInput(asked, entry.input, entry.default, workshop)
  if (compiled === undefined || !entry.required || compiled.columns.length === 0) return compiled
  return { ...compiled, read: readRequired(compiled.read, place.id, place.name, compiled.columns) }
}
