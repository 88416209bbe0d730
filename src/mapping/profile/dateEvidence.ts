import { type Cell, DateCell } from "../../domain/cell.ts"
import { monthNumber } from "../../domain/months.ts"
import { readIso, timeOf } from "../../kinds/wallClock.ts"

const datePattern = /^(\d{1,4}|[A-Za-z]{3,9})([-./ ]|\. )(\d{1,2}|[A-Za-z]{3,9})([-./ ]|\. |, )(\d{1,4})(?!\d)/

const timePattern = /^([T ,]+)?(\d{1,2}):\d{2}(:\d{2})?(\.\d{3})?( ?[AaPp][Mm])?( ?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d))?$/

/** Which of a date's numbers is the day, and which is the month. */
type DayOrder = "dM" | "Md" | "d"

/**
 * Returns the date at the start of a text: its luxon format, with # for each number that is a day or a month (`#/#/yyyy`, `#. MMM yyyy`), the possible
 * orders of these numbers, whether they have two digits, and the rest of the text.
 */
const dateIn = (text: string) => {
  const found = datePattern.exec(text)
  if (found === null) return undefined
  const [whole, first = "", sign = "", second = "", next = "", third = ""] = found
  const isYearFirst = /^\d{4}$/.test(first)
  const [year, ...parts] = isYearFirst ? [first, second, third] : [third, first, second]
  const numbers = parts.filter((part) => /^\d{1,2}$/.test(part))
  const month = parts.find((part) => !/\d/.test(part))
  const isKnown = month === undefined
    ? numbers.length === 2 && sign === next
    : numbers.length === 1 && monthNumber(month) !== undefined && !isYearFirst
  if (!isKnown || year.length % 2 !== 0) return undefined
  // If the year comes first, the order is year, month, day.
  const known: ReadonlyArray<DayOrder> = month !== undefined ? ["d"] : isYearFirst ? ["Md"] : ["dM", "Md"]
  const isInRange = (number: string, letter: string | undefined) =>
    Number(number) >= 1 && Number(number) <= (letter === "d" ? 31 : 12)
  const orders = known.filter((order) => numbers.every((number, at) => isInRange(number, order[at])))
  const letters = [first, second, third].map((part, at) =>
    at === (isYearFirst ? 0 : 2) ? "y".repeat(part.length) : part !== month ? "#" : part.length === 3 ? "MMM" : "MMMM"
  )
  return orders.length === 0 ? undefined : {
    date: `${letters[0]}${sign}${letters[1]}${next}${letters[2]}`,
    orders,
    isPadded: numbers.every((number) => number.length === 2),
    rest: text.slice(whole.length),
  }
}

/** Returns the luxon format of a time, with a single letter for hours. Undefined if a text is not a time. */
const timeIn = (text: string) => {
  const found = timePattern.exec(text)
  if (found === null) return undefined
  const [, gap = "", hour = "", seconds, fraction, half = "", offset = ""] = found
  if (half === "" ? Number(hour) > 23 : Number(hour) < 1 || Number(hour) > 12) return undefined
  return {
    time: gap.replace("T", "'T'") + (half === "" ? "H" : "h") + ":mm" + (seconds === undefined ? "" : ":ss")
      + (fraction === undefined ? "" : ".SSS") + half.replace(/[AaPp][Mm]/, "a") + offset.replace(/\S+/, "ZZ"),
    hasGap: gap !== "",
    hasPaddedHours: hour.length === 2,
    hasOffset: offset !== "",
  }
}

interface Writing {
  readonly date: string
  readonly time: string
  count: number
  /** How many of these cells each order of day and month fits. */
  readonly orders: Map<DayOrder, number>
  isPadded: boolean
  hasPaddedHours: boolean
}

export interface DateEvidence {
  readonly writings: ReadonlyArray<Readonly<Writing>>
  /** The luxon formats of ISO dates with a time other than midnight. */
  readonly isoTimes: ReadonlySet<string>
  /** Whether a cell has a day without an offset, in any notation. */
  readonly needsZone: boolean
}

export const collectDates = () => {
  const writings = new Map<string, Writing>()
  const isoTimes = new Set<string>()
  let needsZone = false
  const note = (hasDay: boolean, hasTime: boolean, hasOffset: boolean) => {
    needsZone ||= hasDay && !hasOffset
    return hasDay ? (hasTime ? "dateTime" : "date") : "time"
  }
  return {
    /** Returns what a cell contains. Undefined if that is neither a date nor a time. */
    add: (cell: Cell, text: string): "date" | "dateTime" | "time" | undefined => {
      if (text.length > 40 || typeof cell === "number" || !/\d/.test(text)) return undefined
      const iso = readIso(cell instanceof DateCell ? cell.iso : text)
      // A time of day with an offset needs a format, because the offset is not sent.
      if (iso !== undefined && (iso.hasDate || Number.isNaN(iso.offset))) {
        if (iso.hasDate && iso.hasTime && (timeOf(iso.wall) !== 0 || iso.fraction)) {
          isoTimes.add(`yyyy-MM-dd${timeIn(text.slice(10))?.time.replace("H", "HH") ?? ""}`)
        }
        return note(iso.hasDate, iso.hasTime, !Number.isNaN(iso.offset))
      }
      const date = dateIn(text)
      const rest = date?.rest ?? text
      const time = timeIn(rest)
      if ((time === undefined && rest !== "") || (time !== undefined && time.hasGap !== (date !== undefined))) {
        return undefined
      }
      const key = `${date?.date}|${time?.time}`
      const writing = writings.get(key) ?? {
        date: date?.date ?? "",
        time: time?.time ?? "",
        count: 0,
        orders: new Map(),
        isPadded: true,
        hasPaddedHours: true,
      }
      writings.set(key, writing)
      writing.count++
      for (const order of date?.orders ?? ["d"]) writing.orders.set(order, (writing.orders.get(order) ?? 0) + 1)
      writing.isPadded &&= date?.isPadded !== false
      writing.hasPaddedHours &&= time?.hasPaddedHours !== false
      return note(date !== undefined, time !== undefined, time?.hasOffset === true)
    },
    evidence: (): DateEvidence => ({
      writings: [...writings.values()].map((one) => ({ ...one, orders: new Map(one.orders) })),
      isoTimes: new Set(isoTimes),
      needsZone,
    }),
  }
}

const formatOf = ({ date, hasPaddedHours, isPadded, time }: Readonly<Writing>, order: DayOrder): string => {
  const two = (is: boolean, letter: string) => is ? letter + letter : letter
  return Array.from(order).reduce((text, letter) => text.replace("#", two(isPadded, letter)), date)
    + time.replace(/[Hh]/, (letter) => two(hasPaddedHours, letter))
}

/** Returns the formats of a column's dates. ISO texts and date cells need none. Open if the cells don't show which format is right. */
export const dateFormats = ({ writings }: DateEvidence) => {
  const each = writings.map((writing) => {
    const orders = [...writing.orders].flatMap(([order, count]) => count === writing.count ? [order] : [])
    // With dots, the day comes first in every language (CLDR).
    return { writing, orders: writing.date[1] === "." ? orders.slice(0, 1) : orders }
  })
  const undecided = each.find(({ orders }) => orders.length !== 1)
  const isMixed = undecided?.orders.length === 0
  // Dates written in another way, but with the same separator, may show the order.
  const decisive = each.find(({ orders: [order, ...others], writing: { date } }) =>
    others.length === 0 && order !== "d" && date.startsWith("#") && date[1] === undecided?.writing.date[1]
  )
  const shown = decisive?.orders[0]
  if (undecided !== undefined && (isMixed || shown === undefined)) {
    return {
      _tag: "Open" as const,
      formats: [formatOf(undecided.writing, "dM"), formatOf(undecided.writing, "Md")],
      why: isMixed
        ? "in some cells only the first number can be the day, in others only the second"
        : "no cell shows whether the day or the month comes first",
      isMixed,
    }
  }
  const formats = each.map(({ orders: [order = "d", ...others], writing }) =>
    formatOf(writing, others.length > 0 && shown !== undefined ? shown : order)
  )
  return { _tag: "Decided" as const, formats: [...new Set(formats)] }
}
