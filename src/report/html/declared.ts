import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import { groupBy } from "../../domain/groupBy.ts"
import { type Json, valueText } from "../../domain/json.ts"
import { RunReport } from "../../domain/report.ts"
import { Redaction, type Section as Declared, Section as SectionId } from "../../domain/reportFields.ts"
import { count } from "../../domain/words.ts"
import { withoutUndefined } from "../reportFile.ts"
import { type Content, html, name as nameOf, type Section, section, table, value as valueOf } from "./markup.ts"

// The sections of the page that the report's Schema declares.

/** Returns the type of a list's members. Undefined if the type is not a list. */
const memberType = (type: AST.AST): AST.AST | undefined => AST.isTupleType(type) ? type.rest[0]?.type : undefined

interface Field {
  readonly name: string
  readonly type: AST.AST
}

const fieldsOf = (type: AST.AST): ReadonlyArray<Field> =>
  AST.getPropertySignatures(type).map(({ name, type }) => ({ name: String(name), type: withoutUndefined(type) }))

/** The fields of the report that declare a section, including those that may have no value. */
const declaring = AST.getPropertySignatures(AST.typeAST(RunReport.ast)).flatMap(({ name, type }) =>
  [type, withoutUndefined(type)].flatMap((one) => Option.toArray(AST.getAnnotation<Declared>(one, SectionId)))
    .slice(0, 1).map((declared) => ({ name: String(name), type: withoutUndefined(type), declared }))
)

/** Returns the sections that the report declares, by the name of their field, in the order of the fields. */
export const declaredSections = (report: RunReport): Readonly<Record<string, Section>> =>
  Object.fromEntries(declaring.flatMap(({ declared, name, type }) => {
    const lines = [(report as unknown as Readonly<Record<string, Line | ReadonlyArray<Line>>>)[name] ?? []].flat()
    if (lines.length === 0) return []
    const member = memberType(type) ?? type
    const body = !AST.isTypeLiteral(member)
      ? html`<ul>${
        lines.map((sentence) =>
          html`<li>${String(sentence)}</li>
`
        )
      }</ul>`
      : tables(declared, fieldsOf(member), lines)
    const intro = declared.intro !== undefined && html`<p>${declared.intro}</p>
`
    return [[name, section(name, declared.title, [intro, body])] as const]
  }))

type Line = Readonly<Record<string, unknown>>

const isNothing = (value: unknown): boolean => value === undefined || value === null

/** Shows a value. A value from a row is shown as code, and the members of an object are shown side by side. */
const shown = (type: AST.AST, value: unknown): Content => {
  if (isNothing(value)) return html`<span class="soft">nothing</span>`
  if (Option.isSome(AST.getAnnotation(type, Redaction))) {
    return value === "" ? html`<span class="soft">empty</span>` : valueOf(valueText(value as Json))
  }
  if (AST.isTypeLiteral(type)) {
    return fieldsOf(type).map(({ name, type }, at) => [at > 0 && " → ", shown(type, (value as Line)[name])])
  }
  return typeof value === "number" ? count(value) : nameOf(String(value))
}

/** Shows the value of a field. For a list, shows each member. */
const partsOf = ({ name, type }: Field, line: Line): ReadonlyArray<Content> => {
  const value = line[name]
  const member = memberType(type)
  if (member !== undefined) return ((value ?? []) as ReadonlyArray<unknown>).map((each) => shown(member, each))
  return isNothing(value) ? [] : [shown(type, value)]
}

/** How many members of a long list are shown before the list is unfolded. */
const mostOpen = 6

/** Returns the tables of a section: one for each heading, or a single table if the section declares no heading. */
const tables = (declared: Declared, fields: ReadonlyArray<Field>, lines: ReadonlyArray<Line>): Content => {
  const { above = {}, all = {}, columns: titles = {}, heading = [], title } = declared
  const titleOf = (name: string) => titles[name] || name
  const hidden = new Set([...heading, ...Object.values(above)])
  const columns = fields.filter((field) =>
    titles[field.name] !== false && !hidden.has(field.name) && lines.some((line) => partsOf(field, line).length > 0)
  )
  const cell = (field: Field, line: Line): Content => {
    const captions = fields.filter(({ name }) => name === above[field.name]).flatMap((small) => partsOf(small, line))
    const parts = partsOf(field, line)
    const captioned = Array.from({ length: Math.max(parts.length, captions.length) }, (_, at) => [
      captions[at] !== undefined && html`<span class="caption">${captions[at]}</span>`,
      parts[at],
    ])
    const counted = all[field.name]
    const more = counted === undefined ? 0 : Number(line[counted]) - parts.length
    if (captioned.length < 2 && more <= 0) return captioned
    const listOf = (from: number, to?: number) =>
      html`<ul class="plain">${captioned.slice(from, to).map((each) => html`<li>${each}</li>`)}${
        to === undefined && more > 0 && html`<li>and ${count(more)} more</li>`
      }</ul>`
    const folded = captioned.length - mostOpen + Math.max(0, more)
    return captioned.length <= mostOpen + 1
      ? listOf(0)
      : [
        listOf(0, mostOpen),
        html`<details><summary>and ${count(folded)} more</summary>${listOf(mostOpen)}</details>`,
      ]
  }
  const groups = groupBy(lines, (line) => JSON.stringify(heading.map((name) => line[name])))
  const isText = columns.every(({ type }) => !AST.isNumberKeyword(type))
  return [...groups.values()].map((group, at) => {
    const [first] = group
    const above = fields.filter(({ name }) => heading.includes(name)).flatMap((field) =>
      partsOf(field, first).map((part) => [titleOf(field.name), " ", part])
    )
    const lines = html`<div${isText && html` class="even"`}>${
      table(
        title,
        columns.map(({ name, type }) => ({ title: titleOf(name), isNumber: AST.isNumberKeyword(type) })),
        group.map((line) => ({ cells: columns.map((field) => cell(field, line)) })),
      )
    }</div>
`
    return heading.length === 0
      ? lines
      : html`<details${at === 0 && html` open=""`}><summary>${
        above.map((part, index) => [index > 0 && ", ", part])
      }</summary>
${lines}</details>
`
  })
}
