import { oneLine } from "../domain/words.ts"
import { collectLabels, type ColumnLabels, type DefinitionFormat, labelsOf, plainText } from "./Labels.ts"

/** Titles of the columns in the file that people download, and in the one that the API returns. */
const columns = {
  field: ["Variable / Field Name", "field_name"],
  type: ["Field Type", "field_type"],
  label: ["Field Label", "field_label"],
  choices: ["Choices, Calculations, OR Slider Labels", "Choices OR Calculations", "select_choices_or_calculations"],
} as const

const yesNo = new Map([["1", "Yes"], ["0", "No"]])
const trueFalse = new Map([["1", "True"], ["0", "False"]])

/** Types of fields whose choices are written `code, label | code, label`. */
const chosen = new Set(["radio", "dropdown", "checkbox"])

/** Returns the choices of a field. A choice without a comma is its own label. */
const choicesOf = (text: string): ReadonlyMap<string, string> =>
  labelsOf(
    text.split("|").flatMap((choice) => {
      const [code = "", ...label] = choice.split(",")
      if (code.trim() === "") return []
      return [[code.trim(), plainText(label.length === 0 ? code : label.join(","))] as const]
    }),
  )

/** The data dictionary of a REDCap project: a CSV with a record for each field. */
export const redcapDictionary: DefinitionFormat = {
  title: "REDCap data dictionary",
  read: (definition) => {
    if (definition._tag !== "Table") return undefined
    const [header = [], ...records] = definition.records
    const titles = header.map(oneLine)
    const at = (names: ReadonlyArray<string>) => titles.findIndex((title) => names.includes(title))
    const [field, type, label, choices] = [columns.field, columns.type, columns.label, columns.choices].map(at)
    if (field === undefined || field < 0) return undefined
    if (type === undefined || type < 0 || label === undefined || label < 0 || choices === undefined || choices < 0) {
      const missing = Object.values(columns).find((names) => at(names) < 0)?.[0] ?? ""
      return `Its header, on line 1, looks like a REDCap data dictionary's, but has no column "${missing}".`
    }
    const found: Array<readonly [string, ColumnLabels]> = []
    for (const record of records) {
      const name = oneLine(record[field] ?? "")
      if (name === "") continue
      const [kind, title, listed] = [oneLine(record[type] ?? ""), plainText(record[label] ?? ""), record[choices] ?? ""]
      const options = kind === "yesno"
        ? yesNo
        : kind === "truefalse"
        ? trueFalse
        : chosen.has(kind)
        ? choicesOf(listed)
        : new Map<string, string>()
      if (chosen.has(kind) && options.size === 0) {
        return `Its field "${name}" is a ${kind} without choices. Download the data dictionary again.`
      }
      if (kind !== "checkbox") {
        found.push([name, { title, options }])
        continue
      }
      for (const [code, text] of options) {
        // REDCap appends the code to a column's name, which may contain only letters, digits and underscores.
        const written = code.toLowerCase().replaceAll(/[^a-z0-9]/g, "_")
        found.push([`${name}___${written}`, { title, part: { code: written, label: text }, options: new Map() }])
      }
    }
    return collectLabels(found)
  },
}
