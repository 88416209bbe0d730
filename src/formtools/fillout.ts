import { cellOf, cellText } from "../domain/cell.ts"
import { isObject, type Json, type JsonObject } from "../domain/json.ts"
import { monthNumber } from "../domain/months.ts"
import type { Cells } from "../domain/row.ts"
import type { FormTool, RecordTool } from "./FormTool.ts"
import { listOf, memberOf, objectsIn, ownColumn, type RecordColumn, recordLayout, textIn } from "./recordColumns.ts"
import {
  cleansAt,
  completeBy,
  evidence,
  foundTitles,
  has,
  meaningOf,
  metaOf,
  type MetaTitles,
  nothingWhen,
  rewritten,
} from "./sample.ts"

/** The lists of answers in a submission, in the order of an export. */
const lists = ["questions", "payments", "urlParameters", "calculations", "scheduling", "documents"] as const

/** A question, payment, parameter or calculation, by its list and id. */
interface Entry {
  readonly id: string
  readonly list: (typeof lists)[number]
  name: string
  type: string | undefined
  /** Members of addresses that an export has no column for. */
  readonly more: Set<string>
}

/** The values of a submission by list and id. */
type Found = ReadonlyMap<string, Json>

type SubmissionColumn = RecordColumn<Found>

/** The columns of an address, each with the member that it contains. */
const addressColumns = [
  ["Address", "address"],
  ["Address line 2", "addressLine2"],
  ["City", "city"],
  ["State/Province", "state"],
  ["Zip/Postal code", "zipCode"],
  ["Country", "country"],
] as const

const addressMembers = new Set<string>(addressColumns.map(([, member]) => member))

const keyOf = (list: Entry["list"], id: string): string => `${list} ${id}`

const columnsOf = ({ id, list, more, name, type }: Entry): ReadonlyArray<SubmissionColumn> => {
  const value = (found: Found) => found.get(keyOf(list, id))
  const role = list === "questions" ? undefined : list === "payments" ? "payment" : "url"
  if (type !== "Address") {
    return [{ title: name, ...(role && { meta: { role } }), cell: (found) => cellOf(value(found)) }]
  }
  return [...addressColumns, ...[...more].map((member) => [member, member] as const)].map(([title, member]) => ({
    title: `${title} (${name})`,
    cell: (found) => {
      const address = value(found)
      // An address in one text has no parts.
      return isObject(address) ? cellOf(address[member]) : member === "address" ? cellOf(address) : null
    },
  }))
}

const iso = { format: "iso" }

/** The tool's own columns in an export. */
const ownTitles: MetaTitles = {
  "submission id": "id",
  "last updated": { role: "lastUpdated", ...iso },
  "submission started": { role: "started", ...iso },
  status: "status",
  "current step": "progress",
  "created records": "note",
  errors: "note",
  url: "url",
  "network id": "note",
}

/** The tool's own columns in the order of an export, with the members that contain them. */
const ownColumns = [
  ["Submission ID", "submissionId"],
  ["Last updated", "lastUpdatedAt"],
  ["Submission started", "startedAt"],
] as const

/** Fillout's API: the records in `responses`, with the columns of an export. The form's definition adds questions that no submission answers. */
const filloutSubmissions: RecordTool = {
  recognise: (members) => {
    if (!members.has("submissionId") || !members.has("questions")) return undefined
    return evidence(
      [0.7, `records have "submissionId" and "questions"`],
      members.has("submissionTime") && [0.3, `and "submissionTime"`],
    )
  },
  learn: (columns, definition) => {
    const at = (name: string) => columns.findIndex(({ title }) => title === name)
    const places = new Map(lists.map((list) => [list, at(list)]))
    const entries = new Map<string, Entry>()
    const note = (list: Entry["list"], one: JsonObject) => {
      const id = textIn(one["id"])
      if (id === undefined) return undefined
      const key = keyOf(list, id)
      const entry = entries.get(key)
        ?? { id, list, name: textIn(one["name"]) ?? id, type: textIn(one["type"]), more: new Set() }
      entries.set(key, entry)
      return entry
    }
    for (const list of lists) for (const one of objectsIn(memberOf(definition, list))) note(list, one)
    const eachIn = (row: Cells, use: (list: Entry["list"], one: JsonObject) => void) => {
      for (const [list, place] of places) for (const one of listOf(row[place])) if (isObject(one)) use(list, one)
    }
    const valueOf = (one: JsonObject): Json => one["value"] ?? one["url"] ?? null
    const find = (row: Cells): Found => {
      const found = new Map<string, Json>()
      eachIn(row, (list, one) => found.set(keyOf(list, textIn(one["id"]) ?? ""), valueOf(one)))
      return found
    }
    return {
      add: (row) =>
        eachIn(row, (list, one) => {
          const entry = note(list, one)
          const value = valueOf(one)
          if (entry?.type !== "Address" || !isObject(value)) return
          for (const member of Object.keys(value)) {
            if (!addressMembers.has(member) && cellText(cellOf(value[member])) !== "") entry.more.add(member)
          }
        }),
      layout: () => {
        const kept = columns.filter(({ title }) =>
          !(lists as ReadonlyArray<string>).includes(title) && !ownColumns.some(([, member]) => member === title)
        )
        const made: ReadonlyArray<SubmissionColumn> = [
          ...ownColumns.map(([title, member]) => ownColumn(title, at(member), meaningOf(ownTitles, title))),
          ...lists.flatMap((list) => [...entries.values()].filter((entry) => entry.list === list).flatMap(columnsOf)),
          ...kept.map(({ position, title }) =>
            title === "submissionTime"
              ? ownColumn("Submission time", position, { role: "submitted", ...iso })
              : ownColumn(title, position, { role: title === "quiz.score" ? "score" : "note" })
          ),
        ]
        return recordLayout(made, find, {
          variant: "API",
        })
      },
    }
  },
}

const written = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d\d)(\d\d)(?: \([^()]*\))?$/

/** Converts a time in JavaScript's notation to ISO. Uses the offset, and ignores the zone's name in brackets. */
const isoOfDate = (text: string): string => {
  const [, name = "", day, year, time, hours, minutes] = written.exec(text.trim()) ?? []
  const month = monthNumber(name)
  return month === undefined ? text : `${year}-${String(month).padStart(2, "0")}-${day}T${time}${hours}:${minutes}`
}

/** Fillout's own results as CSV, which is the form service's export of its submissions. */
export const fillout: FormTool = {
  name: "fillout",
  title: "Fillout",
  records: filloutSubmissions,
  recognise: (sample) => {
    const own = foundTitles(sample, ["Submission ID", "Last updated", "Submission started", "Current step"])
    if (own.count < 3 || has(sample, "respondent id")) return undefined
    const tail = foundTitles(sample, ["Errors", "Url", "Network ID"])
    return evidence([own.count === 4 ? 0.8 : 0.6, own.reason], tail.count > 0 && [0.2, tail.reason])
  },
  layout: (sample) => {
    // A question may also be called "Status" or "Url". The tool's own columns are at the beginning and at the end.
    const own = [
      ...metaOf({ plain: sample.plain.slice(0, 6) }, ownTitles),
      ...metaOf(
        { plain: sample.plain.map((title, at) => (at < sample.plain.length - 3 || at < 6 ? "" : title)) },
        ownTitles,
      ),
    ].filter(({ position }, index, all) => all.findIndex((one) => one.position === position) === index)
    const errors = own.filter(({ position }) => sample.plain[position] === "errors").map(({ position }) => position)
    return {
      meta: own,
      cleanAll: rewritten(isoOfDate),
      cleans: cleansAt(errors, nothingWhen("None")),
      ...completeBy(own, "status", ["finished"]),
    }
  },
}
