import validator from "validator"
import { type Cell, cellText, JsonCell } from "../domain/cell.ts"
import { cut } from "../domain/problem.ts"
import { collectDates, dateFormats } from "../mapping/suggest/dateEvidence.ts"
import { collectNumbers } from "../mapping/suggest/numberEvidence.ts"
import { hashOf, type Room, UniqueCheck } from "../mapping/suggest/UniqueCheck.ts"
import { saysNo, saysYes } from "../mapping/suggest/words.ts"
import { CellTraps, type Trap } from "./columnTraps.ts"

/** Kinds that one cell shows. */
const shapes = ["email", "url", "phone", "number", "boolean", "date", "dateTime", "time", "json"] as const
type Shape = (typeof shapes)[number]

/** The kind that most cells of a column have. `empty`: the column has no cells. */
type InferredKind = Shape | "empty" | "text" | "choice" | "choices"

/** The result of looking at the cells of a column. */
export interface ColumnFindings {
  readonly filled: number
  /** Filled cells as a share of the rows, 0 to 1. */
  readonly fill: number
  readonly kind: InferredKind
  /** Share of the filled cells that are of this kind. */
  readonly share: number
  readonly distinct: { readonly count: number; readonly exact: boolean }
  /** Undefined if there are too many cells to know. */
  readonly unique: boolean | undefined
  /** The most frequent cells, shortened. */
  readonly samples: ReadonlyArray<{ readonly text: string; readonly times: number }>
  readonly traps: ReadonlyArray<Trap>
}

const samplesShown = 4
const sampleLength = 60

const separators = ["; ", ";", ", ", " | ", "|", "\n", " / "]

const phone = /^(?:\+|00|\(?0)[\d\s()./-]{6,22}$/

/** A column has a kind if at least this share of its cells has it. Other cells are exceptions. */
const most = 0.9

/** How many texts of a column are cached with their shape, because most columns repeat a few texts. */
const remembered = 1_000

/** A text that was seen. */
interface Known {
  readonly text: string
  readonly hash: number
  readonly shape: Shape | "none"
  readonly tick: "yes" | "no" | undefined
}

/** Returns whether a cell means yes or no. */
const tickOf = (cell: Cell, text: string): Known["tick"] => {
  if (typeof cell === "boolean") return cell ? "yes" : "no"
  if (text.length > 12) return undefined
  return saysYes(text) ? "yes" : saysNo(text) ? "no" : undefined
}

/** Looks at a column cell by cell, in bounded memory. */
export class ColumnLook {
  private readonly dates = collectDates()
  private readonly numbers = collectNumbers()
  private readonly distinct = new DistinctCount()
  private readonly uniqueCheck: UniqueCheck
  private readonly cellTraps: CellTraps
  private readonly counts = Object.fromEntries(shapes.map((shape) => [shape, 0])) as Record<Shape, number>
  private readonly exceptions = new Map<Shape | "none", string>()
  private readonly memory = new Map<string, Known>()
  private readonly said = new Set<"yes" | "no">()
  private filled = 0

  constructor(title: string, room: Room) {
    this.cellTraps = new CellTraps(title)
    this.uniqueCheck = new UniqueCheck(room)
  }

  /**
   * @param raw the cell in the file
   * @param cell its meaning for the form tool that wrote the file
   */
  add(raw: Cell, cell: Cell): void {
    const known = typeof raw === "string" && raw === cell ? this.memory.get(raw) : undefined
    if (known !== undefined) return this.count(known)
    const trapped = raw !== null && this.cellTraps.add(raw, cell)
    const text = cellText(cell).trim()
    if (text === "") return
    const shape = this.shapeOf(cell, text)
    if (!this.exceptions.has(shape)) this.exceptions.set(shape, text)
    const found: Known = { text, hash: hashOf(text), shape, tick: tickOf(cell, text) }
    // Traps are counted cell by cell.
    if (!trapped && typeof raw === "string" && raw === cell && this.memory.size < remembered) {
      this.memory.set(raw, found)
    }
    this.count(found)
  }

  findings(rows: number, more: ReadonlyArray<Trap>): ColumnFindings {
    const [kind, share] = this.kind()
    const unique = this.filled === 0 ? false : this.uniqueCheck.unique()
    return {
      filled: this.filled,
      fill: rows === 0 ? 0 : this.filled / rows,
      kind,
      share,
      distinct: unique === true ? { count: this.filled, exact: true } : this.distinct.count(),
      unique,
      samples: this.distinct.most(samplesShown).map(({ text, times }) => ({ text: cut(text, sampleLength), times })),
      traps: [...more, ...this.cellTraps.traps(), ...this.dateTraps(), ...this.exceptionTraps(kind)],
    }
  }

  private count({ hash, shape, text, tick }: Known): void {
    this.filled++
    this.distinct.add(text, hash)
    this.uniqueCheck.add(hash)
    if (shape !== "none") this.counts[shape]++
    // 0 and 1 are both ticks and numbers.
    if (tick !== undefined) this.said.add(tick)
    if (tick !== undefined && shape !== "boolean") this.counts.boolean++
  }

  private shapeOf(cell: Cell, text: string): Shape | "none" {
    if (cell instanceof JsonCell) return "json"
    if (typeof cell === "boolean") return "boolean"
    if (typeof cell === "number") return "number"
    const day = this.dates.add(cell, text)
    if (day !== undefined) return day.day ? (day.time ? "dateTime" : "date") : "time"
    if (text.includes("@") && text.length <= 254 && validator.isEmail(text)) return "email"
    if (/^(?:https?:\/\/|www\.)\S+$/i.test(text)) return "url"
    if (/^'?\+/.test(text) || phone.test(text)) return phone.test(text.replace(/^'/, "")) ? "phone" : "none"
    return this.numbers.add(text) === undefined ? "none" : "number"
  }

  /** Returns the kind of most cells, and their share. */
  private kind(): readonly [InferredKind, number] {
    if (this.filled === 0) return ["empty", 1]
    const share = (shape: Shape) => this.counts[shape] / this.filled
    const { count, exact } = this.distinct.count()
    // Two words that mean yes, such as x and y, are not yes and no.
    const told = count === 2 ? this.said.size === 2 : count === 1 && share("number") < 1
    if (share("boolean") === 1 && told) return ["boolean", 1]
    const [best, part] = shapes.filter((shape) => shape !== "boolean").map((shape) => [shape, share(shape)] as const)
      .toSorted((a, b) => b[1] - a[1])[0] ?? ["number", 0]
    const times = share("date") + share("dateTime")
    // Midnight is often omitted, and a workbook's dates have no time at midnight.
    if (best === "dateTime" && times >= most) return ["dateTime", times]
    if (part >= most) return [best, part]
    if (this.splits(count)) return ["choices", 1]
    if (exact && this.isFew(count)) return ["choice", 1]
    return part >= 0.5 ? [best, part] : ["text", 1]
  }

  /** Whether the different texts are so few that they are options. */
  private isFew(count: number): boolean {
    if (count <= 30 && count <= this.filled / 2) return true
    return count <= 6 ? this.filled >= count + 2 : count <= 200 && count <= this.filled / 50
  }

  /** Whether cells are lists of repeated pieces, with fewer different pieces than cells. */
  private splits(different: number): boolean {
    const cells = this.distinct.most(200)
    return separators.some((separator) => {
      const lists = cells.filter(({ text }) => text.includes(separator))
      if (lists.length < 3 || lists.length < cells.length / 4) return false
      const pieces = cells.flatMap(({ text }) => text.split(separator).map((piece) => piece.trim())).filter((piece) =>
        piece !== ""
      )
      const kinds = new Set(pieces).size
      return kinds < different && kinds <= pieces.length / 3 && pieces.every((piece) => piece.length <= 80)
    })
  }

  private dateTraps(): ReadonlyArray<Trap> {
    const formats = dateFormats(this.dates.evidence())
    const dated = this.counts.date + this.counts.dateTime
    if (formats._tag === "Decided" || dated < this.filled / 2) return []
    const mixed = this.dates.evidence().writings.some(({ first, second }) => first > 12 && second > 12)
    return [{
      code: mixed ? "two-date-orders" : "open-date-order",
      count: dated,
      message: mixed
        ? `Its dates are written in two orders: ${formats.why}. Such a cell as 01/02/2024 could be either: ask whoever made the file.`
        : `Its dates may be ${formats.formats.join(" or ")}: ${formats.why}. Say which with \`format\`.`,
      examples: [],
    }]
  }

  private exceptionTraps(kind: InferredKind): ReadonlyArray<Trap> {
    if (kind === "text" || kind === "choice" || kind === "choices" || kind === "empty" || kind === "boolean") return []
    const same = kind === "dateTime" ? this.counts.date + this.counts.dateTime : this.counts[kind]
    const others = this.filled - same
    if (others <= 0) return []
    const related = new Set<string>(kind === "dateTime" ? ["date", "dateTime"] : [kind])
    const examples = [...this.exceptions].filter(([shape]) => !related.has(shape)).map(([, text]) => cut(text, 40))
    return [{
      code: "mixed-kinds",
      count: others,
      message: `${others.toLocaleString("en-GB")} of ${this.filled.toLocaleString("en-GB")} filled cells ${
        others === 1 ? "is" : "are"
      } no ${kind === "dateTime" ? "date and time" : kind}, as the others are.`,
      examples: examples.slice(0, 3),
    }]
  }
}

/** How many texts are kept. Up to this number, the count is exact. */
const kept = 1_000

/** How many of the smallest hashes are kept to estimate larger counts, to about 3%. */
const smallest = 1_024

const two53 = 2 ** 53

/** Counts different texts: exactly up to a limit, estimated above it. Memory is bounded. */
export class DistinctCount {
  private texts = new Map<string, number>()
  private full = false
  /** The smallest of all hashes, in order. */
  private hashes: Array<number> = []

  add(text: string, hash: number): void {
    const times = this.texts.get(text)
    if (times !== undefined) this.texts.set(text, times + 1)
    // A long text is not an option, so it is not kept.
    else if (this.texts.size < kept && text.length <= 1_000) this.texts.set(text, 1)
    else this.full = true
    this.offer(hash)
  }

  /** Returns the number of different texts, and whether it is exact. */
  count(): { readonly count: number; readonly exact: boolean } {
    if (!this.full) return { count: this.texts.size, exact: true }
    if (this.hashes.length < smallest) return { count: this.hashes.length, exact: true }
    return { count: Math.round((smallest - 1) / ((this.hashes.at(-1) ?? two53) / two53)), exact: false }
  }

  /** Returns the most frequent of the kept texts. */
  most(number: number): ReadonlyArray<{ readonly text: string; readonly times: number }> {
    return [...this.texts].map(([text, times]) => ({ text, times })).toSorted((a, b) => b.times - a.times).slice(
      0,
      number,
    )
  }

  private offer(hash: number): void {
    const { hashes } = this
    if (hashes.length === smallest && hash >= (hashes.at(-1) ?? 0)) return
    let [from, to] = [0, hashes.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((hashes[middle] ?? 0) < hash) from = middle + 1
      else to = middle
    }
    if (hashes[from] === hash) return
    hashes.splice(from, 0, hash)
    if (hashes.length > smallest) hashes.pop()
  }
}
