import type * as Types from "effect/Types"
import { hash } from "node:crypto"
import { countIn, isList, type Json, valueText } from "../../domain/json.ts"
import { count } from "../../domain/words.ts"
import type { Pull } from "../../project/pull.ts"
import { unpaired } from "../columns.ts"
import { valueAt } from "../json/pointer.ts"
import { limits } from "../limits.ts"
import { linkIn, shown } from "./answer.ts"
import type { Stated } from "./distinct.ts"

/** The pages are not as the pipeline says. The message is the end of a sentence. */
export class Unpaged extends Error {}

/** Records were deleted, arrived or were edited while the pages were read, so one may have been skipped. The message is the end of a sentence. */
export class Moved extends Unpaged {}

/** The values of a request that change from page to page. */
export interface Variables {
  readonly offset?: number | undefined
  readonly number?: number | undefined
  readonly cursor?: string | number | undefined
  readonly since?: string | number | undefined
  readonly until?: string | number | undefined
}

const digest = (text: string): string => hash("sha256", text, "base64")

/**
 * Makes lines of the records of a page: a JSON line of each, or a row of CSV if the records are lists of cells, of which the
 * first is the header. Shorter rows are padded. Throws `Unpaged`.
 */
const recordLines = () => {
  let width: number | undefined
  let header = ""
  const cell = (value: Json | undefined): string => {
    const text = valueText(value ?? "")
    if (!text.isWellFormed()) {
      throw new Unpaged(`sent a cell with ${unpaired} Nothing was imported. Correct it in the tool.`)
    }
    return `"${text.replaceAll('"', '""')}"`
  }
  const line = (row: Json, columns: number): string => {
    if (!isList(row) || row.length > columns) {
      throw new Unpaged(
        "sent records that are not rows of one table. Correct `source.records`, or the range in `source.request`.",
      )
    }
    return `${Array.from({ length: columns }, (_, at) => cell(row[at])).join(",")}\n`
  }
  return {
    isTable: () => width !== undefined,
    /** Whether a later page begins with the header of the first one. */
    repeatsHeader: ([first]: ReadonlyArray<Json>): boolean =>
      width !== undefined && first !== undefined && line(first, width) === header,
    lines: (records: ReadonlyArray<Json>, isFirst: boolean): string => {
      const [first = null] = records
      if (isFirst && isList(first)) {
        width = records.reduce<number>((most, row) => isList(row) ? Math.max(most, row.length) : most, 1)
        header = line(first, width)
      }
      if (width === undefined) return records.map((record) => `${JSON.stringify(record)}\n`).join("")
      const columns = width
      return records.map((row) => line(row, columns)).join("")
    },
  }
}

/** Reads the number of all records from the pages, at the place that the pipeline names. It may state how many remain after the first page. */
const statedTotal = (place: NonNullable<Pull["page"]>["total"]) => {
  const at = place === undefined ? undefined : "at" in place ? place.at : place.remaining
  const isRemaining = place !== undefined && "remaining" in place
  let total: number | undefined
  return {
    /** Returns the number, if it is known. */
    get: () => total,
    read: (json: Json): void => {
      if (at === undefined || (isRemaining && total !== undefined)) return
      const stated = countIn(valueAt(json, at))
      // Some tools send -1 if they don't know it.
      if (stated === undefined || stated < 0) {
        throw new Unpaged(`sent a page without a number at ${at}. Correct \`page.total\`.`)
      }
      if (stated < (total ?? 0)) {
        throw new Moved(
          `lost records while it was read: ${at} was ${count(total ?? 0)}, then ${
            count(stated)
          }. Others may have moved to pages that were already read. Nothing was imported. Run again.`,
        )
      }
      total = stated
    },
    /** Whether so many records can't be right, whatever follows. */
    isExceededBy: (records: number): boolean => !isRemaining && total !== undefined && records > total,
    /** Whether so many records are certainly all. */
    isReachedBy: (records: number): boolean => !isRemaining && total === records,
    stated: (received: number): Stated | undefined =>
      total === undefined || at === undefined ? undefined : { total, at, received },
    /** Returns why the records that were received can't be all, or undefined. */
    fault: (received: number): string | undefined => {
      // Records that arrive during the pull are not in the number of the first page.
      if (total === undefined || received === total || (isRemaining && received > total)) return undefined
      return `has ${count(total)} records according to ${at}, but sent ${
        count(received)
      }. Nothing was imported. Run again. If it happens again, check the order and the filters in \`source.request\`.`
    },
  }
}

/** Checks the pages of a pull in order, and finds the next one. Errors are the end of a sentence about the source. */
export const pager = ({ page, records: place, since }: Pull, times: Pick<Variables, "since" | "until">) => {
  const variables: Types.Mutable<Variables> = {
    ...times,
    offset: page?.offset,
    number: page?.number,
    ...(page?.last !== undefined && page.last === since?.at && { cursor: times.since }),
  }
  const seen = new Set<string>()
  /** The digests of records by id. */
  const known = new Map<string, string>()
  const counts = { records: 0, pages: 0 }
  /** The number of pages without records since the last record. */
  let empty = 0
  /**
   * For pages by `{offset}`, which overlap by one record, after a page with a single record: whether the next page was requested without overlap, and
   * then whether it was empty.
   */
  let ahead: "requested" | "empty" | "filled" | undefined
  /** For pages by `{offset}`: the digests of the records of the last page. Undefined before the first page. */
  let before: ReadonlySet<string> | undefined
  const made = recordLines()
  const total = statedTotal(page?.total)
  /** Returns how many different records were received, if they have ids. Otherwise, how many records. */
  const received = () => page?.id === undefined ? counts.records : known.size

  const recordsOf = (json: Json): ReadonlyArray<Json> => {
    const records = valueAt(json, place)
    if (Array.isArray(records)) {
      const all = records as ReadonlyArray<Json>
      if (!made.repeatsHeader(all) || (page?.offset !== undefined && variables.offset === page.offset)) return all
      if (page?.offset === undefined) return all.slice(1)
      throw new Unpaged(
        "repeats its header in each page, so `{offset}` would skip records. Nothing was imported. Request all rows in one page, or use a different `source.page`.",
      )
    }
    const lists = typeof json === "object" && json !== null
      ? Object.entries(json).flatMap(([name, value]) => Array.isArray(value) ? [`/${name}`] : [])
      : []
    const hint = lists.length === 0 ? "" : ` It has a list at ${lists.join(", ")}.`
    const where = place === "" ? "its top" : place
    if (counts.pages === 0) {
      const isEmpty = lists.length === 0 ? ". If the tool omits an empty list, run again when there are records" : ""
      throw new Unpaged(
        `sent a page without a list of records at ${where}.${hint} Correct \`source.records\`${isEmpty}.`,
      )
    }
    throw new Unpaged(
      `sent page ${
        count(counts.pages + 1)
      } without a list of records at ${where}, unlike the pages before it.${hint} Nothing was imported. Run again. If it happens again, correct \`source.page\`, so that this page is not requested.`,
    )
  }

  /** Returns what identifies a record: its id, or its digest if `page.id` is not set. */
  const keyOf = (record: Json): string => {
    if (page?.id === undefined) return digest(JSON.stringify(record))
    const id = valueAt(record, page.id)
    if (id === undefined || id === null || id === "") {
      throw new Unpaged(`sent a record without ${page.id}. Correct \`page.id\`.`)
    }
    // Row keys are texts, too: 7 and "7" are the same record.
    return valueText(id)
  }

  /**
   * Checks that a page by `{offset}` begins with a known record. All records before that one were then received, and all others follow, even if records
   * were deleted or added. Otherwise a record may have been skipped.
   */
  const requireOverlap = ([first]: ReadonlyArray<Json>): void => {
    if (before === undefined || (first !== undefined && (before.has(keyOf(first)) || known.has(keyOf(first))))) return
    throw new Moved(
      `moved records while it was read: page ${
        count(counts.pages + 1)
      } does not begin with a record that was already received, so another one may have been skipped. Nothing was imported. Run again. If it happens again, ask for an order that doesn't change in \`source.request\`.`,
    )
  }

  /** Returns the records that no earlier page contained. A record that has changed since is kept, so that the row key shows the difference. */
  const newIn = (records: ReadonlyArray<Json>): ReadonlyArray<Json> => {
    if (page?.id === undefined) return before === undefined ? records : records.slice(1)
    return records.filter((record) => {
      const [key, content] = [keyOf(record), digest(JSON.stringify(record))]
      const earlier = known.get(key)
      if (earlier === undefined) known.set(key, content)
      return earlier !== content
    })
  }

  const repeats =
    `repeats a page, so its last page would never come. Nothing was imported. Check \`source.page\` and the parameters in \`source.request\`.`

  const cursorFrom = (value: Json | undefined, where: string): string | number | undefined => {
    if (value === undefined || value === null || value === "") return undefined
    if (typeof value !== "string" && typeof value !== "number") {
      throw new Unpaged(`has ${shown(value)} at ${where}, which can't be a cursor. Correct \`source.page\`.`)
    }
    if (seen.size === seen.add(`cursor ${value}`).size) throw new Unpaged(repeats)
    return value
  }

  /** Returns whether there is another page by `{offset}`. The last page has a single record, which is known, after which there is nothing. */
  const nextOffset = (records: ReadonlyArray<Json>, isAhead: boolean): boolean => {
    const [offset, first] = [variables.offset ?? 0, page?.offset ?? 0]
    if (isAhead) {
      // Whether empty or not, it is proof only together with a page that begins with the last known record.
      ahead = records.length === 0 ? "empty" : "filled"
      variables.offset = offset - 1
      return true
    }
    if (records.length !== 1) {
      ahead = undefined
      variables.offset = offset + Math.max(0, records.length - 1)
      return records.length > 0
    }
    if (ahead === "empty" || (before !== undefined && total.isReachedBy(offset - first + 1))) return false
    if (ahead === "filled") {
      throw new Unpaged(
        "sends one record a page. Pages by `{offset}` must overlap by one record, so that none is skipped. Nothing was imported. Ask for larger pages in `source.request`.",
      )
    }
    ahead = "requested"
    variables.offset = offset + 1
    return true
  }

  /** Returns whether there is another page, and its address if the page contains it. */
  const next = (
    json: Json,
    records: ReadonlyArray<Json>,
    isAhead: boolean,
    headers: Headers,
    from: URL,
  ): URL | boolean => {
    if (page === undefined) return false
    if (isAhead && records.length > 0) return nextOffset(records, isAhead)
    if (page.end !== undefined) {
      const { at, is } = page.end
      const value = valueAt(json, at)
      if (value === undefined) throw new Unpaged(`sent a page without ${at}. Correct \`page.end\`.`)
      if (is.some((one) => String(one) === String(value))) return false
      if (records.length === 0) {
        throw new Unpaged(
          `sent a page without records, although ${at} says that it is not the last one. Nothing was imported.`,
        )
      }
    }
    if (page.link !== undefined) {
      const link = cursorFrom(valueAt(json, page.link), page.link)
      if (link === undefined) return false
      const url = linkIn(String(link), from, "its next page")
      if (typeof url === "string") throw new Unpaged(url)
      if (url === undefined) throw new Unpaged(`has no address at ${page.link}. Correct \`page.link\`.`)
      return url
    }
    if (page.cursor !== undefined) {
      variables.cursor = "at" in page.cursor
        ? cursorFrom(valueAt(json, page.cursor.at), page.cursor.at)
        : cursorFrom(headers.get(page.cursor.header), page.cursor.header)
      return variables.cursor !== undefined
    }
    if (page.offset !== undefined) return nextOffset(records, isAhead)
    if (records.length === 0) return false
    if (page.last !== undefined) {
      variables.cursor = cursorFrom(valueAt(records.at(-1) ?? null, page.last), page.last)
      if (variables.cursor === undefined) {
        throw new Unpaged(`sent a record without ${page.last}. Correct \`page.last\`.`)
      }
    }
    if (variables.number !== undefined) variables.number++
    return true
  }

  return {
    variables,
    counts,
    /** Returns the number of all records, if the tool states it. */
    total: total.get,
    /** Returns the smallest number of pages that may still come, if there is another one. */
    left: () => {
      const missing = (total.get() ?? 0) - counts.records
      return missing > 0 && counts.records > 0 ? Math.ceil(missing * counts.pages / counts.records) : 1
    },
    isTable: made.isTable,
    /** Takes a page. Returns its records as JSON lines, and what `next` returns. Throws `Unpaged`. */
    take: (json: Json, headers: Headers, from: URL) => {
      const records = recordsOf(json)
      const isAhead = ahead === "requested"
      if (page?.offset !== undefined && !isAhead) requireOverlap(records)
      const fresh = isAhead ? [] : newIn(records)
      const lines = made.lines(fresh, counts.pages === 0)
      // Records may contain something that changes with each request, such as the signed address of a file.
      const whole = digest(JSON.stringify(page?.id === undefined ? records : records.map(keyOf)))
      // The last record of pages by `{offset}` comes several times.
      const mayRepeat = records.length === 0 || (page?.offset !== undefined && records.length === 1 && !isAhead)
      if (seen.has(whole) && !mayRepeat) throw new Unpaged(repeats)
      if (!isAhead) seen.add(whole)
      counts.pages++
      counts.records += fresh.length
      total.read(json)
      if (total.isExceededBy(received())) throw new Moved(total.fault(received()))
      const following = next(json, records, isAhead, headers, from)
      if (page?.offset !== undefined && !isAhead) before = new Set(page.id === undefined ? records.map(keyOf) : [])
      empty = records.length === 0 ? empty + 1 : 0
      if (following !== false && empty === limits.emptyPages) {
        throw new Unpaged(
          `sent ${
            count(empty)
          } pages in a row without records, and each says that more follow. Nothing was imported. Correct \`source.page\` or the parameters in \`source.request\`.`,
        )
      }
      return { lines, records: fresh, following }
    },
    /** Returns how many records the tool states and how many were received, if records that came twice may be among them. */
    stated: () => page?.id === undefined ? total.stated(counts.records) : undefined,
    /** Returns why the records that were received can't be all, or undefined. */
    fault: () => total.fault(received()),
  }
}
