import type { YamlPath } from "../domain/diagnostic.ts"
import type { Element, Question } from "../domain/form.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings } from "./Findings.ts"

/** Texts on their way from one question's cells to another question (`textTo`): those of the row at hand. */
export interface Spill {
  readonly to: Question
  /** The question whose cells give the texts. */
  readonly from: Element
  readonly path: YamlPath
  readonly texts: Array<string>
}

/** All spills of a mapping. */
export interface Spills {
  /** The spill to a question, by its name or id; a question that there is none of, or that another one fills, is found as an error. */
  readonly open: (textTo: string, from: Element, path: YamlPath) => Spill | undefined
  readonly from: (element: Element) => ReadonlyArray<Spill>
}

export const makeSpills = (questions: ReadonlyArray<Question>, findings: Findings): Spills => {
  const opened = new Map<string, Spill>()
  const plain = (name: string) => name.normalize("NFC").trim()
  return {
    open: (textTo, from, path) => {
      const meant = questions.filter((question) => question.id === textTo || plain(question.name) === plain(textTo))
      const [to] = meant
      if (to === undefined || meant.length > 1) {
        findings.error(
          path,
          to === undefined
            ? `The form has no question called "${textTo}".`
            : `${meant.length} of the form's questions are called "${textTo}".`,
          to === undefined
            ? suggest(textTo, questions.map((question) => question.name), "Its questions are")
            : `Say which one by its id: ${meant.map((question) => question.id).join(", ")}.`,
        )
        return undefined
      }
      const before = opened.get(to.id)
      if (before !== undefined && before.from.id !== from.id) {
        findings.error(path, `"${to.name}" already gets texts of "${before.from.name}".`)
        return undefined
      }
      const spill = before ?? { to, from, path, texts: [] }
      opened.set(to.id, spill)
      return spill
    },
    from: (element) => [...opened.values()].filter((spill) => spill.from.id === element.id),
  }
}
