import { withoutCurrency } from "../../kinds/number.ts"

/** How the numbers of a column are written: for each separator, how many cells prove what it means. */
export interface NumberEvidence {
  /** For each character, how many cells prove that it is the decimal sign, or the group separator. */
  readonly decimal: Readonly<Record<"." | ",", number>>
  readonly group: Readonly<Record<"." | "," | " " | "'", number>>
  /** How many cells are like `1.234` or `1,234`, where the character may be the decimal sign or a group separator. */
  readonly unclear: Readonly<Record<"." | ",", number>>
}

const unsigned = (text: string): string => withoutCurrency(text.trim()).replace(/^[-+\u2212]\s*/, "")

const plain = /^\d+$/
const grouped = /^\d{1,3}(?:([.,' \u00A0\u2009\u202F\u2019])\d{3})+(?:([.,])\d+)?$/
const fraction = /^(\d*)([.,])(\d*)$/

const groupSign = (sign: string): "." | "," | " " | "'" =>
  sign === "." || sign === "," ? sign : sign === "'" || sign === "\u2019" ? "'" : " "

/** Collects how the numbers of a column are written. */
export const collectNumbers = () => {
  const decimal = { ".": 0, ",": 0 }
  const group = { ".": 0, ",": 0, " ": 0, "'": 0 }
  const unclear = { ".": 0, ",": 0 }
  const isSign = (sign: string | undefined): sign is "." | "," => sign === "." || sign === ","
  return {
    /** Returns a text's number and whether it is whole, or undefined if it is not a number. */
    add: (text: string): { readonly integer: boolean; readonly value: number } | undefined => {
      if (text.length > 40) return undefined
      const digits = unsigned(text)
      const negative = /^[-\u2212]/.test(text.trim()) ? -1 : 1
      if (plain.test(digits)) return { integer: true, value: negative * Number(digits) }
      const single = fraction.exec(digits)
      if (single !== null) {
        const [, whole = "", sign, rest = ""] = single
        if (!isSign(sign) || (whole === "" && rest === "")) return undefined
        if (rest.length === 3 && whole.length > 0 && whole.length <= 3 && whole !== "0") unclear[sign]++
        else decimal[sign]++
        return { integer: false, value: negative * Number(`${whole}.${rest}`) }
      }
      const groups = grouped.exec(digits)
      if (groups === null) return undefined
      const [, between = "", point] = groups
      const sign = groupSign(between)
      if (new Set(digits.match(/[.,' \u00A0\u2009\u202F\u2019]/g)).size > (point === undefined ? 1 : 2)) {
        return undefined
      }
      if (point === sign) return undefined
      group[sign]++
      if (isSign(point)) decimal[point]++
      const value = digits.replaceAll(/[^\d.,]/g, "").replaceAll(sign, "").replace(",", ".")
      return { integer: point === undefined, value: negative * Number(value) }
    },
    evidence: (): NumberEvidence => ({ decimal: { ...decimal }, group: { ...group }, unclear: { ...unclear } }),
  }
}

/** The decimal sign and the group separator of a column's numbers. */
type NumberSigns =
  | { readonly _tag: "Decided"; readonly decimal: "," | undefined; readonly group: "." | "," | " " | "'" | undefined }
  | { readonly _tag: "Open"; readonly why: string }

/** Determines the decimal sign and the group separator of a column's numbers. `Open` if no cell shows them, or if cells contradict each other. */
export const numberSigns = ({ decimal, group, unclear }: NumberEvidence): NumberSigns => {
  const point = decimal["."] > 0 || group[","] > 0
  const comma = decimal[","] > 0 || group["."] > 0
  if (point && comma) return { _tag: "Open", why: "some numbers have a decimal comma, others a decimal point" }
  const groups = ([".", ",", " ", "'"] as const).filter((sign) => group[sign] > 0)
  if (groups.length > 1) return { _tag: "Open", why: "groups of digits are written in several ways" }
  const unclearSign = unclear["."] > 0 ? "." : unclear[","] > 0 ? "," : undefined
  if (!point && !comma && unclearSign !== undefined) {
    // `1 234` and `1,234`: the space separates groups, so the other sign is the decimal sign.
    if (groups[0] === " " || groups[0] === "'") {
      return unclear["."] > 0 && unclear[","] > 0
        ? { _tag: "Open", why: "both a comma and a point occur, and nothing shows which is the decimal sign" }
        : { _tag: "Decided", decimal: unclearSign === "," ? "," : undefined, group: groups[0] }
    }
    return {
      _tag: "Open",
      why: `every "${unclearSign}" comes before three digits: it may be a decimal sign or a separator between groups`,
    }
  }
  if (comma) {
    // With a decimal comma, a point separates groups.
    return { _tag: "Decided", decimal: ",", group: groups[0] ?? (unclear["."] > 0 ? "." : undefined) }
  }
  return { _tag: "Decided", decimal: undefined, group: groups[0] ?? (unclear[","] > 0 ? "," : undefined) }
}
