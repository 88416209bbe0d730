import { oneLine } from "../domain/words.ts"
import { collectLabels, type ColumnLabels, type DefinitionFormat, type Labels, labelsOf, plainText } from "./Labels.ts"

type Records = ReadonlyArray<ReadonlyArray<string>>

/** A sheet's rows by column. */
interface Sheet {
  readonly titles: ReadonlyArray<string>
  readonly rows: ReadonlyArray<(column: string) => string>
}

/** Reads a sheet: its first filled record is the header. Titles are compared in lower case, and `list name` means `list_name`. */
const sheetOf = (records: Records): Sheet => {
  const [header = [], ...rows] = records.filter((record) => record.some((cell) => cell.trim() !== ""))
  const titles = header.map((title) => oneLine(title).toLowerCase().replaceAll(" ", "_"))
  return {
    titles,
    rows: rows.map((record) => (column) => record[titles.indexOf(column)]?.trim() ?? ""),
  }
}

const names = new Set(["survey", "choices", "settings", "external_choices", "entities", "osm", "cascades", "columns"])

/** Returns the sheets of an XLSForm that was saved as one CSV file. Each sheet's name is in the first column, above its rows. */
const sheetsIn = (records: Records): ReadonlyMap<string, Records> => {
  const sheets = new Map<string, Array<ReadonlyArray<string>>>()
  let sheet: Array<ReadonlyArray<string>> | undefined
  for (const [first = "", ...cells] of records) {
    const name = oneLine(first).toLowerCase()
    if (names.has(name) && cells.every((cell) => cell.trim() === "")) sheets.set(name, sheet = [])
    else sheet?.push(cells)
  }
  return sheets
}

/** Returns the column with the labels: in the form's default language, otherwise the first one. */
const labelColumn = ({ titles }: Sheet, language: string): string | undefined => {
  const all = titles.filter((title) => /^label(?:::?.*)?$/.test(title))
  const inLanguage = all.find((title) => title.replace(/^label::?/, "") === language)
  return inLanguage ?? (all.includes("label") ? "label" : all[0])
}

/** `select_one LIST`, `select_multiple LIST or_other`, `select all that apply from LIST`, `rank LIST`. */
const select =
  /^(select[ _]one|select[ _](?:multiple|all that apply)|rank|add select (?:one|multiple) prompt using)(?: from)?\s+(\S+)\s*(.*)$/i

const group = /^(begin|end)[ _](?:group|repeat|loop)\b/i

const read = (sheets: ReadonlyMap<string, Records>): Labels | string => {
  const survey = sheetOf(sheets.get("survey") ?? [])
  const missing = ["type", "name"].find((title) => !survey.titles.includes(title))
  if (missing !== undefined) return `Its sheet "survey" has no column "${missing}", which an XLSForm needs.`
  const settings = sheetOf(sheets.get("settings") ?? [])
  const language = (settings.rows[0]?.("default_language") ?? "").toLowerCase().replaceAll(" ", "_")
  const titleColumn = labelColumn(survey, language)
  const choices = sheetOf(sheets.get("choices") ?? [])
  const choiceColumn = labelColumn(choices, language)
  const lists = new Map<string, Array<readonly [code: string, label: string]>>()
  for (const choice of choices.rows) {
    const [list, code] = [choice("list_name"), choice("name") || choice("value")]
    if (list === "" || code === "") continue
    const options = lists.get(list) ?? []
    lists.set(list, options)
    options.push([code, plainText(choiceColumn === undefined ? "" : choice(choiceColumn)) || code])
  }

  const times = new Map<string, number>()
  for (const row of survey.rows) times.set(row("name"), (times.get(row("name")) ?? 0) + 1)
  const whole: Array<readonly [string, ColumnLabels]> = []
  const parts: Array<readonly [string, ColumnLabels]> = []
  const groups: Array<string> = []
  for (const row of survey.rows) {
    const [type, name] = [row("type"), row("name")]
    const border = group.exec(type)?.[1]?.toLowerCase()
    if (border === "begin") groups.push(name)
    if (border === "end") groups.pop()
    if (border !== undefined || name === "") continue
    const title = titleColumn === undefined ? "" : plainText(row(titleColumn))
    // KoboToolbox and ODK Central put the question's groups before its name, with different separators. A unique name may also occur without groups.
    const paths = [
      ...["/", "-"].map((sign) => [...groups, name].join(sign)),
      ...(groups.length > 0 && times.get(name) === 1 ? [name] : []),
    ]
    const [, how = "", list = "", rest = ""] = select.exec(type) ?? []
    const listed = lists.get(list)
    if (
      how !== "" && listed === undefined && !/\.(?:csv|xml|geojson)$/i.test(list) && !list.startsWith("${")
      && sheets.has("choices")
    ) {
      return `Its question "${name}", in the sheet "survey", uses the list "${list}", which the sheet "choices" does not have.`
    }
    const hasOther = /^or[ _](?:other|specify other)/i.test(rest)
    const options = new Map([...labelsOf(listed ?? []), ...(hasOther ? [["other", "Other"]] as const : [])])
    const isSeveral = /multiple|all that apply/i.test(how)
    const split = isSeveral || how.toLowerCase() === "rank" ? { split: " " } : {}
    for (const path of paths) {
      const part = (end: string, code: string, label: string) =>
        parts.push([path + end, { title, part: { code, label }, options: new Map() }])
      whole.push([path, { title, options, ...split }])
      if (isSeveral) { for (const [code, label] of options) part(`/${code}`, code, label) }
      if (hasOther) part("_other", `${name}_other`, "Other")
    }
  }
  // A question may have the same name as a part of another question. Then the question comes first.
  return collectLabels([...whole, ...parts])
}

/** An XLSForm, the file from which KoboToolbox, ODK and SurveyCTO make a form: a workbook, or a CSV of its sheets. */
export const xlsForm: DefinitionFormat = {
  title: "XLSForm",
  read: (definition) => {
    if (definition._tag === "Sheets") {
      if (definition.sheets.has("survey")) return read(definition.sheets)
      return `Its sheets are ${
        [...definition.sheets.keys()].map((name) => `"${name}"`).join(", ")
      }: an XLSForm has a sheet "survey".`
    }
    if (definition._tag !== "Table") return undefined
    const sheets = sheetsIn(definition.records)
    if (sheets.has("survey")) return read(sheets)
    // The sheet "survey" alone: it has titles, but no labels of options.
    const { titles } = sheetOf(definition.records)
    return titles.includes("type") && titles.includes("name") && titles.some((title) => title.startsWith("label"))
      ? read(new Map([["survey", definition.records]]))
      : undefined
  },
}
