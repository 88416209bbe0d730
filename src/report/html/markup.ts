import { cut } from "../../domain/problem.ts"
import { isWebAddress, visible } from "../../domain/visible.ts"
import { type Heading, headingsOf, type Tone } from "../../domain/words.ts"

/** Markup that is inserted into a page unchanged. Only `html` makes markup, so everything else is escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What can be inserted into markup. Strings and numbers are escaped. Undefined and false show nothing. */
export type Content = string | number | Markup | undefined | false | ReadonlyArray<Content>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
}

const escaped = (text: string): string => visible(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? "")

const rendered = (content: Content): string => {
  if (content instanceof Markup) return content.text
  if (content === undefined || content === false) return ""
  if (typeof content === "string") return escaped(content)
  if (typeof content === "number") return String(content)
  return content.map(rendered).join("")
}

/** Makes markup that contains values. Escapes every value that is not markup itself. Attribute values need double quotes. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Content>): Markup =>
  new Markup(parts.map((part, index) => part + rendered(values[index])).join(""))

/** Makes a link to a web address. For any other address, such as `javascript:`, returns only the text. `said`: the link's name for screen readers. */
export const webLink = (address: string, text: string, said?: string): Markup =>
  isWebAddress(address)
    ? html`<a href="${address}" rel="noreferrer noopener" target="_blank"${
      said !== undefined && html` aria-label="${said}"`
    }>${text}</a>`
    : html`${text}: <code>${address}</code>`

/** A titled section of the page. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly markup: Markup
}

/** Makes a section, which is listed at the top of the page. */
export const section = (id: string, title: string, body: Content): Section => ({
  id,
  title,
  markup: html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}</section>
`,
})

/** Shows a word in the colour of its tone. */
export const badge = (text: string, tone: Tone): Markup => html`<span class="badge ${tone}">${text}</span>`

const side = (heading: Heading | undefined): Content => heading?.isNumber === true && html` class="number"`

/** Shows a table. */
export const table = (
  label: string,
  columns: ReadonlyArray<string | Heading>,
  rows: ReadonlyArray<{ readonly cells: ReadonlyArray<Content>; readonly className?: string }>,
): Markup => {
  const headings = headingsOf(columns)
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col"${side(heading)}>${heading.title}</th>`)}</tr></thead>
<tbody>
${
    rows.map((row) =>
      html`<tr${row.className !== undefined && html` class="${row.className}"`}>${
        row.cells.map((cell, index) => html`<td${side(headings[index])}>${cell}</td>`)
      }</tr>
`
    )
  }</tbody>
</table></div>
`
}

/** Shows names and values. Omits names without a value. */
export const facts = (entries: ReadonlyArray<readonly [string, Content]>): Markup =>
  html`<dl>${
    entries.flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [html`<dt>${name}</dt><dd>${value}</dd>
`]
    )
  }</dl>
`

/** Returns a share in percent. Returns "" for a share of 0, and 100% only if that is exact. */
export const share = (part: number, whole: number): string => {
  if (whole === 0 || part === 0) return ""
  if (part === whole) return "100%"
  const percent = (part / whole) * 100
  return percent > 99.9 ? ">99.9%" : percent < 0.1 ? "<0.1%" : `${percent.toFixed(1)}%`
}

/** Shows a bar of adjacent parts. The bar contains no styles, so that the page's content policy can remain strict. */
export const bar = (
  parts: ReadonlyArray<{ readonly title: string; readonly count: number; readonly tone: Tone | "none" }>,
): Markup | undefined => {
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  if (total === 0) return undefined
  let start = 0
  const drawn = parts.filter((part) => part.count > 0).map((part) => {
    const x = start
    start += (part.count / total) * 1000
    return html`<rect class="${part.tone}" x="${x.toFixed(2)}" y="0" width="${
      Math.max(start - x - 1.5, 1).toFixed(2)
    }" height="12"><title>${part.title}: ${part.count}</title></rect>`
  })
  return html`<svg class="bar" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label="${
    parts.filter((part) => part.count > 0).map((part) => `${part.title} ${part.count}`).join(", ")
  }"><rect class="track" width="1000" height="12"/>${drawn}</svg>
`
}

/** The maximum number of characters that a page shows of a name, and of a value. */
const longestName = 160
const longestValue = 400

/** Shows a name of unknown origin, isolated from the text direction around it. */
export const name = (text: string): Markup => html`<bdi>${cut(text, longestName)}</bdi>`

/** Shows a name with its id. */
export const nameAndId = (text: string, id: string): Markup => html`${name(text)} <code class="soft">${name(id)}</code>`

/** Shows a value of unknown origin, isolated from the text direction around it. */
export const value = (text: string): Markup => html`<code><bdi>${cut(text, longestValue)}</bdi></code>`
