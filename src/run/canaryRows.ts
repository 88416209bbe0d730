interface Candidate {
  readonly row: number
  /** Indexes of the answers that it has. */
  readonly answers: ReadonlyArray<number>
}

/**
 * Chooses a run's first rows so that together they cover every question that any row answers (product.md, "A run, step by step"). Rows are offered
 * one by one; for each answer of the mapping the fullest row that has it is kept, so memory grows with the questions, not with the rows.
 */
export class CanaryRows {
  private readonly fullest: Array<Candidate | undefined>
  /** How many answers each of them has, beside one another: every row is held against them. */
  private readonly counts: Uint32Array
  private readonly first: Array<number> = []
  private readonly size: number

  /**
   * @param size rows at most; 0: no canary
   * @param answers how many the mapping has
   */
  constructor(size: number, answers: number) {
    this.size = size
    this.fullest = new Array<Candidate | undefined>(size === 0 ? 0 : answers).fill(undefined)
    this.counts = new Uint32Array(this.fullest.length)
  }

  /** @param answered 1 for each answer of the mapping that the row has, else 0 */
  offer(row: number, answered: Uint8Array): void {
    if (this.first.length < this.size) this.first.push(row)
    let count = 0
    for (let index = 0; index < answered.length; index++) count += answered[index]!
    let candidate: Candidate | undefined
    for (let index = 0; index < this.counts.length; index++) {
      if (answered[index] === 0 || this.counts[index]! >= count) continue
      candidate ??= { row, answers: [...answered.keys()].filter((at) => answered[at] === 1) }
      this.fullest[index] = candidate
      this.counts[index] = count
    }
  }

  /**
   * Row numbers, ascending: greedily those that cover most of what is not covered yet, filled up with the source's first rows.
   *
   * @param goesOut whether an offered row goes out after all
   */
  choose(limit: number, goesOut: (row: number) => boolean = () => true): ReadonlyArray<number> {
    const most = Math.min(this.size, limit)
    const fullest = this.fullest.map((one) => (one !== undefined && goesOut(one.row) ? one : undefined))
    const candidates = new Set(fullest.flatMap((one) => one ?? []))
    const open = new Set(fullest.flatMap((one, index) => (one === undefined ? [] : [index])))
    const chosen = new Set<number>()
    while (open.size > 0 && chosen.size < most) {
      let best: Candidate | undefined
      let gain = 0
      for (const candidate of candidates) {
        const news = candidate.answers.filter((index) => open.has(index)).length
        if (news <= gain) continue
        best = candidate
        gain = news
      }
      if (best === undefined) break
      chosen.add(best.row)
      for (const index of best.answers) open.delete(index)
    }
    for (const row of this.first) if (chosen.size < most && goesOut(row)) chosen.add(row)
    return [...chosen].sort((a, b) => a - b)
  }

  /** Indexes of the answers that these rows do not cover, although some row has them. */
  uncovered(chosen: ReadonlyArray<number>): ReadonlyArray<number> {
    const covered = new Set(
      this.fullest.flatMap((one) => (one !== undefined && chosen.includes(one.row) ? one.answers : [])),
    )
    return this.fullest.flatMap((one, index) => (one === undefined || covered.has(index) ? [] : [index]))
  }
}
