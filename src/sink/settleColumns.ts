import type { Form } from "../domain/form.ts"

/** The header of an export of a form's results, as far as its reader knows it. */
export interface ResultsHeader {
  /** Titles by position. */
  readonly titles: ReadonlyArray<string>
  /** Columns of the tool's own, by position, where the export was recognised: they hold no answers. */
  readonly own: ReadonlySet<number>
  /** The column of submission ids, where the reader knows it. */
  readonly id: number | undefined
}

/** Where an export holds what. */
export interface ResultsColumns {
  readonly id: number
  /** Positions of the columns of an element, by `questions ID` or `urlParameters ID`; several where its parts have columns of their own. */
  readonly elements: ReadonlyMap<string, ReadonlyArray<number>>
}

const plain = (title: string): string => title.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase()

const idTitle = /^submission ?_?id$/

/** Titles of the columns that hold the parts of a question: `City (Home address)`, or with the question in front. */
const partOf = (title: string, name: string): boolean =>
  title.endsWith(` (${name})`) || title.startsWith(`${name} [`) || title.startsWith(`${name} - `)
  || title.startsWith(`${name} (`)

/**
 * Finds the columns of a form's questions and URL parameters by their names, or ids, in an export's header. Of names that repeat, the nth column is the nth
 * element's, when there are as many columns as elements: an export has them in the form's order.
 *
 * @returns undefined: there is no column of submission ids
 */
export const resultsColumns = (header: ResultsHeader, form: Form): ResultsColumns | undefined => {
  const titles = header.titles.map(plain)
  const id = header.id ?? titles.findIndex((title) => idTitle.test(title))
  if (id < 0) return undefined
  const free = titles.flatMap((_, position) => (position === id || header.own.has(position) ? [] : [position]))
  const elements = [
    ...form.questions.map((question) => ({ key: `questions ${question.id}`, ...question })),
    ...form.urlParameters.map((parameter) => ({ key: `urlParameters ${parameter.id}`, ...parameter })),
  ]
  const found = new Map<string, ReadonlyArray<number>>()
  for (const name of new Set(elements.map((element) => plain(element.name)))) {
    const named = elements.filter((element) => plain(element.name) === name)
    const columns = free.filter((position) => titles[position] === name)
    named.forEach((element, nth) => {
      const column = columns[nth]
      if (column !== undefined && columns.length === named.length) found.set(element.key, [column])
    })
    const [only] = named
    if (columns.length > 0 || named.length > 1 || only === undefined || name === "") continue
    const parts = free.filter((position) => partOf(titles[position] ?? "", name))
    if (parts.length > 0) found.set(only.key, parts)
  }
  for (const element of elements) {
    if (found.has(element.key)) continue
    const columns = free.filter((position) => titles[position] === plain(element.id))
    if (columns.length === 1) found.set(element.key, columns)
  }
  return { id, elements: found }
}
