import type { Item } from "../domain/item.ts"
import { brief, type Problem } from "../domain/problem.ts"
import type { MappedAnswer } from "../mapping/Mapping.ts"
import { shownName } from "../source/columns.ts"

/** Where the service's message names a question by its position in the request. */
const positions = /(^|; )questions\.(\d+)(?:\.value)?: /g

/** Returns the problem of a row that the service refused. Names the questions that the service's message gives by position. */
export const refusedProblem = (message: string, item: Item, answers: ReadonlyArray<MappedAnswer>): Problem => {
  const answerAt = (position: string | undefined) => {
    const id = item.questions[Number(position)]?.id
    return answers.find((one) => one.list === "questions" && one.id === id)
  }
  const [answer] = [...message.matchAll(positions)].flatMap(([, , position]) => answerAt(position) ?? [])
  const column = answer?.columns[0]
  return {
    code: "refused",
    ...(answer === undefined ? {} : { question: answer.id }),
    ...(column === undefined ? {} : { column: shownName(column) }),
    message: message.replaceAll(positions, (all, before: string, position: string) => {
      const name = answerAt(position)?.name
      return name === undefined ? all : `${before}"${brief(name)}": `
    }),
  }
}
