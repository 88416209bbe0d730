import { visible } from "../../domain/visible.ts"

/** Markup that may stand in a page as it is. Made by `html` only, so that whatever else comes in is escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What may be put into markup. Texts and numbers are escaped; nothing is shown for undefined and false. */
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

/** Markup with values in it: every value is escaped unless it is markup itself. Attribute values stand in double quotes. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Content>): Markup =>
  new Markup(parts.map((part, index) => part + rendered(values[index])).join(""))

/** A link where the address is one of the web, else its text alone: a `javascript:` address never becomes a link. `said`: what it is called when it is read out. */
export const webLink = (address: string, text: string, said?: string): Markup =>
  /^https?:\/\//i.test(address)
    ? html`<a href="${address}" rel="noreferrer noopener" target="_blank"${
      said !== undefined && html` aria-label="${said}"`
    }>${text}</a>`
    : html`${text}: <code>${address}</code>`
