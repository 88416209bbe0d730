import { Option, SchemaAST as AST } from "effect"
import { createHash } from "node:crypto"
import { valueText } from "../../domain/json.ts"
import type { Json } from "../../domain/json.ts"
import { RunReport, Section as SectionId } from "../../domain/report.ts"
import type { Section as Declared } from "../../domain/report.ts"
import { modeWords } from "../../domain/run.ts"
import { count } from "../../domain/words.ts"
import { attentionScript } from "./attentionScript.ts"
import { paceSection } from "./charts.ts"
import {
  attentionSection,
  columnsSection,
  contentsSection,
  entriesPlace,
  filesSection,
  questionsSection,
  settingsSection,
  sourcesSection,
} from "./details.ts"
import type { AttentionCounts, WrittenFile } from "./details.ts"
import { html, Markup, section, table, value } from "./markup.ts"
import type { Section } from "./markup.ts"
import {
  balanceSection,
  differencesSection,
  doubtsSection,
  markOf,
  normalisedSection,
  outcomeHeader,
  problemsSection,
  verdictsSection,
} from "./results.ts"
import { style } from "./style.ts"

export { entryText } from "./details.ts"

/** A page in two pieces. The entries of the attention table are written between them, each written by `entryText`, separated by commas. */
export interface ReportPage {
  readonly before: string
  readonly after: string
}

/** Makes report.html: a self-contained page, its most important sections first. `files`: the CSVs next to it. */
export const reportPage = (
  report: RunReport,
  files: ReadonlyArray<WrittenFile>,
  attention: AttentionCounts,
): ReportPage => {
  const declared = (...names: ReadonlyArray<PropertyKey>) =>
    declaredFields.filter(({ name }) => names.includes(name)).map((field) => declaredSection(report, field))
  const others = declaredFields.map(({ name }) => name).filter((name) => name !== "warnings")
  const sections = [
    ...declared("warnings"),
    balanceSection(report),
    verdictsSection(report),
    differencesSection(report, files),
    problemsSection(report),
    doubtsSection(report),
    attentionSection(report, attention),
    ...declared(...others),
    columnsSection(report),
    questionsSection(report),
    normalisedSection(report),
    paceSection(report),
    filesSection(files),
    sourcesSection(report),
    settingsSection(report),
    contentsSection(report),
  ].filter((one) => one !== undefined)
  const mark = report.mode === "run" ? undefined : modeWords[report.mode].toUpperCase()
  const text = page({
    title: `${mark === undefined ? "" : `${mark}: `}${report.pipeline} ${report.run}`,
    body: html`<main>
${markOf(report)}${outcomeHeader(report)}<nav aria-label="On this page"><ul>${
      sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
    }</ul></nav>
${sections.map(({ markup }) => markup)}</main>
<footer>${mark !== undefined && `${mark}. `}This page loads nothing and sends nothing.</footer>`,
  })
  const [before = "", after = ""] = text.split(entriesPlace)
  return { before, after }
}

const reportType = AST.typeAST(RunReport.ast)
const declaredOf = (type: AST.AST) => AST.getAnnotation<Declared>(type, SectionId)

/** Returns the type of a field's value. For an optional field, that of the value if present. */
const valueType = (type: AST.AST): AST.AST =>
  AST.isUnion(type) ? type.types.find((one) => !AST.isUndefinedKeyword(one)) ?? type : type

interface DeclaredField {
  readonly name: PropertyKey
  readonly type: AST.AST
  readonly declared: Declared
}

/** Fields of the report that declare a section of the page, whether or not they always have a value. */
const declaredFields = AST.getPropertySignatures(reportType).flatMap(({ name, type }): ReadonlyArray<DeclaredField> =>
  [type, valueType(type)].flatMap((one) => Option.toArray(declaredOf(one))).slice(0, 1)
    .map((declared) => ({ name, type: valueType(type), declared }))
)

/** Makes the section that a list declares: sentences, or a table with a column for each member of its objects. */
const declaredSection = (report: RunReport, { declared, name, type }: DeclaredField): Section | undefined => {
  const list = (report as unknown as Readonly<Record<PropertyKey, ReadonlyArray<unknown> | undefined>>)[name] ?? []
  const { columns: titles = {}, intro, title } = declared
  const columns = AST.isTupleType(type)
    ? type.rest.flatMap((member) => AST.isTypeLiteral(member.type) ? member.type.propertySignatures : [])
    : []
  return list.length === 0 ? undefined : section(String(name), title, [
    intro !== undefined && html`<p>${intro}</p>
`,
    columns.length === 0
      ? html`<ul>${
        list.map((sentence) =>
          html`<li>${String(sentence)}</li>
`
        )
      }</ul>`
      : table(
        title,
        columns.map((column) => ({
          title: titles[String(column.name)] ?? String(column.name),
          number: AST.isNumberKeyword(column.type),
        })),
        (list as ReadonlyArray<Readonly<Record<PropertyKey, Json | undefined>>>).map((one) => ({
          cells: columns.map((column) => {
            const cell = one[column.name]
            return typeof cell === "number" ? count(cell) : value(valueText(cell))
          }),
        })),
      ),
  ])
}

const allowed = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/**
 * Makes a self-contained page: style and script are inside, and the policy names their digests, so that nothing else can run, load or be sent. Both
 * are formferry's own texts and contain no value of a run.
 */
const page = (content: { readonly title: string; readonly body: Markup }): string => {
  // The policy's only special characters are the quotes around its keywords, which an attribute may have.
  const policy = [
    "default-src 'none'",
    `style-src ${allowed(style)}`,
    `script-src ${allowed(attentionScript)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${content.title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${content.body}
<script>${new Markup(attentionScript)}</script>
</body>
</html>
`.text
}
