import type { Draws } from "../faults/Draws.ts"
import { drawInstant, two, utc, wallIn } from "./clocks.ts"

/** An expected answer in the service, or null for none, and the cells that are written for it. */
export interface Made {
  readonly truth: unknown
  readonly cells: Readonly<Record<string, string>>
}

/** A question of the form, its entry in the pipeline, and a function that draws an answer and its cells for a row. */
export interface Asked {
  /** The question of the form, without its id and name. */
  readonly form?: { readonly type?: string; readonly options?: ReadonlyArray<unknown> }
  /** The pipeline's entry, without its name. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly make: (draws: Draws) => Made
}

/** Cells that mean no answer, as in the pipeline's `empty`. */
export const emptyCells = ["", "  ", "k. A.", "-", " - "]

/** Draws an answer with `answered` in most rows. In the other rows, the cells mean no answer. */
const mostly = (columns: ReadonlyArray<string>, answered: (draws: Draws) => Made) => (draws: Draws): Made =>
  draws.chance(0.8)
    ? answered(draws)
    : { truth: null, cells: Object.fromEntries(columns.map((column) => [column, draws.pick(emptyCells)])) }

const one = (column: string, answered: (draws: Draws) => { readonly truth: unknown; readonly cell: string }) =>
  mostly([column], (draws) => {
    const { cell, truth } = answered(draws)
    return { truth, cells: { [column]: draws.chance(0.2) ? ` ${cell} ` : cell } }
  })

const words = [
  "Grüße",
  "„Zitat“",
  '"quoted"',
  "a;b",
  "1.000",
  "007",
  "=1+1",
  "ja",
  "5 €",
  "naïve",
  "\\n",
  "{x}",
  "Ünï",
  "'",
  "null",
]
const text = (draws: Draws, most = 4) =>
  Array.from({ length: draws.int(1, most) }, () => draws.pick(words)).join(draws.pick([" ", "\n", "; "]))

/** Groups digits: 1234567 → 1.234.567 */
const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ".")

const colours = [
  { value: "r", label: "Rot" },
  { value: "g", label: "Grün" },
  { value: "none", label: "n/a" },
  { value: "b, dark", label: "Blau (dunkel)" },
]
const sports = ["Lesen", "Sport, draußen", "Sport", "Kochen; Backen", "Musik"]

const writeOption = (draws: Draws, { label, value }: { readonly value: string; readonly label: string }) =>
  draws.pick([label, value, label.toUpperCase(), label.replaceAll(" ", "  ")])

const writeDay = (draws: Draws, year: number, month: number, day: number) =>
  draws.pick([
    `${two(day)}.${two(month)}.${year}`,
    `${day}/${month}/${year}`,
    `${year}-${two(month)}-${two(day)}`,
  ])

const berlin = "Europe/Berlin"

const writeMoment = (draws: Draws, instant: number): string => {
  if (draws.chance(0.6)) {
    const { day, hour, minute, month, second, year } = wallIn(berlin, instant)
    return `${two(day)}.${two(month)}.${year} ${two(hour)}:${two(minute)}:${two(second)}`
  }
  // The cell's own offset takes precedence over the pipeline's zone.
  const minutes = draws.pick([0, 120, -300, 345])
  const local = utc(instant + minutes * 60_000).slice(0, 19)
  const away = Math.abs(minutes)
  return minutes === 0
    ? `${local}Z`
    : `${local}${minutes < 0 ? "-" : "+"}${two(Math.floor(away / 60))}:${two(away % 60)}`
}

const drawFile = (draws: Draws) => {
  const name = draws.pick(["a.pdf", "b c.png", "d,e.txt", "ä.jpg"])
  return { url: `https://files.example.com/${draws.int(1, 9999)}/${encodeURIComponent(name)}`, filename: name }
}

const drawJson = (draws: Draws, depth = 2): unknown =>
  depth === 0 || draws.chance(0.3)
    ? draws.pick<unknown>([0, -1.5, 9007199254740991, "", 'ü"\n', true, false, null])
    : draws.chance(0.5)
    ? Array.from({ length: draws.int(1, 3) }, () => drawJson(draws, depth - 1))
    : { a: drawJson(draws, depth - 1), "b c": drawJson(draws, depth - 1) }

/** The questions by name. */
export const questions: Readonly<Record<string, Asked>> = {
  Text: {
    form: { type: "LongAnswer" },
    entry: { from: "Text" },
    make: one("Text", (draws) => {
      const truth = text(draws)
      return { truth, cell: truth }
    }),
  },
  "Text of several columns": {
    entry: { from: ["Left", "Right"], as: "text", join: " / " },
    make: (draws) => {
      const pieces = { Left: draws.chance(0.6) ? text(draws, 2) : "", Right: draws.chance(0.6) ? text(draws, 2) : "" }
      const filled = Object.values(pieces).filter((piece) => piece !== "")
      const cell = (piece: string) => piece === "" ? draws.pick(emptyCells) : piece
      return {
        truth: filled.length === 0 ? null : filled.join(" / "),
        cells: { Left: cell(pieces.Left), Right: cell(pieces.Right) },
      }
    },
  },
  "Text by template": {
    form: { type: "ShortAnswer" },
    entry: { template: "{Title} {First} {Last}", required: true },
    make: (draws) => {
      const name = {
        Title: draws.pick(["Dr.", ""]),
        First: draws.pick(["Zoë", "Jürgen", ""]),
        Last: draws.pick(["Weiß", "Öz"]),
      }
      return { truth: Object.values(name).filter((part) => part !== "").join(" "), cells: name }
    },
  },
  "Text, constant": {
    form: { type: "ShortAnswer" },
    entry: { value: "007" },
    make: () => ({ truth: "007", cells: {} }),
  },
  "Text with a default": {
    form: { type: "ShortAnswer" },
    entry: { from: "Origin", as: "text", case: "upper", default: "unknown" },
    make: (draws) => {
      const filled = draws.chance(0.5)
      return {
        truth: filled ? "WEB" : "UNKNOWN",
        cells: { Origin: filled ? draws.pick(["web", "Web"]) : draws.pick(emptyCells) },
      }
    },
  },
  Number: {
    form: { type: "NumberInput" },
    entry: { from: "Amount", as: "number", decimal: ",", group: "." },
    make: one("Amount", (draws) => {
      const whole = String(draws.int(0, draws.pick([9, 9_999, 99_999_999])))
      const cents = draws.chance(0.5) ? two(draws.int(0, 99)) : ""
      const sign = draws.chance(0.3) && Number(whole) > 0 ? "-" : ""
      const number = `${sign}${draws.chance(0.5) ? grouped(whole) : whole}${cents === "" ? "" : `,${cents}`}`
      return {
        truth: Number(`${sign}${whole}${cents === "" ? "" : `.${cents}`}`),
        cell: draws.pick([number, number, `${number} €`, `EUR ${number}`]),
      }
    }),
  },
  "Number, whole": {
    entry: { from: "Stars", as: "number", integer: true, min: 1, max: 5, required: true },
    make: (draws) => {
      const truth = draws.int(1, 5)
      return { truth, cells: { Stars: draws.pick([`${truth}`, ` ${truth}`, `${truth}.0`]) } }
    },
  },
  Boolean: {
    form: { type: "Switch" },
    entry: { from: "Agreed", as: "boolean", true: ["ja", "x"], false: ["nein", "0"] },
    make: one("Agreed", (draws) => {
      const truth = draws.chance(0.5)
      return { truth, cell: draws.pick(truth ? ["ja", "Ja", "X"] : ["nein", "NEIN", "0"]) }
    }),
  },
  Date: {
    form: { type: "DatePicker" },
    entry: { from: "Born", as: "date", format: ["dd.MM.yyyy", "d/M/yyyy"] },
    make: one("Born", (draws) => {
      const [year, month] = [draws.int(1900, 2030), draws.int(1, 12)]
      const day = draws.int(1, new Date(Date.UTC(year, month, 0)).getUTCDate())
      return { truth: `${year}-${two(month)}-${two(day)}`, cell: writeDay(draws, year, month, day) }
    }),
  },
  Time: {
    form: { type: "TimePicker" },
    entry: { from: "Wakes", as: "time", format: ["H.mm 'Uhr'", "h:mm a"] },
    make: one("Wakes", (draws) => {
      const [hour, minute] = [draws.int(0, 23), draws.int(0, 59)]
      const twelve = `${hour % 12 === 0 ? 12 : hour % 12}:${two(minute)} ${hour < 12 ? "AM" : "PM"}`
      if (draws.chance(0.3)) {
        const seconds = `${two(hour)}:${two(minute)}:${two(draws.int(1, 59))}`
        return { truth: seconds, cell: seconds }
      }
      const truth = `${two(hour)}:${two(minute)}`
      return { truth, cell: draws.pick([truth, `${hour}.${two(minute)} Uhr`, twelve]) }
    }),
  },
  "Date and time": {
    form: { type: "DateTimePicker" },
    entry: { from: "Moment", as: "dateTime", format: "dd.MM.yyyy HH:mm:ss", zone: berlin },
    make: one("Moment", (draws) => {
      const instant = drawInstant(draws, berlin)
      return { truth: utc(instant), cell: writeMoment(draws, instant) }
    }),
  },
  "Date and time in two columns": {
    entry: {
      as: "dateTime",
      zone: "America/New_York",
      from: { date: { from: "Day", format: "dd.MM.yyyy" }, time: "Hour" },
    },
    make: mostly(["Day", "Hour"], (draws) => {
      const instant = drawInstant(draws, "America/New_York", "minute")
      const { day, hour, minute, month, year } = wallIn("America/New_York", instant)
      return {
        truth: utc(instant),
        cells: { Day: `${two(day)}.${two(month)}.${year}`, Hour: `${two(hour)}:${two(minute)}` },
      }
    }),
  },
  Email: {
    form: { type: "EmailInput" },
    entry: { from: "Mail", required: true },
    make: (draws) => {
      const box = draws.pick(["Ada.Lovelace", "o'hara+x", "b_c"]) + draws.int(1, 99)
      const domain = draws.pick(["example.org", "mail.example.com"])
      return { truth: `${box}@${domain}`, cells: { Mail: `${box}@${draws.pick([domain, domain.toUpperCase()])}` } }
    },
  },
  Phone: {
    form: { type: "PhoneNumber" },
    entry: { from: "Phone", as: "phone", country: "DE" },
    make: one("Phone", (draws) => {
      const last = String(draws.int(100, 999))
      const [truth, cell] = draws.pick<readonly [string, string]>([
        [`+493023125${last}`, `030 / 23125-${last}`],
        [`+498999998${last}`, `(089) 99998 ${last}`],
        [`+492214710${last}`, `0049 221 4710${last}`],
        [`+491764069${`0${last}`}`, `0176/4069 0${last}`],
        [`+12015550${last}`, `+1 (201) 555-0${last}`],
      ])
      return { truth, cell }
    }),
  },
  Url: {
    form: { type: "URLInput" },
    entry: { from: "Site" },
    make: one("Site", (draws) => {
      const truth = draws.pick(["https://Example.org", "http://example.com/a?b=c;d#e", "https://sub.example.net/ü/%20"])
      return { truth, cell: truth }
    }),
  },
  Choice: {
    form: { type: "MultipleChoice", options: colours },
    entry: { from: "Colour", as: "choice", values: { Karmin: "Rot", weiß: null } },
    make: (draws) => {
      if (draws.chance(0.2)) return { truth: null, cells: { Colour: draws.pick([...emptyCells, "weiß"]) } }
      const option = draws.pick(colours)
      return {
        truth: option.value,
        cells: { Colour: option.value === "r" && draws.chance(0.3) ? "Karmin" : writeOption(draws, option) },
      }
    },
  },
  "Choice of a form that tells no options": {
    entry: { from: "Size", as: "choice", options: ["S", "M", "L"], otherwise: { use: "M" } },
    make: one(
      "Size",
      (draws) => draws.pick([{ truth: "S", cell: "s" }, { truth: "L", cell: "L" }, { truth: "M", cell: "XXL" }]),
    ),
  },
  Choices: {
    form: { type: "Checkboxes", options: sports },
    entry: { from: "Likes", as: "choices", split: "," },
    make: one("Likes", (draws) => {
      const chosen = draws.some(sports, 0.5)
      const truth = chosen.length === 0 ? ["Sport"] : chosen
      return { truth, cell: draws.shuffle(truth).join(draws.pick([",", ", "])) }
    }),
  },
  Files: {
    form: { type: "FileUpload" },
    entry: { from: "Files", as: "files", split: "," },
    make: one("Files", (draws) => {
      const truth = Array.from({ length: draws.int(1, 3) }, () => drawFile(draws))
      return { truth, cell: truth.map(({ url }) => url).join(draws.pick([",", ", "])) }
    }),
  },
  "Files with names": {
    form: { type: "Signature" },
    entry: { as: "files", from: { url: "Signature", filename: "Signature name" } },
    make: mostly(["Signature", "Signature name"], (draws) => {
      const { url } = drawFile(draws)
      const filename = `Ünterschrift ${draws.int(1, 9)}.svg`
      return { truth: [{ url, filename }], cells: { Signature: url, "Signature name": filename } }
    }),
  },
  Json: {
    entry: { from: "Json", as: "json" },
    make: one("Json", (draws) => {
      const truth = { drawn: drawJson(draws) }
      return { truth, cell: JSON.stringify(truth, null, draws.pick([0, 2])) }
    }),
  },
  "Never asked for": { form: { type: "ShortAnswer" }, entry: {}, make: () => ({ truth: null, cells: {} }) },
}
