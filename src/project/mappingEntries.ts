import * as Schema from "effect/Schema"
import { cached } from "../domain/cached.ts"
import type { YamlPath } from "../domain/diagnostic.ts"
import { ownKinds, type OwnMember } from "../domain/item.ts"
import { type ElementPart, paymentParts, schedulingParts } from "../kinds/elements.ts"
import { kinds } from "../kinds/index.ts"
import type { Kind } from "../kinds/Kind.ts"
import { Conditions } from "./conditions.ts"
import { Column, type ColumnName, Columns, Expression, filled, Name, placed } from "./fields.ts"
import {
  becoming,
  expecting,
  type FileSchema,
  type KeyRules,
  type KindOptions,
  needed,
  oneOfThese,
  optional,
  type Section,
  section,
  sectionWithOptions,
} from "./section.ts"

// Decoded entries

type PlainInput =
  | { readonly _tag: "Columns"; readonly columns: ReadonlyArray<ColumnName> }
  /** The first filled column gives the answer. Other filled columns must contain the same text. */
  | { readonly _tag: "FirstOf"; readonly columns: ReadonlyArray<ColumnName> }
  /** A constant, as written. */
  | { readonly _tag: "Value"; readonly value: string }
  /** Literal texts and the columns between them. */
  | { readonly _tag: "Template"; readonly pieces: ReadonlyArray<string | ColumnName> }

/** The origin of an answer's cells. */
export type Input =
  | PlainInput
  /** Parts of the kind, or options, or options with their ranks (`ranks`), or rows, each with its column. */
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<PartEntry>; readonly ranks: boolean }
  /** All columns of a question that a form tool spreads over several, identified by the question's title. */
  | { readonly _tag: "Block"; readonly title: string; readonly path: YamlPath }

/** The input of a part: columns, or an entry. */
interface PartInput {
  readonly path: YamlPath
  readonly input: PlainInput
  /** The options of the part's kind. */
  readonly options: KindOptions
  readonly extract?: string | undefined
  readonly default?: string | undefined
}

/** One part of an answer that has several parts. */
export interface PartEntry extends PartInput {
  readonly part: string
}

/** An entry of the mapping: an answer, a URL parameter, a time, the login, or a scheduling or payment field. `entryKeys` describes its keys. */
export interface MappingEntry
  extends Omit<Section<ReturnType<typeof entryKeys> & ReturnType<typeof namingKeys>>, "from" | "value" | "template">
{
  /** The place of the entry, for diagnostics. */
  readonly path: YamlPath
  readonly input: Input
  /** The kind, if the pipeline names it. Always `dateTime` for times and `email` for the login. For a URL parameter, `text` by default. */
  readonly as: string | undefined
  /** The options of the kind, with the project's value sets inserted. */
  readonly options: KindOptions
}

// Inputs

/**
 * Returns the parts of a template: literal text, and columns in braces. Undefined if a brace is not closed or the
 * braces are empty.
 */
const templatePieces = (template: string, path: YamlPath): ReadonlyArray<string | ColumnName> | undefined => {
  const pieces: Array<string | ColumnName> = []
  for (const [piece, column] of template.matchAll(/\{([^{}]+)\}|[^{}]+|./gs)) {
    if (piece === "{" || piece === "}") return undefined
    pieces.push(column === undefined ? piece : { name: column, path })
  }
  return pieces
}

const Template = Schema.String.pipe(
  Schema.filter((text) => templatePieces(text, [])?.some((piece) => typeof piece === "object") ?? false, {
    jsonSchema: { pattern: "^[^{}]*(\\{[^{}]+\\}[^{}]*)+$" },
  }),
).annotations(expecting("text with columns in braces, such as `{First name} {Last name}`"))

const Several = becoming(
  Columns,
  (names, path): PlainInput => ({ _tag: "Columns", columns: placed(names, path) }),
).annotations(expecting("a list of columns"))

const FirstOf = becoming(
  section({
    firstOf: needed(Columns, {
      description: "The first of these columns that is filled. Any other filled columns must contain the same text",
      examples: [["E-mail", "E-mail (old)"]],
    }),
  }),
  ({ firstOf }, path): PlainInput => ({ _tag: "FirstOf", columns: placed(firstOf, [...path, "firstOf"]) }),
).annotations({ ...expecting("{ firstOf: [A, B] }"), identifier: "FirstOf" })

const Block = becoming(
  section({
    block: needed(Name.annotations({ identifier: "Block.title" }), {
      description:
        "All columns of a question that a form tool spreads over several columns, named by the question's title",
      examples: ["Which of the following films have you seen?"],
    }),
  }),
  ({ block }, path): Input => ({ _tag: "Block", title: block, path: [...path, "block"] }),
).annotations({ ...expecting("{ block: TITLE }"), identifier: "Block" })

const extract = optional(Expression, {
  description:
    "A regular expression (RE2) for the part of the cell to use: its first group, otherwise the whole match. Named groups fill parts. A filled cell that does not match is an error. An empty match means no answer",
  examples: ["(\\d+\\w?)$"],
})

const value = optional(Schema.String, {
  description: "A constant for every row, as written",
  examples: ["legacy CRM"],
})

const template = optional(Template, {
  description: "Text with columns in braces. If a column is empty, the space after it is removed, too",
  examples: ["{Title} {First name} {Last name}"],
})

const standIn = optional(Schema.String, {
  description: "The value to use for an empty cell, in the source's format",
  examples: ["unknown"],
})

const oneInput: KeyRules = { exactlyOne: ["from", "value", "template"], needs: { extract: ["from"] } }

/** Decodes the input of an entry. A single column is at the key `from`. */
const inputOf = <A extends Input>(
  { from, template, value }: {
    readonly from?: string | A | undefined
    readonly value?: string | undefined
    readonly template?: string | undefined
  },
  path: YamlPath,
): A | PlainInput => {
  if (value !== undefined) return { _tag: "Value", value }
  if (template !== undefined) return { _tag: "Template", pieces: templatePieces(template, [...path, "template"]) ?? [] }
  return typeof from === "object" ? from : { _tag: "Columns", columns: [{ name: from ?? "", path: [...path, "from"] }] }
}

// Parts

/** Decodes a column, or an entry with the options of the part's kind. */
const partOf = cached((kind: Kind | undefined): FileSchema<string | PartInput> => {
  const several = kind?.many === true ? [Several] : []
  const own = becoming(
    sectionWithOptions(
      {
        from: optional(oneOfThese(Column, ...several, FirstOf), {
          description: several.length > 0 ? "A column, or several joined" : "A column",
        }),
        value,
        template,
        default: standIn,
        extract,
      },
      kind?.options,
      oneInput,
    ),
    ({ from, template, value, ...entry }, path): PartInput => ({
      ...entry,
      path,
      input: inputOf({ from, template, value }, path),
    }),
  ).annotations({
    ...expecting("a column or an entry of its own"),
    identifier: kind === undefined ? "Part" : `Part.${kind.name}`,
    description: kind === undefined ? "A column, or a constant" : `A part that is read as ${kind.name}`,
  })
  const joined = several.map((each) => becoming(each, (input, path): PartInput => ({ path, input, options: {} })))
  return oneOfThese(Column, ...joined, own).annotations({
    ...expecting("a column or an entry of its own, such as { value: … }"),
    identifier: kind === undefined ? "PartInput" : `PartInput.${kind.name}`,
  })
})

const partsInput =
  (ranks: boolean) => (parts: Readonly<Record<string, string | PartInput | undefined>>, path: YamlPath): Input => ({
    _tag: "Parts",
    ranks,
    parts: Object.entries(parts).flatMap(([part, given]): ReadonlyArray<PartEntry> => {
      if (given === undefined) return []
      if (typeof given === "object") return [{ part, ...given }]
      const at = [...path, part]
      return [{ part, path: at, input: { _tag: "Columns", columns: [{ name: given, path: at }] }, options: {} }]
    }),
  })

/** Decodes a mapping of names to columns. The names are those of options, ranks or rows. */
const byNames = (part: FileSchema<string | PartInput>, expects: string, ranks = false): FileSchema<Input> =>
  becoming(filled(Schema.String, part), partsInput(ranks)).annotations(expecting(expects))

const ranksOf = (part: FileSchema<string | PartInput>): FileSchema<Input> =>
  becoming(
    section({
      ranks: needed(byNames(part, "options with the columns of their ranks", true), {
        description: "Options, each with the column that contains its rank",
        examples: [{ "Film A": "Rank [A]", "Film B": "Rank [B]" }],
      }),
    }),
    ({ ranks }) => ranks,
  ).annotations(expecting("{ ranks: { OPTION: column } }"))

/** Decodes parts. Each is a column or an entry, and is decoded by its own kind. */
const parts = (of: Readonly<Record<string, string>>): FileSchema<Input> =>
  becoming(
    section(
      Object.fromEntries(
        Object.entries(of).map(([part, kind]) => [
          part,
          optional(partOf(kinds.get(kind)), { description: `The part ${part}, read as ${kind}` }),
        ]),
      ),
      { rules: { atLeastOne: Object.keys(of) } },
    ),
    partsInput(false),
  ).annotations(expecting("parts with their columns"))

const namedColumns = { options: "options with their columns", rows: "rows with their columns" } as const

const fromOf = (kind: Kind | undefined): FileSchema<string | Input> => {
  const several = kind === undefined || kind.many ? [Several] : []
  const own = kind?.parts === undefined ? [] : [parts(kind.parts)]
  if (kind !== undefined && kind.named === undefined) return oneOfThese(Column, ...several, ...own, FirstOf)
  const part = partOf(kind === undefined ? undefined : kinds.get("text"))
  const named = kind?.named
  return oneOfThese(
    Column,
    ...several,
    ...own,
    Block,
    FirstOf,
    ...(named === "ranks"
      ? []
      : [byNames(part, named === undefined ? "parts with their columns" : namedColumns[named])]),
    ...(named === undefined || named === "ranks" ? [ranksOf(part)] : []),
  )
}

const namedFrom = {
  options: "A column, or a column for each option (`option: column`), or a block of the form tool",
  ranks: "A column, or `ranks` with a column for the rank of each option, or a block of the form tool",
  rows: "A column for each row (`row: column`), or a block of the form tool",
} as const

const describedFrom = (kind: Kind | undefined): string => {
  if (kind === undefined) return "A column, a list of columns, or parts with their columns"
  if (kind.named !== undefined) return namedFrom[kind.named]
  if (kind.parts !== undefined) return `A column, or the parts ${Object.keys(kind.parts).join(", ")} with their columns`
  return kind.many ? "A column, or several joined" : "A column"
}

// Entries

/** @param of what the entry names: a question, a URL parameter, or a scheduling or payment field */
const namingKeys = (of: string) => ({
  id: optional(Name.annotations({ identifier: `${of}.id` }), { description: "The element's id in the form" }),
  name: optional(Name.annotations({ identifier: `${of}.name` }), {
    description: "The element's name in the form. If an id is given as well, both must agree with the live form",
  }),
})

const when = optional(Conditions, {
  description:
    "The entry applies only to rows that meet this condition. Several entries may fill one question. The first whose condition is met is used",
  examples: [{ Status: ["cancelled"] }],
  absent: [],
})

const onInvalid = optional(Schema.Literal("reject", "drop"), {
  description:
    "What to do with an invalid value: reject the row, or drop this answer and send the row without it. Either way, the value is counted and reported",
  default: "reject",
})

/** Returns the keys of every entry. */
const entryKeys = (kind: Kind | undefined) => ({
  from: optional(fromOf(kind), { description: describedFrom(kind) }),
  value,
  template,
  extract,
  when,
  required: optional(Schema.Boolean, {
    description: "Whether a row without this answer is invalid",
    default: false,
  }),
  default: standIn,
  onInvalid,
  unique: optional(Schema.Boolean, {
    description: "Whether a row is invalid if an earlier row of the source has the same answer",
    default: false,
  }),
})

const entryOf = (kind: Kind | undefined) =>
(
  { from, template, value, ...entry }:
    & Omit<MappingEntry, "as" | "input" | "path">
    & Parameters<typeof inputOf<Input>>[0],
  path: YamlPath,
): MappingEntry => ({ ...entry, path, input: inputOf({ from, template, value }, path), as: kind?.name })

/** @param isSaid whether the entry names its kind with `as`; otherwise, its kind is fixed */
const namedEntry = (prefix: string, kind: Kind | undefined, isSaid: boolean): FileSchema<MappingEntry> => {
  const as = kind !== undefined && isSaid
    ? { as: needed(Schema.Literal(kind.name), { description: kind.description }) }
    : {}
  return becoming(
    sectionWithOptions({ ...namingKeys(prefix), ...as, ...entryKeys(kind) }, kind?.options, {
      ...oneInput,
      atLeastOne: ["id", "name"],
    }),
    entryOf(kind),
  ).annotations({
    identifier: kind === undefined ? prefix : `${prefix}.${isSaid ? kind.name : "entry"}`,
    description: kind?.description ?? "An answer whose kind follows from the form's metadata",
  })
}

const all = [...kinds.values()]

/** Decodes an answer to a question. Its kind is given by `as` or by the form. */
export const questionEntry = (): FileSchema<MappingEntry> =>
  oneOfThese(...all.map((kind) => namedEntry("Question", kind, true)), namedEntry("Question", undefined, false))
    .annotations({ identifier: "Questions" })

/** Decodes a URL parameter, which is text, or of a kind that is sent as text. */
export const urlParameterEntry = (): FileSchema<MappingEntry> => {
  const texts = all.filter(({ sends }) => sends === "string")
  return oneOfThese(
    ...texts.map((kind) => namedEntry("UrlParameter", kind, true)),
    namedEntry("UrlParameter", kinds.get("text"), false),
  )
}

/** Decodes an entry that occurs once and always has the same kind: a time or the login. */
export const ownEntry = (of: OwnMember): FileSchema<MappingEntry> => {
  const kind = kinds.get(ownKinds[of])
  return becoming(sectionWithOptions(entryKeys(kind), kind?.options, oneInput), entryOf(kind))
    .annotations({ identifier: `Own.${ownKinds[of]}` })
}

const elementEntry = (identifier: string, of: Readonly<Record<string, ElementPart>>): FileSchema<MappingEntry> =>
  becoming(
    section({
      ...namingKeys(identifier),
      from: needed(parts(Object.fromEntries(Object.entries(of).map(([part, { kind }]) => [part, kind]))), {
        description: "The parts, each a column or an entry",
      }),
      required: optional(Schema.Boolean, {
        description: "Whether a row without this field is invalid",
        default: false,
      }),
      when,
      onInvalid,
    }, { rules: { atLeastOne: ["id", "name"] } }),
    (entry, path) => entryOf(undefined)({ ...entry, options: {}, unique: false }, path),
  ).annotations({ identifier })

/** Decodes a scheduling field, which consists of parts of different kinds. */
export const schedulingEntry = () => elementEntry("Scheduling", schedulingParts)

/** Decodes a payment field, which consists of parts of different kinds. */
export const paymentEntry = () => elementEntry("Payment", paymentParts)

/** Decodes the options of kinds that apply to every entry and part of a kind. */
export const defaultOptions = (): FileSchema<Readonly<Record<string, KindOptions>>> =>
  section(Object.fromEntries(
    all.filter((kind) => Object.keys(kind.options).length > 0).map((kind) => [
      kind.name,
      optional(section({}, { options: kind.options }).annotations({ identifier: `Defaults.${kind.name}` }), {
        description: `Options of every ${kind.name}`,
      }),
    ]),
  )) as FileSchema<Readonly<Record<string, KindOptions>>>
