/** The English names of the months, from January. Exports use them for answers in any language. */
const names = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
]

const numbers = new Map(names.flatMap((name, index) => [[name, index + 1], [name.slice(0, 3), index + 1]] as const))

/** Returns the number (1 to 12) of the month with this English name or its first three letters, ignoring case. Undefined if there is none. */
export const monthNumber = (word: string): number | undefined => numbers.get(word.toLowerCase())
