import type { Item } from "../domain/item.ts"

/** Ids of what an item answers: questions and the other members that a mapping can fill. */
export const answered = (item: Item): ReadonlyArray<string> => [
  ...item.questions.map((answer) => answer.id),
  ...(item.urlParameters ?? []).map((parameter) => parameter.id),
  ...(item.scheduling ?? []).map((field) => field.id),
  ...(item.payments ?? []).map((field) => field.id),
  ...(item.submissionTime === undefined ? [] : ["submissionTime"]),
  ...(item.lastUpdatedAt === undefined ? [] : ["lastUpdatedAt"]),
  ...(item.login === undefined ? [] : ["login"]),
]

/**
 * Chooses a run's first rows so that together they cover every question that any row answers (product.md, "A run, step by step"). Rows are offered
 * one by one; for each question the fullest row that answers it is kept, so memory grows with the questions, not with the rows.
 */
export class CanaryRows {
  private readonly fullest = new Map<string, { readonly row: number; readonly answers: ReadonlyArray<string> }>()
  private readonly first: Array<number> = []
  private readonly size: number

  /** @param size rows at most; 0: no canary */
  constructor(size: number) {
    this.size = size
  }

  offer(row: number, item: Item): void {
    if (this.size === 0) return
    if (this.first.length < this.size) this.first.push(row)
    const answers = answered(item)
    for (const id of answers) {
      const best = this.fullest.get(id)
      if (best === undefined || best.answers.length < answers.length) this.fullest.set(id, { row, answers })
    }
  }

  /** Row numbers, ascending: greedily those that cover most of what is not covered yet, filled up with the source's first rows. */
  choose(limit: number): ReadonlyArray<number> {
    const most = Math.min(this.size, limit)
    const open = new Set(this.fullest.keys())
    const candidates = [...new Map([...this.fullest.values()].map((one) => [one.row, one])).values()]
    const chosen = new Set<number>()
    while (open.size > 0 && chosen.size < most) {
      let best: { readonly row: number; readonly answers: ReadonlyArray<string> } | undefined
      let gain = 0
      for (const candidate of candidates) {
        const news = candidate.answers.filter((id) => open.has(id)).length
        if (news > gain) {
          best = candidate
          gain = news
        }
      }
      if (best === undefined) break
      chosen.add(best.row)
      for (const id of best.answers) open.delete(id)
    }
    for (const row of this.first) if (chosen.size < most) chosen.add(row)
    return [...chosen].sort((a, b) => a - b)
  }

  /** Ids that no choice of that many rows covers. */
  uncovered(chosen: ReadonlyArray<number>): ReadonlyArray<string> {
    const covered = new Set(
      [...this.fullest.values()].filter((one) => chosen.includes(one.row)).flatMap((one) => one.answers),
    )
    return [...this.fullest.keys()].filter((id) => !covered.has(id))
  }
}
