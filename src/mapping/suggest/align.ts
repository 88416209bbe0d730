/** How the units of a file (columns or blocks) usually match a form's questions. Most files keep the form's order. */
interface Habits {
  /** Share of units that answer no question. */
  readonly alone: number
  /** Share of questions that no unit answers. */
  readonly skipped: number
  /** How probable it is that the file keeps the form's order. */
  readonly inOrder: number
}

const mostly: Habits = { alone: 0.15, skipped: 0.15, inOrder: 0.8 }

/** Share of units that are moved in a file that keeps the order. */
const moved = 0.05

type Table = ReadonlyArray<Float64Array>

const table = (rows: number, columns: number): Table => Array.from({ length: rows }, () => new Float64Array(columns))

const sumOf = (row: Float64Array): number => row.reduce((sum, one) => sum + one, 0)

const columnSums = (rows: Table): ReadonlyArray<number> =>
  Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => rows.reduce((sum, row) => sum + row[column]!, 0))

/**
 * Returns how probable each unit of a file answers each question of a form, by unit, then by question. No unit answers two questions, and no question has two units.
 * Two readings of the file are mixed, with the weight that the file's own order gives them: one in which units and questions have the same order, and one without an order.
 *
 * @param evidence by unit in the file's order, then by question in the form's order: the logarithm of how many times likelier titles and cells are if the unit
 * answers the question than if it does not
 * @param usual the habits to start from; if the units have no order, `inOrder` is 0
 */
export const align = (evidence: ReadonlyArray<ReadonlyArray<number>>, usual: Habits = mostly): Table => {
  const units = evidence.length
  const questions = evidence[0]?.length ?? 0
  if (units === 0 || questions === 0) return table(units, questions)
  const likely = evidence.map((row) => Float64Array.from(row, (one) => Math.exp(Math.max(-20, Math.min(20, one)))))
  const odds = (1 - usual.alone) / usual.alone / questions
  const anyhow = matching(likely.map((row) => row.map((one) => one * odds)))
  if (usual.inOrder === 0) return anyhow
  const ordered = inOrder(likely, usual)
  const freeUnits = ordered.map((row) => Math.max(0, 1 - sumOf(row)))
  const freeQuestions = columnSums(ordered).map((sum) => Math.max(0, 1 - sum))
  const left = matching(
    likely.map((row, unit) =>
      row.map((one, question) => one * moved / questions * freeUnits[unit]! * freeQuestions[question]!)
    ),
  )
  const keeps = keepsOrder(anyhow, usual.inOrder)
  return anyhow.map((row, unit) =>
    row.map((one, question) =>
      (1 - keeps) * one
      + keeps
        * Math.min(1, ordered[unit]![question]! + left[unit]![question]! * freeUnits[unit]! * freeQuestions[question]!)
    )
  )
}

/** Returns how probable it is that units keep the order of questions: in steps from one unit to the next, a kept order goes forwards. */
const keepsOrder = (found: Table, before: number): number => {
  let odds = Math.log(before / (1 - before))
  const best = found.map((row) => row.reduce((most, one, at) => one > row[most]! ? at : most, 0))
  let last = -1
  for (const [unit, question] of best.entries()) {
    const sure = found[unit]![question]!
    if (sure < 0.5) continue
    if (last >= 0) {
      const both = sure * found[last]![best[last]!]!
      odds += both * Math.log((question > best[last]! ? 0.985 : 0.015) / 0.5)
    }
    last = unit
  }
  return 1 / (1 + Math.exp(-odds))
}

/** Returns probabilities of a one-to-one matching, without an order, by belief propagation. */
const matching = (weight: Table): Table => {
  const [units, questions] = [weight.length, weight[0]?.length ?? 0]
  // By how much the other questions leave a unit to this one, and the other units a question.
  let unitFree = weight.map((row) => row.map(() => 1))
  const questionFree = weight.map((row) => row.map(() => 1))
  for (let round = 0; round < 20; round++) {
    const claims = table(units, questions)
    for (let unit = 0; unit < units; unit++) {
      const all = weight[unit]!.reduce((sum, one, at) => sum + one * questionFree[unit]![at]!, 0)
      for (let at = 0; at < questions; at++) {
        claims[unit]![at] = 1 / (1 + Math.max(0, all - weight[unit]![at]! * questionFree[unit]![at]!))
      }
    }
    unitFree = unitFree.map((row, unit) => row.map((one, at) => Math.sqrt(one * claims[unit]![at]!)))
    for (let at = 0; at < questions; at++) {
      const all = weight.reduce((sum, row, unit) => sum + row[at]! * unitFree[unit]![at]!, 0)
      for (let unit = 0; unit < units; unit++) {
        questionFree[unit]![at] = Math.sqrt(
          questionFree[unit]![at]! / (1 + Math.max(0, all - weight[unit]![at]! * unitFree[unit]![at]!)),
        )
      }
    }
  }
  return weight.map((row, unit) =>
    row.map((one, at) => {
      const odds = one * unitFree[unit]![at]! * questionFree[unit]![at]!
      return odds / (1 + odds)
    })
  )
}

/** Returns probabilities if units and questions have the same order, summed over all such alignments. */
const inOrder = (likely: Table, { alone, skipped }: Habits): Table => {
  const [units, questions] = [likely.length, likely[0]?.length ?? 0]
  const match = (1 - alone) * (1 - skipped)
  // Sums over alignments of the first units and questions. In a gap, units come first, then questions.
  const [before, gap] = [table(units + 1, questions + 1), table(units + 1, questions + 1)]
  const scales = new Float64Array(units + 1).fill(1)
  for (let unit = 0; unit <= units; unit++) {
    for (let question = 0; question <= questions; question++) {
      // `before`: ends with a match or a unit alone. `gap`: ends with anything.
      before[unit]![question] = unit === 0
        ? (question === 0 ? 1 : 0)
        : alone * before[unit - 1]![question]!
          + (question === 0 ? 0 : match * likely[unit - 1]![question - 1]! * gap[unit - 1]![question - 1]!)
      gap[unit]![question] = before[unit]![question]! + (question === 0 ? 0 : skipped * gap[unit]![question - 1]!)
    }
    const scale = gap[unit]!.reduce((most, one) => Math.max(most, one), 0)
    scales[unit] = scale
    for (const rows of [before, gap]) {
      rows[unit]!.forEach((one, at, row) => {
        row[at] = one / scale
      })
    }
  }
  const [after, later] = [table(units + 1, questions + 1), table(units + 1, questions + 1)]
  // `after`: what follows a match or a unit alone. `later`: what follows a question alone.
  for (let unit = units; unit >= 0; unit--) {
    for (let question = questions; question >= 0; question--) {
      const scale = unit < units ? scales[unit + 1]! : 1
      const next = unit < units && question < questions
        ? match * likely[unit]![question]! * after[unit + 1]![question + 1]! / scale
        : 0
      const skip = question < questions ? skipped * later[unit]![question + 1]! : 0
      const end = unit === units && question === questions ? 1 : 0
      later[unit]![question] = next + skip + end
      after[unit]![question] = next + skip + end + (unit < units ? alone * after[unit + 1]![question]! / scale : 0)
    }
  }
  const all = gap[units]![questions]!
  return likely.map((row, unit) =>
    row.map((one, question) =>
      match * one * gap[unit]![question]! * after[unit + 1]![question + 1]! / scales[unit + 1]! / all
    )
  )
}
