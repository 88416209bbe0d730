import type { Form } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import type { Column } from "../domain/row.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { withName } from "./findElement.ts"
import type { Findings } from "./Findings.ts"
import type { MappedAnswer } from "./Mapping.ts"

/** What the stamps carry, by their key in the pipeline's file. */
const carried = { urlParameter: "the row key", run: "the run's id", pipeline: "the pipeline's name" } as const

/** The placeholder for the run's id if there is no run. */
export const theRunsId = carried.run

/** A URL parameter by which an imported submission is recognised in the form. */
export interface Stamp {
  readonly id: string
  readonly name: string
  readonly carries: keyof typeof carried
  /** Whether the form declares the parameter. */
  readonly declared: boolean
  /**
   * Returns the value for a row. Without a run, only the row key has one: the run's id and the pipeline's name say where a submission comes from. They
   * are not part of the row, which is the same row in the next run and after the pipeline is renamed.
   */
  readonly value: (key: string | undefined, run: string | undefined) => string | undefined
}

/** Returns the stamps of a pipeline, the row key first. */
export const stampsOf = ({ name: pipeline, sink: { stamp } }: Pipeline, form: Form): ReadonlyArray<Stamp> => {
  const stampOf = (carries: Stamp["carries"], value: Stamp["value"]): ReadonlyArray<Stamp> => {
    const parameter = stamp?.[carries]
    if (parameter === undefined) return []
    const [declared] = withName(parameter, form.urlParameters)
    const { id, name } = declared ?? { id: parameter, name: parameter }
    return [{ id, name, carries, declared: declared !== undefined, value }]
  }
  return [
    ...stampOf("urlParameter", (key) => key),
    ...stampOf("run", (_, run) => run),
    ...stampOf("pipeline", (_, run) => run === undefined ? undefined : pipeline),
  ]
}

/** Adds an error for each stamp whose URL parameter is already filled, and a warning for each that the form does not declare. */
export const checkStamps = (stamps: ReadonlyArray<Stamp>, pipeline: Pipeline, form: Form, findings: Findings): void => {
  for (const [index, stamp] of stamps.entries()) {
    const { carries, declared, id, name } = stamp
    const path = ["sink", "stamp", carries]
    const before = stamps.slice(0, index).find((one) => one.id === id)
    if (before !== undefined) {
      findings.error(path, `The URL parameter "${brief(name)}" already carries ${carried[before.carries]}.`)
    } else if (!declared && form.questions.some((question) => question.id === id)) {
      findings.error(
        path,
        `The form does not declare the URL parameter "${brief(name)}", and has a question with this id.`,
        "Choose a different name, or add the URL parameter to the form.",
      )
    } else if (!declared) {
      findings.warning(
        path,
        `The form does not declare the URL parameter "${name}": it is unknown whether the service keeps ${
          carried[carries]
        }.`,
        suggest(name, form.urlParameters.map((each) => each.name), "Its URL parameters are") ?? "Add it to the form.",
      )
    } else if (
      pipeline.mapping.urlParameters.some((entry) => entry.id === id || withName(entry.name ?? "", [stamp]).length > 0)
    ) {
      findings.error(path, `The URL parameter "${brief(name)}" is already filled by the mapping.`)
    }
  }
}

/** Returns a stamp as a mapped answer. */
export const stampAnswer = (
  { carries, declared, id, name }: Stamp,
  keyColumns: ReadonlyArray<Column>,
): MappedAnswer => ({
  id,
  name,
  kind: "text",
  list: "urlParameters",
  tolerated: declared ? undefined : "the form does not declare this URL parameter",
  columns: carries === "urlParameter" ? keyColumns : [],
  translations: [],
})

/** Returns the ids of the URL parameters that carry the row key, and of those that say where a submission comes from. */
export const stampIdsOf = (stamps: ReadonlyArray<Stamp>) => ({
  rowKey: stamps.find(({ carries }) => carries === "urlParameter")?.id,
  origin: originIdsOf(stamps),
})

/** Returns the ids of the URL parameters that say where a submission comes from: those with the run's id and the pipeline's name. */
export const originIdsOf = (stamps: ReadonlyArray<Stamp>): ReadonlySet<string> =>
  new Set(stamps.flatMap(({ carries, id }) => (carries === "urlParameter" ? [] : [id])))
