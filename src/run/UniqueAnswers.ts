import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import type { UniqueAnswer } from "../mapping/Mapping.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"

/**
 * Hashes of the answers that must be unique among the rows of a source (`unique`), about 30 bytes each. Covers the rows
 * that this run sends and those sent earlier. Rows with the same key may have the same answers.
 */
export class UniqueAnswers {
  private readonly all: ReadonlyArray<{ readonly answer: UniqueAnswer; readonly given: KeyTable }>
  private readonly hash = new RowHash()
  private readonly keyHash = new RowHash()

  constructor(answers: ReadonlyArray<UniqueAnswer>) {
    this.all = answers.map((answer) => ({ answer, given: new KeyTable() }))
  }

  /** Records a row's answers. If a different row has one of the same answers, records none and returns the problems. */
  take(cells: Cells, key: string, row: number): ReadonlyArray<Problem> | undefined {
    if (this.all.length === 0) return undefined
    const problems: Array<Problem> = []
    const fresh: Array<readonly [KeyTable, string]> = []
    for (const { answer, given } of this.all) {
      const value = answer.value(cells)
      if (value === undefined) continue
      this.fill(value, key)
      const slot = given.find(this.hash)
      if (slot < 0) fresh.push([given, value])
      else if (!given.hasContent(slot, this.hash)) problems.push(answer.problem(value, given.number(slot)))
    }
    if (problems.length > 0) return problems
    for (const [given, value] of fresh) {
      this.fill(value, key)
      given.add(this.hash, row)
    }
    return undefined
  }

  /** The table's key is the answer, and its content is the row's key. */
  private fill(value: string, key: string): void {
    this.keyHash.key(key)
    this.hash.key(value)
    this.hash.d = this.keyHash.a
    this.hash.e = this.keyHash.b
  }
}
