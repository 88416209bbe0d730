import file from "./cells.json" with { type: "json" }

/** The contents of a vocabulary file, where `|` separates the members of a list. */
type Listed<A> = A extends string ? ReadonlyArray<string>
  : A extends number ? A
  : { readonly [K in keyof A]: Listed<A[K]> }

/** Returns the contents of a vocabulary file, with its lists as arrays. */
export const listed = <A>(file: A): Listed<A> =>
  JSON.parse(JSON.stringify(file), (_, value: unknown) => typeof value === "string" ? value.split("|") : value)

/** What cells say, whatever their column. Separate from the vocabulary of titles, which a run would take a tenth of a second to load. */
export const cellWords = listed(file)

/** Returns a text in lower case without accents. */
export const withoutAccents = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** Returns a function that checks whether a cell is one of these texts, apart from case, accents and space around it. */
const isOneOf = (texts: ReadonlyArray<string>) => {
  const known = new Set(texts)
  return (text: string): boolean => {
    if (text.length > 20) return false
    const word = text.trim()
    // Most cells have no accents, which is cheap to find out.
    return known.has(/[^\0-\x7f]/.test(word) ? withoutAccents(word) : word.toLowerCase())
  }
}

export const saysYes = isOneOf(cellWords.yes)

export const saysNo = isOneOf(cellWords.no)

export const isTick = (text: string): boolean => saysYes(text) || saysNo(text)

const noAnswer = isOneOf(cellWords.noAnswer)

/** Whether a cell means "no answer". */
export const isNoAnswer = (text: string): boolean => noAnswer(text) || (text.length <= 12 && /^[-–—]+$/.test(text))
