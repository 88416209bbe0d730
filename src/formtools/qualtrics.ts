import { cellText } from "../domain/cell.ts"
import { groupBy } from "../domain/groupBy.ts"
import { oneLine } from "../domain/words.ts"
import { blocksOf, type PartOf } from "./blocks.ts"
import type { FormTool, MetaColumn, Sample } from "./FormTool.ts"
import { evidence, foundTitles, has, meaningOf, type MetaTitles, withoutTags, withRole } from "./sample.ts"

const importId = /["']ImportId["']\s*:\s*["']([^"']*)["']/
const choiceId = /["']choiceId["']\s*:\s*["']?([^"',}]*)/
const timeZone = /["']timeZone["']\s*:\s*["']([^"']*)["']/

const time = { format: "yyyy-MM-dd HH:mm:ss" }

/** The tool's own columns, with their names in the first row, their ImportIds, or their names in earlier layouts. */
const ownTitles: MetaTitles = {
  startdate: { role: "started", ...time },
  enddate: { role: "submitted", ...time },
  status: "status",
  ipaddress: "ip",
  progress: "progress",
  "duration (in seconds)": "timing",
  duration: "timing",
  finished: "status",
  recordeddate: { role: "note", ...time },
  responseid: "id",
  _recordid: "id",
  responseset: "note",
  recipientlastname: "name",
  recipientfirstname: "name",
  name: "name",
  recipientemail: "email",
  emailaddress: "email",
  externalreference: "url",
  externaldatareference: "url",
  locationlatitude: "location",
  locationlongitude: "location",
  locationaccuracy: "location",
  distributionchannel: "note",
  userlanguage: "language",
}

const filled = (record: ReadonlyArray<string> | undefined) => record?.filter((cell) => cell.trim() !== "").length ?? 0

/** Returns the index (1 or 2) of the row of ImportIds below the names, or -1. */
const importRow = ({ records }: Sample): number =>
  records.findIndex((record, index) =>
    index > 0 && index < 3 && record.some((cell) => importId.test(cell)) && filled(records[0]) >= filled(record) * 0.8
  )

const lettered = (sample: Sample) =>
  sample.plain[0] === "v1" && sample.plain[1] === "v2"
  && ["ResponseID", "ResponseSet"].every((name) => sample.records[1]?.some((cell) => oneLine(cell) === name) === true)

/** The tool's own columns in which responses have digits or an id. Headers have words there, in any language. */
const dataColumns = new Set(["responseid", "startdate", "enddate", "recordeddate", "duration (in seconds)", "duration"])

/** Whether a cell of such a column is part of a response. */
const isData = (cell: string): boolean => /\d|^R_\w+$/.test(oneLine(cell)) && !importId.test(cell)

/** Whether a record below the names is a response. */
const isResponse = ({ plain }: Sample, record: ReadonlyArray<string>): boolean =>
  record.some((cell, at) => dataColumns.has(plain[at] ?? "") && isData(cell))

/** Returns the number of header rows if there are no ImportIds: the rows above the first response. */
const headerRowsByData = (sample: Sample): number => {
  if (!has(sample, "responseid")) return 1
  const first = sample.records.findIndex((record, index) => index > 0 && isResponse(sample, record))
  return first > 0 && first <= 3 ? first : 1
}

interface Header {
  readonly rows: number
  readonly names: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
}

const headerOf = (sample: Sample): Header => {
  const row = (index: number) => sample.records[index]?.map(oneLine) ?? []
  const ids = importRow(sample)
  if (ids > 0) return { rows: ids + 1, names: row(0), texts: row(ids === 2 ? 1 : 0), ids: sample.records[ids] ?? [] }
  if (lettered(sample)) {
    const below = row(1)
    const names = row(0).map((name, at) => (/^V\d+$/.test(name) || name === "" ? below[at] ?? "" : name))
    return { rows: 2, names, texts: below, ids: [] }
  }
  const rows = headerRowsByData(sample)
  return { rows, names: row(0), texts: rows > 1 ? row(1) : row(0), ids: [] }
}

/** Splits names such as `Q2_1` and `Q2_5_TEXT`, or ImportIds such as `QID2_1`, `QID2-1`, `QID2#1_1`, into the question and its part. */
const partOf = (
  name: string,
  cell: string,
): { readonly question: string; readonly part: string; readonly text: boolean } | undefined => {
  const id = importId.exec(cell)?.[1]
  const choice = choiceId.exec(cell)?.[1]
  if (id !== undefined && choice !== undefined && /^(?:\d+_)?QID\d+$/.test(id)) {
    return { question: id, part: choice, text: false }
  }
  const [, question, part, text] = id === undefined
    ? /^(.*?\D*\d+(?:#\d+)?)_(x?\d+(?:_\d+)*)(_TEXT)?$/.exec(name) ?? []
    : /^((?:\d+_)?QID\d+(?:#\d+)?)[-_](x?\d+(?:_\d+)*)([-_]TEXT)?$/.exec(id) ?? []
  return question === undefined || part === undefined ? undefined : { question, part, text: text !== undefined }
}

/** Returns the longest prefix, up to a " - ", that all texts of a question share: `Question - Choice`. */
const commonQuestion = (texts: ReadonlyArray<string>): string | undefined => {
  const [first = ""] = texts
  for (let at = first.lastIndexOf(" - "); at > 0; at = first.lastIndexOf(" - ", at - 1)) {
    const beginning = first.slice(0, at + 3)
    if (texts.every((text) => text.startsWith(beginning))) return first.slice(0, at)
  }
  return undefined
}

const blocks = (header: Header, own: ReadonlySet<number>) => {
  const parts = header.names.flatMap((name, position) => {
    const part = own.has(position) ? undefined : partOf(name, header.ids[position] ?? "")
    // If an option has a text, Qualtrics writes `Question - Selected Choice - Option` and `Question - Option - Text`.
    const label = (header.texts[position] ?? "").replace(" - Selected Choice - ", " - ")
    return part === undefined ? [] : [{ ...part, position, label }]
  })
  const questions = groupBy(parts, ({ question }) => question)
  const found = parts.map(({ label, part, position, question, text }): PartOf => {
    const shared = commonQuestion((questions.get(question) ?? []).map(({ label }) => label))
    // If no text identifies the question, the common prefix of its parts' names identifies it.
    const name = (header.names[position] ?? "").replace(/(?:_x?\d+)+(?:_TEXT)?$/, "")
    const own = shared === undefined ? part : label.slice(shared.length + 3)
    const option = text ? own.replace(/ - Text$/, "") : own
    return { position, question: shared === undefined ? name : shared, option, role: text ? "text" : "option" }
  })
  return blocksOf(found)
}

/** Qualtrics: CSV and TSV, with three header rows, in earlier layouts, or with an incomplete header. */
export const qualtrics: FormTool = {
  name: "qualtrics",
  title: "Qualtrics",
  recognise: (sample) => {
    const ids = importRow(sample)
    const now = foundTitles(sample, ["ResponseId", "Duration (in seconds)", "RecordedDate"])
    const before = has(sample, "responseid") && has(sample, "responseset")
    const letters = lettered(sample)
    if (ids < 0 && now.count < 2 && !before && !letters) return undefined
    return evidence(
      ids > 0 && [0.9, `row ${ids + 1} of the header contains ImportIds`],
      letters && [0.9, `the header is V1, V2, … above "ResponseID" and "ResponseSet"`],
      now.count >= 2 && [now.count === 3 ? 0.9 : 0.5, now.reason],
      before && [0.9, `there are columns "ResponseID" and "ResponseSet"`],
    )
  },
  layout: (sample) => {
    const header = headerOf(sample)
    const seen = new Set<string>()
    const meta = header.names.flatMap((name, position): ReadonlyArray<MetaColumn> => {
      const id = importId.exec(header.ids[position] ?? "")?.[1]
      if (id !== undefined && /^(?:\d+_)?QID\d/.test(id)) return []
      const word = (id !== undefined && meaningOf(ownTitles, id) !== undefined ? id : name).toLowerCase()
      const known = meaningOf(ownTitles, word)
      if (known === undefined || seen.has(word)) return []
      seen.add(word)
      const zone = timeZone.exec(header.ids[position] ?? "")?.[1]
      return [{
        position,
        ...known,
        ...(zone === undefined || zone === "" ? {} : { zone: zone === "Z" ? "UTC" : zone }),
      }]
    })
    const own = new Set(meta.map(({ position }) => position))
    const data = sample.plain.flatMap((title, at) => dataColumns.has(title) ? [at] : [])
    const finished = header.names.findIndex((name) => name.toLowerCase() === "finished")
    return {
      variant: header.rows === 1 ? "one header row" : `${header.rows === 2 ? "two" : "three"} header rows`,
      headerRows: header.rows,
      titles: header.names,
      labels: header.texts.map(withoutTags),
      meta,
      blocks: blocks(header, own),
      key: withRole(meta, "id").slice(0, 1),
      isHeader: (cells) => {
        const texts = data.map((at) => cellText(cells[at])).filter((text) => text.trim() !== "")
        return texts.length > 1 && !texts.some(isData)
      },
      ...(finished < 0 ? {} : { complete: { position: finished, is: ["1", "True", "TRUE", "true"] } }),
      notes: [
        'Depending on the export settings, -99 may mean "seen and not answered": if so, set `empty: ["-99"]`.',
        ...(meta.some(({ role, position }) => role === "status" && position !== finished)
          ? ['Test responses (Status 1, 2 or "Survey Preview") are in the file, too: skip them with `where`.']
          : []),
      ],
    }
  },
}
