import { cached } from "../../domain/cached.ts"
import { noFormat, type Shows } from "./cells.ts"
import { type XmlAttributes, xmlScanner } from "./xml.ts"

/** What the styles of an OpenDocument workbook say, and its sheets. */
export interface OdsBook {
  readonly sheets: ReadonlyArray<{ readonly name: string; readonly style: string }>
  /** Whether a sheet of this style is hidden. */
  readonly isHidden: (style: string) => boolean
  /** Returns what the cells of this style show. Undefined if its format is unknown, or is that of any number. */
  readonly shows: (style: string) => Shows | undefined
}

const dateParts: ReadonlySet<string> = new Set([
  "day",
  "month",
  "year",
  "era",
  "day-of-week",
  "week-of-year",
  "quarter",
])
const ofFormats: ReadonlySet<string> = new Set(["date-style", "time-style", "number-style"])
/** What may surround the digits of a number. */
const texts: ReadonlySet<string> = new Set(["text", "embedded-text", "text-properties"])
const timeParts: ReadonlySet<string> = new Set(["hours", "minutes", "seconds", "am-pm"])

/** Finds the sheets and the styles of a workbook. Scan its parts with `makeScanner`, first the common styles and then the content. */
export const odsBookFinder = () => {
  const sheets: Array<{ readonly name: string; readonly style: string }> = []
  const displayed = new Map<string, boolean>()
  const formats = new Map<string, Shows>()
  const formatOf = new Map<string, string>()
  const parents = new Map<string, string>()

  const makeScanner = () => {
    /** How many elements are open in the list of sheets, or -1 outside it. A table elsewhere is not a sheet. */
    let inside = -1
    let style = ""
    let format = ""
    const openOutside = (name: string, attributes: XmlAttributes) => {
      const of = () => attributes.byName()
      const shows = formats.get(format)
      if (name === "spreadsheet") inside = 0
      else if (name === "style") {
        const found = of()
        style = `${found("family")} ${found("name")}`
        if (found("parent-style-name") !== "") parents.set(style, `${found("family")} ${found("parent-style-name")}`)
        if (found("data-style-name") !== "") formatOf.set(style, found("data-style-name"))
      } else if (name === "table-properties") {
        const display = of()("display")
        if (display !== "") displayed.set(style, display !== "false")
      } else if (name === "date-style" || name === "time-style") {
        const found = of()
        format = found("name")
        formats.set(format, { ...noFormat, elapsed: found("truncate-on-overflow") === "false" })
      } else if (name === "number-style") format = of()("name")
      else if (name === "number" && shows === undefined && format !== "") {
        const found = of()
        const digits = Number(found("min-integer-digits"))
        if (digits > 1 && Number(found("decimal-places")) === 0) formats.set(format, { ...noFormat, digits })
        // Only a format of nothing but digits and texts is known.
      } else if (shows?.digits !== undefined && !texts.has(name)) formats.delete(format)
      else if (shows !== undefined && dateParts.has(name)) formats.set(format, { ...shows, date: true })
      else if (shows !== undefined && timeParts.has(name)) formats.set(format, { ...shows, time: true })
    }
    return xmlScanner({
      open: (name, attributes) => {
        if (inside === -1) openOutside(name, attributes)
        else if (inside++ === 0 && name === "table") {
          const of = attributes.byName()
          sheets.push({ name: of("name"), style: of("style-name") })
        }
      },
      close: (name) => {
        if (inside >= 0) inside--
        else if (ofFormats.has(name)) format = ""
      },
    })
  }

  /** Returns what a style says, or else the style on which it is based. */
  const inherited = <A>(said: ReadonlyMap<string, A>, family: string, name: string): A | undefined => {
    const seen = new Set<string>()
    for (let at: string | undefined = `${family} ${name}`; at !== undefined && !seen.has(at); at = parents.get(at)) {
      seen.add(at)
      const found = said.get(at)
      if (found !== undefined) return found
    }
    return undefined
  }
  const book: OdsBook = {
    sheets,
    // OpenDocument 1.3, part 3, section 19.598.
    isHidden: (style) => inherited(displayed, "table", style) === false,
    shows: cached((style: string) => formats.get(inherited(formatOf, "table-cell", style) ?? "")),
  }
  return { book, makeScanner }
}
