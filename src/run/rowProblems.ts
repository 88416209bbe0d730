// The problems of rows that a run rejects, apart from those of their cells.
import type { Item } from "../domain/item.ts"
import { brief, cut, type Problem } from "../domain/problem.ts"
import { shownName } from "../domain/row.ts"
import { firstOf } from "../domain/words.ts"
import type { MappedAnswer } from "../mapping/Mapping.ts"
import type { Origin } from "./content.ts"
import type { RunPlan } from "./RunContext.ts"

type Keyed = Pick<RunPlan, "keyColumns">

/**
 * Returns the problem of a row whose key a different row of the source has.
 *
 * @param row the other row's number, if it is already known
 */
export const duplicateOf = ({ keyColumns }: Keyed, row: number | undefined, hasSameContent: boolean): Problem => ({
  code: "duplicate-key",
  column: keyColumns[0],
  message: `${cut(keyColumns.join(", "))} contains the same key as ${
    row === undefined ? "another row of this source" : `row ${row}`
  }, with ${
    hasSameContent
      ? "the same content: nothing is lost"
      : "different content: give one of them a different key, or remove it"
  }.`,
})

/** Returns the problem of a row that was rejected as a duplicate, and that nobody has corrected. */
export const stillDuplicate = ({ keyColumns }: Keyed): Problem => ({
  code: "duplicate-key",
  column: keyColumns[0],
  message:
    `${cut(keyColumns.join(", "))} still contains the key of another row, because of which the row was rejected. `
    + "Give the row a different key. If it is the right row for this key, delete the content of its column _code.",
})

/** Returns the problem of a fixed row whose original was sent. */
export const alreadySent = ({ keyColumns }: Keyed): Problem => ({
  code: "changed",
  column: keyColumns[0],
  message:
    "This row, or one with identical cells, was already sent, perhaps differently. If it is another row, correct it in the source. "
    + "Otherwise edit the submission in the service, because formferry can't change it, or acknowledge the row.",
})

/** The problem of a row that a fixed row replaced, if the source contains both. */
export const repeatsFixed: Problem = {
  code: "duplicate-key",
  message:
    "The row equals one that was fixed and imported, which this source also contains, as it was or fixed. If it is a different record, correct it in the source. Otherwise, remove it.",
}

/** Says that a row can't be compared with the originals of fixed rows, because the source lacks some of their columns. */
export const perhapsFixed = (lost: ReadonlyArray<string>): string =>
  `The source lacks ${lost.length === 1 ? "the column" : "the columns"} ${firstOf(lost, 5)}, `
  + "so it is unknown whether the row was fixed and imported before. If a column has a new title, give it its earlier title as a name under source.columns. If the row was imported, acknowledge it."

/** Returns the problem of such a row that has a key. */
export const perhapsReplaced = ({ keyColumns }: Keyed, lost: ReadonlyArray<string>): Problem => ({
  code: "duplicate-key",
  column: keyColumns[0],
  message: `${perhapsFixed(lost)} If it is a different row, give it a different key.`,
})

/** Returns the problem of a second row of a fixed rejected.csv with the same `_id`. */
export const sameOrigin = (row: number): Problem => ({
  code: "duplicate-key",
  message:
    `The rejected row is in the file twice: row ${row} has the same _id. If this is another row, correct it in the source.`,
})

/** The problem of a fixed row without a key that equals another row that was sent. */
export const equalsOther: Problem = {
  code: "duplicate-key",
  message:
    "The row equals another one that was sent, and `rowKey: content` can't distinguish them here. Correct it in the source: there, both are counted.",
}

/**
 * Whether a row's content may be older than what was imported, because the row does not come from the pipeline's own source. A fixed row is newer, unless
 * it was rejected for this reason.
 */
export const mayBeOlder = (
  { isFixed, otherSource }: Pick<RunPlan, "isFixed" | "otherSource">,
  origin: Origin | undefined,
): boolean => otherSource !== undefined && (!isFixed || origin?.isChanged === true)

/** Returns the problem of a row that was imported with different content. */
export const changedContent = (
  { keyColumns, pipeline }: Keyed & Pick<RunPlan, "pipeline">,
  isPerhapsOlder: boolean,
): Problem => ({
  code: "changed",
  column: keyColumns[0],
  message: isPerhapsOlder
    ? "The row was imported before with different content, and this file may be older. If it is, acknowledge the row. "
      + `Otherwise edit the submission in the service${
        pipeline.sink.onChange === "import-again"
          ? ", or import the row again: delete the content of its column _code, and run rejected.csv with --source."
          : ", because formferry can't change it."
      }`
    : "The row was imported before with different content. formferry can't change a submission: "
      + "edit it in the service, or acknowledge the row.",
})

/** Returns the problem of a row of rejected.csv whose key is not that of a rejected row with its content. */
export const changedKey = (row: number): Problem => ({
  code: "unknown-original",
  column: "_key",
  message:
    `The _key of row ${row} was changed, so it is unknown which row it replaces. Copy the _key, and the cells of the row key, from the rejected.csv of the run. `
    + "Spreadsheet programs change keys that look like dates or long numbers: import them as text. If the keys were changed with `ledger rekey` after that run, correct the rejected.csv of a later one.",
})

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
