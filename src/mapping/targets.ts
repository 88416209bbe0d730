import type { Element } from "../domain/form.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings } from "./Findings.ts"

/** What the members of a form's list are called, for people. */
export interface ListWords {
  readonly one: string
  readonly many: string
}

const same = (a: string, b: string) => a.normalize("NFC").trim() === b.normalize("NFC").trim()

const named = (element: Element) => `"${element.name}" (${element.id})`

/** Finds the question or element that an entry fills, by id, by name, or both; what does not fit the form is found as an error. */
export const target = <E extends Element>(
  entry: Pick<MappingEntry, "id" | "name" | "path">,
  elements: ReadonlyArray<E>,
  words: ListWords,
  findings: Findings,
): E | undefined => {
  const { id, name, path } = entry
  const byName = name === undefined ? [] : elements.filter((element) => same(element.name, name))
  if (id !== undefined) {
    const element = elements.find((each) => each.id === id)
    if (element === undefined) {
      const [moved] = byName
      findings.error(
        [...path, "id"],
        `The form has no ${words.one} with the id ${id}.`,
        moved === undefined
          ? suggest(id, elements.map((each) => each.id), `Ids of its ${words.many} are`)
          : `The ${words.one} "${moved.name}" has the id ${moved.id}.`,
      )
    } else if (name !== undefined && !byName.includes(element)) {
      findings.error(
        [...path, "name"],
        `The ${words.one} ${id} is called "${element.name}" in the form, not "${name}".`,
        byName[0] === undefined ? "Correct the name, or leave it out." : `"${name}" has the id ${byName[0].id}.`,
      )
    } else return element
    return undefined
  }
  if (name === undefined) {
    findings.error(path, `An entry needs the id or the name of its ${words.one}.`)
    return undefined
  }
  if (byName.length === 1) return byName[0]
  findings.error(
    [...path, "name"],
    byName.length === 0
      ? `The form has no ${words.one} called "${name}".`
      : `${byName.length} of the form's ${words.many} are called "${name}".`,
    byName.length === 0
      ? suggest(name, elements.map((each) => each.name), `Its ${words.many} are`)
        ?? (elements.length === 0 ? `It has no ${words.many}.` : undefined)
      : `Say which one by its id: ${byName.map(named).join(", ")}.`,
  )
  return undefined
}
