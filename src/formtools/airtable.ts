import { type Cell, JsonCell } from "../domain/cell.ts"
import { isObject, type Json } from "../domain/json.ts"
import type { Column } from "../domain/row.ts"
import type { FormTool, RecordTool } from "./FormTool.ts"
import { memberOf, objectsIn, type RecordColumn, recordLayout, textIn } from "./recordColumns.ts"
import { cellsOf, evidence } from "./sample.ts"

const prefix = "fields."

/** Returns an item of a list as a CSV file contains it: a text, an attachment with its address, or a person's name. Undefined if it can't be distinguished in a list. */
const itemText = (item: Json): string | undefined => {
  if (typeof item === "string") return /[,"\n]/.test(item) ? undefined : item
  if (!isObject(item)) return undefined
  const [url, file] = [textIn(item["url"]), textIn(item["filename"])]
  return url === undefined ? textIn(item["name"]) ?? textIn(item["email"]) : `${file ?? "file"} (${url})`
}

/** Returns a cell as a CSV file contains it, where that is known. */
const exported = (cell: Cell): Cell => {
  if (typeof cell === "boolean") return cell ? "checked" : null
  if (!(cell instanceof JsonCell) || !Array.isArray(cell.value)) return cell
  const items = (cell.value as ReadonlyArray<Json>).map(itemText)
  return items.includes(undefined) ? cell : items.length === 0 ? null : items.join(",")
}

/** Returns the fields of the table that the records belong to: the one that has most of their fields. The definition contains all tables of a base. */
const fieldsIn = (definition: Json | undefined, columns: ReadonlyArray<Column>): ReadonlyArray<string> => {
  const titles = columns.flatMap(({ title }) => title.startsWith(prefix) ? [title.slice(prefix.length)] : [])
  const isOf = (field: string) => (title: string) => title === field || title.startsWith(`${field}.`)
  const tables = objectsIn(memberOf(definition, "tables")).map((table) => {
    const fields = objectsIn(table["fields"]).flatMap((field) => textIn(field["name"]) ?? [])
    return { fields, shared: titles.filter((title) => fields.some((field) => isOf(field)(title))).length }
  })
  const [best] = tables.toSorted((a, b) => b.shared - a.shared || a.fields.length - b.fields.length)
  return best === undefined || best.shared === 0 ? [] : best.fields
}

/** Airtable's API: the records in `records`, with the columns of a grid view's CSV. The base's definition adds fields that are empty in all records. */
const airtableRecords: RecordTool = {
  recognise: (members) =>
    members.has("id") && members.has("createdTime") && [...members].some((member) => member.startsWith(prefix))
      ? evidence([0.9, `records have "id", "createdTime" and "fields"`])
      : undefined,
  learn: (columns, definition) => {
    const read = (title: string, position: number, rest: Partial<RecordColumn<undefined>> = {}) => ({
      title,
      cell: (_: undefined, row: ReadonlyArray<Cell>) => exported(row[position] ?? null),
      ...rest,
    })
    const own = new Map<string, RecordColumn<undefined>>()
    const fields = new Map<string, RecordColumn<undefined> | undefined>(
      fieldsIn(definition, columns).map((name) => [name, undefined]),
    )
    for (const { position, title } of columns) {
      const name = title.startsWith(prefix) ? title.slice(prefix.length) : undefined
      // A person is an object of which a CSV file contains the name.
      const person = name === undefined ? undefined : /^(.+)\.name$/.exec(name)?.[1]
      if (name !== undefined) {
        const isPerson = person !== undefined && fields.has(person) && fields.get(person) === undefined
        fields.set(isPerson ? person : name, read(isPerson ? person : name, position))
      } else if (title === "id") own.set(title, read("Airtable record ID", position, { meta: { role: "id" } }))
      else if (title === "createdTime") {
        own.set(title, read("Airtable created time", position, { meta: { role: "submitted", format: "iso" } }))
      } else own.set(title, read(title, position, { meta: { role: "note" } }))
    }
    return {
      add: () => undefined,
      layout: () =>
        recordLayout(
          [
            ...[...fields].map(([name, column]) => column ?? { title: name, cell: () => null }),
            ...own.values(),
          ],
          () => undefined,
          {
            variant: "API",
            notes: [
              "Links to Airtable's attachments expire about two hours after the pull.",
              "Numbers, dates and linked records are as Airtable stores them, not as a view shows them.",
            ],
          },
        ),
    }
  },
}

const attachment = /\(https:\/\/[\w.-]*airtableusercontent\.com\//

/** Airtable: the CSV file of a grid view. It has no columns of its own, so only its name and its links identify it. */
export const airtable: FormTool = {
  name: "airtable",
  title: "Airtable",
  records: airtableRecords,
  recognise: (sample) => {
    const linked = sample.titles.some((_, position) => cellsOf(sample, position).some((cell) => attachment.test(cell)))
    return evidence(
      /.-Grid view(?: ?\(\d+\))?\.csv$/i.test(sample.file)
        && [0.5, `the file is named like a grid view: "${sample.file}"`],
      linked && [0.7, "cells contain links to Airtable's attachments"],
    )
  },
  layout: () => ({ notes: ["Links to Airtable's attachments expire a few hours after the export."] }),
}
