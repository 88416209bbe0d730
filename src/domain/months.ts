/** English names of the months, January first: what exports write, whatever the language of the answers. */
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

/** The number (1 to 12) of the month that a word names in English, whole or by its first three letters, in capitals or not; undefined: none. */
export const monthNumber = (word: string): number | undefined => numbers.get(word.toLowerCase())
