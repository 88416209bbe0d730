/** How the units of a file (columns or blocks) usually match a form's questions. Most files keep the form's order. */
interface Habits {
  /** Share of units that answer no question. */
  readonly alone: number
  /** Share of steps that keep the order: the next unit answers a later question. */
  readonly inOrder: number
  /** Share of questions that are skipped in such a step. */
  readonly skipped: number
}

const mostly: Habits = { alone: 0.2, inOrder: 0.7, skipped: 0.25 }

/** The weight of the usual habits, as a number of cases that is added to those of the file. */
const trust = 12

const rounds = 16

/**
 * Returns how probable each unit of a file answers each question of a form, by unit, then by question. Uses a hidden Markov model whose state is the
 * last question answered so far. The next unit answers one of the next questions, sometimes any other question, or none. Belief propagation between
 * the units limits each question to one unit.
 *
 * @param evidence by unit in the file's order, then by question in the form's order: the logarithm of how many times likelier titles and cells are if the unit
 * answers the question than if it does not
 * @param usual the habits to start from; if the units have no order, `inOrder` is 0
 */
export const align = (
  evidence: ReadonlyArray<ReadonlyArray<number>>,
  usual: Habits = mostly,
): ReadonlyArray<Float64Array> => {
  const units = evidence.length
  const questions = evidence[0]?.length ?? 0
  const table = () => Array.from({ length: units }, () => new Float64Array(questions))
  if (units === 0 || questions === 0) return table()
  const likely = evidence.map((row) => Float64Array.from(row, (one) => Math.exp(Math.max(-20, Math.min(20, one)))))
  // For each unit and question: a factor. It is lower if another unit is more likely to answer the question.
  const free = likely.map((row) => row.map(() => 1))
  const found = table()
  let habits = usual
  for (let round = 0; round < rounds; round++) {
    const counts = pass(likely, free, found, habits)
    const share = (part: number, of: number, before: number) => (part + trust * before) / (of + trust)
    habits = {
      alone: share(counts.alone, units, usual.alone),
      inOrder: share(counts.inOrder, counts.matched, usual.inOrder),
      skipped: share(counts.skipped, counts.skipped + counts.inOrder, usual.skipped),
    }
    for (let question = 0; question < questions; question++) {
      const odds = found.map((row, unit) => {
        const sure = Math.min(row[question]!, 1 - 1e-12)
        return sure / (1 - sure) / free[unit]![question]!
      })
      const all = odds.reduce((sum, one) => sum + one, 0)
      for (const [unit, own] of odds.entries()) {
        const left = 1 / (1 + Math.max(0, all - own))
        free[unit]![question] = Math.sqrt(free[unit]![question]! * left)
      }
    }
  }
  return found
}

/** Runs the forward-backward algorithm over the units once, and writes the probabilities to `found`. Returns how often each habit was observed. */
const pass = (
  likely: ReadonlyArray<Float64Array>,
  free: ReadonlyArray<Float64Array>,
  found: ReadonlyArray<Float64Array>,
  { alone, inOrder, skipped }: Habits,
) => {
  const units = likely.length
  const questions = likely[0]?.length ?? 0
  const jump = (1 - inOrder) / questions
  const next = inOrder * (1 - skipped)
  // State 0 is before the first question; state k is after question k - 1.
  const before: Array<Float64Array> = [new Float64Array(questions + 1)]
  before[0]![0] = 1
  const reached: Array<Float64Array> = []
  for (let unit = 0; unit < units; unit++) {
    const from = before[unit]!
    const to = new Float64Array(questions + 1)
    const reach = new Float64Array(questions)
    const total = from.reduce((sum, one) => sum + one, 0)
    let ahead = 0
    for (let question = 0; question < questions; question++) {
      ahead = ahead * skipped + from[question]!
      reach[question] = (1 - alone) * (next * ahead + jump * total)
      to[question + 1] = reach[question]! * likely[unit]![question]! * free[unit]![question]!
    }
    for (let state = 0; state <= questions; state++) to[state]! += alone * from[state]!
    const sum = to.reduce((all, one) => all + one, 0)
    before.push(to.map((one) => one / sum))
    reached.push(reach)
  }
  const counts = { alone: 0, inOrder: 0, matched: 0, skipped: 0 }
  let after = new Float64Array(questions + 1).fill(1)
  for (let unit = units - 1; unit >= 0; unit--) {
    const from = before[unit]!
    const worth = new Float64Array(questions)
    let all = 0
    let none = 0
    for (let question = 0; question < questions; question++) {
      worth[question] = likely[unit]![question]! * free[unit]![question]! * after[question + 1]!
      all += worth[question]! * reached[unit]![question]!
    }
    for (let state = 0; state <= questions; state++) none += alone * from[state]! * after[state]!
    const sum = all + none
    const total = from.reduce((one, other) => one + other, 0)
    counts.alone += none / sum
    let ahead = 0
    let skips = 0
    for (let question = 0; question < questions; question++) {
      found[unit]![question] = worth[question]! * reached[unit]![question]! / sum
      skips = (skips + ahead) * skipped
      ahead = ahead * skipped + from[question]!
      const kept = worth[question]! * (1 - alone) * next / sum
      counts.inOrder += kept * ahead
      counts.skipped += kept * skips
      counts.matched += kept * ahead + worth[question]! * (1 - alone) * jump * total / sum
    }
    const earlier = new Float64Array(questions + 1)
    const anywhere = worth.reduce((one, other) => one + other, 0) * (1 - alone) * jump
    let rest = 0
    for (let state = questions; state >= 0; state--) {
      if (state < questions) rest = rest * skipped + worth[state]!
      earlier[state] = alone * after[state]! + anywhere + (1 - alone) * next * rest
    }
    const most = earlier.reduce((one, other) => Math.max(one, other), 0)
    after = earlier.map((one) => one / most)
  }
  return counts
}
