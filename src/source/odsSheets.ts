import { XmlAttributes } from "./xmlAttributes.ts"
import { xmlScanner } from "./xmlScan.ts"

const attributesOf = (attributes: XmlAttributes, xml: Buffer, from: number, to: number): Map<string, string> => {
  const found = new Map<string, string>()
  attributes.over(xml, from, to)
  while (attributes.next()) found.set(attributes.name, attributes.text)
  return found
}

/**
 * Returns for each sheet of an OpenDocument workbook whether it is hidden, in the order of the sheets: its style says `table:display="false"`, or the
 * one that this style is based on (OpenDocument 1.3, part 3, section 19.598). xlsx does not tell. Throws `BadSheet`.
 *
 * @param styles the part styles.xml, of which styles may be based on
 */
export const hiddenOdsSheets = (content: Buffer, styles: Buffer | undefined): ReadonlyArray<boolean> => {
  const attributes = new XmlAttributes()
  const shown = new Map<string, boolean>()
  const basedOn = new Map<string, string>()
  const sheets: Array<string> = []
  const open: Array<string> = []
  let style = ""
  const scan = (part: Buffer) =>
    xmlScanner({
      open: (name, xml, from, to) => {
        if (name === "style") {
          const found = attributesOf(attributes, xml, from, to)
          style = found.get("style:family") === "table" ? found.get("style:name") ?? "" : ""
          const parent = found.get("style:parent-style-name")
          if (style !== "" && parent !== undefined) basedOn.set(style, parent)
        } else if (name === "table-properties" && style !== "") {
          const display = attributesOf(attributes, xml, from, to).get("table:display")
          if (display !== undefined) shown.set(style, display !== "false")
        } else if (name === "table") open.push(attributesOf(attributes, xml, from, to).get("table:style-name") ?? "")
      },
      text: () => undefined,
      // A table within a cell comes before the one around it, as xlsx lists them.
      close: (name) => {
        if (name === "table") sheets.push(open.pop() ?? "")
      },
    }).write(part)
  if (styles !== undefined) scan(styles)
  sheets.length = 0
  scan(content)
  return sheets.map((named) => {
    const seen = new Set<string>()
    for (let at: string | undefined = named; at !== undefined && !seen.has(at); at = basedOn.get(at)) {
      seen.add(at)
      const said = shown.get(at)
      if (said !== undefined) return !said
    }
    return false
  })
}
