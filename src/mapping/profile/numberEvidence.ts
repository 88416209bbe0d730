import { number, withoutCurrency } from "../../kinds/number.ts"

/** A way of writing numbers: the options of the kind `number`, and the reader of such numbers. */
interface NumberWay {
  readonly decimal: "." | ","
  readonly group: "." | "," | " " | "'" | undefined
  readonly read: (text: string) => number | undefined
}

const context = { question: undefined, input: { _tag: "Columns", count: 1 }, empty: new Set<string>() } as const

/** All ways of writing numbers, the plainest first. */
const ways: ReadonlyArray<NumberWay> = ([undefined, ".", ",", " ", "'"] as const).flatMap((group) =>
  ([".", ","] as const).flatMap((decimal) => {
    const parse = number.compile({ decimal, ...(group === undefined ? {} : { group }) }, context)
    if (typeof parse !== "function") return []
    const read = (text: string) => {
      const value = parse([text])
      return typeof value === "number" ? value : undefined
    }
    return [{ decimal, group, read }]
  })
)

/** The ways of writing numbers in which all of a column's numbers can be read. */
export type NumberEvidence = ReadonlyArray<NumberWay>

const written = /^[-+\u2212]?[\d.,' \u00A0\u2009\u202F\u2019]+$/

export const collectNumbers = () => {
  let left: NumberEvidence = ways
  /** The ways in which numbers are read, by their shape. Trying all ways for each number would take much longer. */
  const byShape = new Map<string, NumberWay | undefined>()
  return {
    /** Returns a text's number, or undefined if it is not a number. */
    add: (text: string): number | undefined => {
      const amount = text.length > 40 ? "" : withoutCurrency(text)
      if (/^[-+]?\d+$/.test(amount)) return Number(amount)
      if (!written.test(amount)) return undefined
      // Keeps a 0 at the start: such a number has no groups.
      const shape = amount.replaceAll(/[1-9]|(?<=\d.*)0/g, "1")
      if (!byShape.has(shape)) {
        const reads = ({ read }: NumberWay) => read(amount) !== undefined
        const way = left.find(reads) ?? ways.find(reads)
        if (way !== undefined) left = left.filter(reads)
        byShape.set(shape, way)
      }
      return byShape.get(shape)?.read(amount)
    },
    evidence: (): NumberEvidence => left,
  }
}

/** Determines the decimal sign and the group separator of a column's numbers. `Open` if no cell shows them, or if cells contradict each other. */
export const numberSigns = ([plainest, ...others]: NumberEvidence) => {
  const open = (why: string) => ({ _tag: "Open" as const, why })
  if (plainest === undefined) {
    return open("the numbers are written in several ways, such as with a decimal comma and a decimal point")
  }
  const { decimal, group } = plainest
  return others.length < ways.length - 1 && others.some((one) => one.group === decimal)
    ? open(`every "${decimal}" comes before three digits: it may be a decimal sign or a separator between groups`)
    : { _tag: "Decided" as const, decimal: decimal === "," ? decimal : undefined, group }
}
