import type { YamlPath } from "../domain/diagnostic.ts"
import { type Element, type FormList, formLists, plainName } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import type { MappingEntry } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings } from "./Findings.ts"

/** Returns the elements that have a name. */
export const withName = <E extends Element>(name: string, elements: ReadonlyArray<E>): ReadonlyArray<E> =>
  elements.filter((element) => plainName(element.name) === plainName(name))

/** Returns the element with this id. If there is none, returns the elements with this name. */
export const meantBy = <E extends Element>(idOrName: string, elements: ReadonlyArray<E>): ReadonlyArray<E> => {
  const byId = elements.filter(({ id }) => id === idOrName)
  return byId.length > 0 ? byId : withName(idOrName, elements)
}

/** Returns the only element that a name matches. Adds an error if no element or several match. */
export const theOnly = <E extends Element>(
  found: ReadonlyArray<E>,
  name: string,
  elements: ReadonlyArray<E>,
  list: FormList,
  path: YamlPath,
  findings: Findings,
): E | undefined => {
  if (found.length === 1) return found[0]
  const { many, one } = formLists[list]
  if (found.length > 1) {
    const ids = found.map((element) => `"${brief(element.name)}" (${element.id})`)
    findings.error(
      path,
      `${found.length} of the form's ${many} are called "${brief(name)}".`,
      `Name the intended one by its id: ${ids.join(", ")}.`,
    )
  } else {
    findings.error(
      path,
      `The form has no ${one} called "${brief(name)}".`,
      suggest(name, elements.map((element) => element.name), `Its ${many} are`)
        ?? (elements.length === 0 ? `It has no ${many}.` : undefined),
    )
  }
  return undefined
}

/** Finds the element that an entry fills, by id, by name, or by both. Adds an error if the entry doesn't fit the form. */
export const findElement = <E extends Element>(
  { id, name = "", path }: Pick<MappingEntry, "id" | "name" | "path">,
  elements: ReadonlyArray<E>,
  list: FormList,
  findings: Findings,
): E | undefined => {
  const byName = name === "" ? [] : withName(name, elements)
  if (id === undefined) return theOnly(byName, name, elements, list, [...path, "name"], findings)
  const { many, one } = formLists[list]
  const [named] = byName
  const element = elements.find((each) => each.id === id)
  if (element === undefined) {
    findings.error(
      [...path, "id"],
      `The form has no ${one} with the id ${id}.`,
      named === undefined
        ? suggest(id, elements.map((each) => each.id), `Ids of its ${many} are`)
        : `The ${one} "${brief(named.name)}" has the id ${named.id}.`,
    )
  } else if (name !== "" && !byName.includes(element)) {
    findings.error(
      [...path, "name"],
      `The ${one} ${id} is called "${brief(element.name)}" in the form, not "${brief(name)}".`,
      named === undefined ? "Correct the name, or remove it." : `"${brief(name)}" has the id ${named.id}.`,
    )
    return undefined
  }
  return element
}
