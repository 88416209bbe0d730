import { Effect } from "effect"
import { Parser } from "htmlparser2"
import { limits } from "./limits.ts"
import { damaged } from "./xlsxPart.ts"
import { unpack } from "./zip.ts"
import type { ZipEntry } from "./zip.ts"

/** A workbook's parts by name, in small letters. */
export type Entries = ReadonlyMap<string, ZipEntry>

/** The name of an element without its namespace's prefix. */
const localName = (name: string): string => {
  const at = name.indexOf(":")
  return at === -1 ? name : name.slice(at + 1)
}

/** Attributes of the elements of a small part, element by element. */
const elementsOf = (
  file: string,
  content: Buffer,
  entries: Entries,
  name: string,
  see: (element: string, attributes: Readonly<Record<string, string>>) => void,
) =>
  Effect.gen(function*() {
    const entry = entries.get(name.toLowerCase())
    if (entry === undefined) return
    if (entry.unpacked > limits.unpackedFreely) return yield* damaged(file)
    const text = yield* Effect.tryPromise({ try: () => unpack(content, entry), catch: () => damaged(file) })
    const parser = new Parser({
      onopentag: (element, attributes) => see(localName(element), attributes),
    }, { xmlMode: true })
    parser.end(text.toString("utf8").replace(/^\ufeff/, ""))
  })

/** A part's name from where another part refers to it. */
const targetOf = (target: string) => target.startsWith("/") ? target.slice(1) : `xl/${target.replace(/^\.\//, "")}`

const attributeOf = (attributes: Readonly<Record<string, string>>, local: string) =>
  Object.entries(attributes).find(([name]) => localName(name) === local)?.[1]

/** What a workbook's small parts say: its sheets, number formats, and the start of its dates. */
export const bookOf = (file: string, content: Buffer, entries: Entries) =>
  Effect.gen(function*() {
    const sheets: Array<{ readonly name: string; readonly hidden: boolean; readonly id: string }> = []
    let date1904 = false
    yield* elementsOf(file, content, entries, "xl/workbook.xml", (element, attributes) => {
      if (element === "sheet") {
        const state = attributes["state"] ?? "visible"
        sheets.push({
          name: attributes["name"] ?? "",
          hidden: state !== "visible",
          id: attributeOf(attributes, "id") ?? "",
        })
      } else if (element === "workbookPr") date1904 = /^(?:1|true)$/.test(attributes["date1904"] ?? "")
    })
    const targets = new Map<string, string>()
    let strings = "xl/sharedStrings.xml"
    yield* elementsOf(file, content, entries, "xl/_rels/workbook.xml.rels", (element, attributes) => {
      if (element !== "Relationship") return
      const target = targetOf(attributes["Target"] ?? "")
      targets.set(attributes["Id"] ?? "", target)
      if (attributes["Type"]?.endsWith("/sharedStrings") === true) strings = target
    })
    const xlsx = yield* Effect.promise(() => import("xlsx"))
    const known = new Map(Object.entries(xlsx.SSF.get_table() as Readonly<Record<string, string>>))
    const formats: Array<string> = []
    let inCells = false
    yield* elementsOf(file, content, entries, "xl/styles.xml", (element, attributes) => {
      if (element === "numFmt") known.set(attributes["numFmtId"] ?? "", attributes["formatCode"] ?? "General")
      else if (element === "cellXfs") inCells = true
      else if (element === "cellStyles" || element === "dxfs" || element === "cellStyleXfs") inCells = false
      else if (element === "xf" && inCells) formats.push(known.get(attributes["numFmtId"] ?? "0") ?? "General")
    })
    return { sheets, date1904, targets, formats, strings }
  })
