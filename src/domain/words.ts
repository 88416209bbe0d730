/** How good or bad a fact is. Determines its colour. */
export type Tone = "good" | "calm" | "warn" | "bad"

/** A few words as shown in messages and pages, and how good or bad they are. */
export interface Label {
  readonly title: string
  readonly tone: Tone
}

/** A term as shown in messages and pages. */
export interface Word extends Label {
  readonly meaning: string
}

/** The title of a table's column, and whether the column contains numbers, which are shown on the right. */
export interface Heading {
  readonly title: string
  readonly isNumber: boolean
}

/** Returns the heading of a column of numbers. */
export const numbers = (title: string): Heading => ({ title, isNumber: true })

/** Returns the headings of a table's columns. A title alone is that of a column of texts. */
export const headingsOf = (columns: ReadonlyArray<string | Heading>): ReadonlyArray<Heading> =>
  columns.map((column) => typeof column === "string" ? { title: column, isNumber: false } : column)

/** Returns the names that a table declares, in its order. */
export const namesOf = <K extends string>(table: { readonly [N in K]: unknown }): ReadonlyArray<K> =>
  Object.keys(table) as Array<K>

/** Returns a count, or a rate rounded to three decimals, with thousands separators. Intl would do the same, but takes 10 ms to load. */
export const count = (value: number): string => {
  const [whole = "", ...part] = String(Number.isInteger(value) ? value : Math.round(value * 1000) / 1000).split(".")
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...part].join(".")
}

/** Returns a name as spreadsheet programs give it to a column, by its number from 0: A to Z, then AA. */
export const columnName = (column: number): string =>
  (column >= 26 ? columnName(Math.floor(column / 26) - 1) : "") + String.fromCharCode(65 + column % 26)

/** Returns a count with its noun: `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Says that a source has fewer rows. */
export const noSuchRow = (row: number, rows: number): string =>
  `The source has ${counted(rows, "row")}: there is no row ${count(row)}.`

/** Returns the counts that are not zero, each with its title: `2 invalid`. */
export const titledCounts = <K extends string>(
  words: { readonly [N in K]: Word },
  counts: { readonly [N in NoInfer<K>]?: number },
): ReadonlyArray<string> =>
  namesOf(words).flatMap((name) => {
    const value = counts[name] ?? 0
    return value === 0 ? [] : [`${count(value)} ${words[name].title}`]
  })

/** Says whether what is sent to services can be taken back. */
export const permanence = (services: string, canDelete: boolean): string =>
  canDelete
    ? `What is sent to ${services} can be taken back only with \`formferry undo\`, which deletes it.`
    : `Writes to ${services} can't be undone.`

/** Returns a share from 0 to 1 in percent, with at most this number of decimals. Only a whole is 100%, and only nothing is 0%. */
export const percent = (share: number, decimals = 0): string => {
  const rounded = Number((share * 100).toFixed(decimals))
  return `${share < 1 && rounded === 100 ? "<100" : share > 0 && rounded === 0 ? ">0" : rounded}%`
}

/** Returns a text on one line, without white space at its ends and with single spaces. */
export const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** Returns the parts that are present. A part such as `number > 0 && sentence` is absent if its condition is false. */
export const present = <A>(parts: ReadonlyArray<A | false | undefined>): ReadonlyArray<A> =>
  parts.filter((part): part is A => part !== false && part !== undefined)

/** Joins parts of a sentence: `a, b and c`. */
export const listed = (parts: ReadonlyArray<string>, joint: "and" | "or" = "and"): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${joint} ${parts.at(-1)}`

/** Joins the first parts of a long list: `a, b and 5 more`. */
export const firstOf = (parts: ReadonlyArray<string>, most: number, joint = ", "): string =>
  parts.slice(0, most).join(joint) + (parts.length > most ? ` and ${count(parts.length - most)} more` : "")

/** Names row keys of which one is meant: `the key K-1`, `one of the keys K-1, K-2`. */
export const anyKeyOf = (keys: ReadonlyArray<string>): string =>
  `${keys.length === 1 ? "the key" : "one of the keys"} ${keys.join(", ")}`

/** Prepares a text for a comma-separated list: puts it in quotes if it contains a comma. */
export const asListed = (text: string): string => (text.includes(",") ? JSON.stringify(text) : text)
