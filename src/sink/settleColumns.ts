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

/** Titles of columns that tools put in front of the answers, beside the submission ids. */
const leading = new Set([
  "submission time",
  "last updated",
  "submission started",
  "status",
  "current step",
  "created records",
])

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
 * @param undeclared URL parameters that are sent and that the form does not declare
 * @returns undefined: there is no column of submission ids
 */
export const resultsColumns = (
  header: ResultsHeader,
  form: Form,
  undeclared: ReadonlyArray<string> = [],
): ResultsColumns | undefined => {
  const titles = header.titles.map(plain)
  const id = header.id ?? titles.findIndex((title) => idTitle.test(title))
  if (id < 0) return undefined
  const free = titles.flatMap((_, position) => (position === id || header.own.has(position) ? [] : [position]))
  const lists = ["questions", "calculations", "scheduling", "payments", "urlParameters"] as const
  const elements = [
    ...lists.flatMap((list) => form[list].map(({ id, name }) => ({ key: `${list} ${id}`, id, name }))),
    ...undeclared.map((id) => ({ key: `urlParameters ${id}`, id, name: id })),
  ]
  const found = new Map<string, ReadonlyArray<number>>()
  for (const name of new Set(elements.map((element) => plain(element.name)))) {
    const named = elements.filter((element) => plain(element.name) === name)
    const titled = free.filter((position) => titles[position] === name)
    const columns = titled.length > named.length && leading.has(name) ? titled.slice(1) : titled
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
