// Compares the reading of a random text with its intended content.
import { type Cell, cellText } from "../../../src/domain/cell.ts"
import type { DrawnText, TrueRecord } from "./drawText.ts"

/** The result for a text. */
export interface Judged {
  readonly outcome: "exact" | "named" | "stopped"
  /** Broken promises. */
  readonly violations: ReadonlyArray<string>
}

/** The result of a reading: the message with which it stopped, or rows and the messages of faulty rows. */
export type Given = string | {
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  readonly faults: ReadonlyMap<number, string>
}

const textOf = (cells: ReadonlyArray<Cell>, width: number) =>
  JSON.stringify(Array.from({ length: Math.max(width, cells.length) }, (_, at) => cellText(cells[at])))

/**
 * Checks that every record is read exactly or reported with its lines, and that nothing unintended is read. A text
 * without faults may be refused only if two readings fit, and a refusal must name lines.
 */
export const judge = ({ doubtful, records, wellFormed }: DrawnText, given: Given): Judged => {
  if (typeof given === "string") {
    const violations = [
      ...(wellFormed && !doubtful ? [`a well-formed text is refused: ${given}`] : []),
      ...(/\blines? \d/.test(given) ? [] : [`what stops the reading names no line: ${given}`]),
    ]
    return { outcome: "stopped", violations }
  }
  const width = records[0]?.cells.length ?? 0
  const violations: Array<string> = []
  const named = [...given.faults.values()].map((message) => {
    const [, from, to] = /\(lines? (\d+)(?: to (\d+))?\)/.exec(message) ?? []
    return { from: Number(from), to: Number(to ?? from) }
  })
  const isNamed = ({ from, to }: TrueRecord) => named.some((one) => one.from <= to && from <= one.to)
  const read = new Map<string, number>()
  given.rows.forEach((cells, at) => {
    if (given.faults.has(at + 1)) return
    const text = textOf(cells, width)
    read.set(text, (read.get(text) ?? 0) + 1)
  })
  const cut = records.find(({ broken }) => broken === "cut")
  /** A cut in an unquoted cell at the file's end can't be detected. */
  const isCut = (text: string) =>
    cut !== undefined && (JSON.parse(text) as Array<string>).every((cell, at) => (cut.cells[at] ?? "").startsWith(cell))
  for (const record of records) {
    const text = textOf(record.cells, width)
    const times = read.get(text) ?? 0
    if (times > 0) read.set(text, times - 1)
    else if (!isNamed(record) && !(record.broken === "cut" && [...read.keys()].some(isCut))) {
      violations.push(`lost silently, lines ${record.from} to ${record.to}: ${text}`)
    }
    if (times > 0 && (record.broken === "undoubled" || record.broken === "damaged")) {
      violations.push(`read as if nothing were wrong: ${text}`)
    }
  }
  for (const [text, times] of read) {
    if (times > 0 && !isCut(text)) violations.push(`read and never meant: ${text}`)
  }
  if (wellFormed && given.faults.size > 0) {
    violations.push(`rows of a well-formed text are named: ${[...given.faults.values()][0]}`)
  }
  return { outcome: given.faults.size > 0 ? "named" : "exact", violations }
}
