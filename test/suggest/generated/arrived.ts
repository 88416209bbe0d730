// Compares the stored submissions with the drawn answers, without formferry's reader.
import type { Json } from "../../../src/domain/json.ts"
import { type Asked, namesIn, type Pair } from "./drawPair.ts"
import type { Answer } from "./fields.ts"

/** Stored answers by question id. */
export type Stored = ReadonlyMap<string, Json>

const plain = (text: string): string => text.trim().replaceAll(/\s+/g, " ").toLowerCase().replace(/^'/, "")

const texts = (json: Json): ReadonlyArray<string> =>
  Array.isArray(json)
    ? json.flatMap((each: Json) => texts(each))
    : typeof json === "object" && json !== null
    ? Object.values(json).flatMap((each) => texts(each))
    : [String(json)]

const digits = (text: string): string => text.replaceAll(/\D/g, "")

/** Whether the numbers of a date or time are the same, with or without leading zeros. */
const sameNumbers = (stored: string, text: string): boolean => {
  const numbers = (one: string) => (one.match(/\d+/g) ?? []).map(Number).toSorted((a, b) => a - b)
  const [mine, theirs] = [numbers(stored), numbers(text)]
  return theirs.every((one) => mine.includes(one) || mine.includes(one % 100) || mine.includes(one % 12))
}

/** Whether stored texts name exactly these options: by value, or by the texts of the file if the form lists no options. */
const sameOptions = (
  pair: Pair,
  { meanings, of }: Asked,
  options: ReadonlyArray<number>,
  stored: ReadonlyArray<string>,
) => {
  const field = of?.field
  if (field === undefined) return false
  const names = options.map((option) => {
    const written = [...namesIn(pair.sheet, field, option), field.options[option]?.label ?? ""].filter((text) =>
      text !== ""
    )
    return new Set(written.flatMap((text) => [plain(text), plain(meanings.get(text) ?? text)]))
  })
  const all = stored.map(plain)
  return (names.length === all.length && names.every((known) => all.some((text) => known.has(text))))
    || (all.length === 1 && names.every((known) => [...known].some((text) => (all[0] ?? "").includes(text))))
}

/** Whether a stored answer has the meaning of the drawn answer. `stored` is undefined if nothing was stored. */
const saysSame = (pair: Pair, asked: Asked, answer: Answer | undefined, stored: Json | undefined): boolean => {
  const { of } = asked
  if (of === undefined) return stored === undefined
  const found = stored === undefined || stored === null ? [] : texts(stored)
  const other = answer?._tag === "Options" ? answer.other : undefined
  if (of.part._tag === "Other") return other === undefined ? found.length === 0 : plain(found[0] ?? "") === plain(other)
  if (answer === undefined) {
    return found.every((text) => text === "false" || text === "0" || text === "")
  }
  const [first = ""] = found
  switch (answer._tag) {
    case "Text":
      switch (of.field.kind) {
        case "number":
        case "scale":
          return Number(first.replace(",", ".")) === Number(answer.text)
        case "phone":
          return digits(first).endsWith(digits(answer.text).slice(-7))
        case "date":
        case "time":
          return sameNumbers(first, answer.text)
        default:
          return plain(first) === plain(answer.text)
      }
    case "Boolean": {
      const { no, yes } = pair.sheet.speech
      const word = answer.yes ? yes : no
      return found.length === 1
        && [String(answer.yes), word, asked.meanings.get(word) ?? word].map(plain).includes(plain(first))
    }
    case "Options":
      return sameOptions(pair, asked, answer.options, found)
        || (other !== undefined && found.some((text) => plain(text).includes(plain(other))))
    case "Rows":
      return of.part._tag === "Row"
        ? sameOptions(pair, asked, [answer.rows[of.part.row] ?? -1], found)
        : found.length === answer.rows.length
          && answer.rows.every((row, at) => sameOptions(pair, asked, [row], [found[at] ?? ""]))
  }
}

/** The submissions that arrived for a pair, compared with its responses. */
export interface Arrived {
  readonly submissions: number
  /** The number of submissions that equal no response. */
  readonly wrong: number
  /** Questions that a column answers. */
  readonly answered: ReadonlyArray<Asked>
  /** Answered questions for which no answer was stored. */
  readonly missing: ReadonlyArray<Asked>
  /** Questions whose stored answers are not those of the responses. */
  readonly mistaken: ReadonlyArray<Asked>
}

/** Matches as many submissions as possible, each with a response of its own. Returns how many equal no response. */
const unlike = (
  pair: Pair,
  asked: ReadonlyArray<Asked>,
  stored: ReadonlyArray<Stored>,
): number => {
  const fitting = stored.map((answers) =>
    Array.from({ length: pair.responses }, (_, at) => at).filter((at) =>
      asked.every((one) => saysSame(pair, one, one.of?.field.answers[at], answers.get(one.question.id)))
    )
  )
  const takenBy = new Map<number, number>()
  // A matched response may be reassigned if its submission also equals a different response.
  const place = (submission: number, tried: Set<number>): boolean =>
    (fitting[submission] ?? []).some((at) => {
      if (tried.has(at)) return false
      tried.add(at)
      const before = takenBy.get(at)
      if (before !== undefined && !place(before, tried)) return false
      takenBy.set(at, submission)
      return true
    })
  return stored.filter((_, submission) => !place(submission, new Set())).length
}

/** Compares all submissions with all responses. Each submission must equal a response of its own. */
export const compare = (pair: Pair, stored: ReadonlyArray<Stored>): Arrived => {
  const filled = new Set(stored.flatMap((answers) => [...answers.keys()]))
  const asked = pair.asked.filter(({ question }) => filled.has(question.id))
  const answered = pair.asked.filter(({ of, origins }) =>
    origins.length > 0 && of?.field.answers.some((answer) => answer !== undefined)
  )
  return {
    submissions: stored.length,
    wrong: unlike(pair, asked, stored),
    answered,
    missing: answered.filter(({ question }) => !filled.has(question.id)),
    mistaken: asked.filter((one) => unlike(pair, [one], stored) > 0),
  }
}
