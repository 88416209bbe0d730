/** How the units of a file (columns or blocks) usually match a form's questions. Most files keep the form's order. */
const mostly = {
  /** Share of units that answer no question, and of questions that no unit answers. */
  alone: 0.15,
  /** How probable it is that the file keeps the form's order. */
  inOrder: 0.8,
}

/** Share of units that are moved in a file that keeps the order. */
const moved = 0.05

type Table = ReadonlyArray<Float64Array>

const table = (rows: number, columns: number): Table => Array.from({ length: rows }, () => new Float64Array(columns))

const sumOf = (row: Float64Array): number => row.reduce((sum, one) => sum + one, 0)

/**
 * Returns how probable each unit of a file answers each question of a form, by unit, then by question. No unit answers two questions, and no question has two units.
 * Two readings of the file are mixed, with the weight that the file's own order gives them: one in which units and questions have the same order, and one without an order.
 *
 * @param evidence by unit in the file's order, then by question in the form's order: the logarithm of how many times likelier titles and cells are if the unit
 * answers the question than if it does not
 * @param usual the habits to start from; if the units have no order, `inOrder` is 0
 */
export const align = (evidence: ReadonlyArray<ReadonlyArray<number>>, usual = mostly): Table => {
  const units = evidence.length
  const questions = evidence[0]?.length ?? 0
  if (units === 0 || questions === 0) return table(units, questions)
  const likely = evidence.map((row) => Float64Array.from(row, (one) => Math.exp(Math.max(-20, Math.min(20, one)))))
  const odds = (1 - usual.alone) / usual.alone / questions
  const anyhow = matching(likely.map((row) => row.map((one) => one * odds)))
  if (usual.inOrder === 0) return anyhow
  const ordered = inOrder(likely, usual.alone)
  const free = ordered.map((row) => Math.max(0, 1 - sumOf(row)))
  const asked = turned(ordered).map((column) => Math.max(0, 1 - sumOf(column)))
  const others = matching(
    likely.map((row, unit) => row.map((one, question) => one * moved / questions * free[unit]! * asked[question]!)),
  )
  const keeps = keepsOrder(anyhow, usual.inOrder)
  return anyhow.map((row, unit) =>
    row.map((one, question) =>
      (1 - keeps) * one + keeps * Math.min(1, ordered[unit]![question]! + others[unit]![question]!)
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
  const byQuestion = turned(weight)
  // By how much the other questions leave a unit to this one, and by question, the other units a question.
  let unitFree = weight.map((row) => row.map(() => 1))
  let questionFree = byQuestion.map((row) => row.map(() => 1))
  for (let round = 0; round < 20; round++) {
    unitFree = left(weight, turned(questionFree), unitFree)
    questionFree = left(byQuestion, turned(unitFree), questionFree)
  }
  return weight.map((row, unit) =>
    row.map((one, at) => {
      const odds = one * unitFree[unit]![at]! * questionFree[at]![unit]!
      return odds / (1 + odds)
    })
  )
}

const turned = (rows: Table): Table => Array.from(rows[0] ?? [], (_, at) => Float64Array.from(rows, (row) => row[at]!))

/** Returns by how much the other cells of a row leave it to each, halfway from what they did before. */
const left = (weight: Table, free: Table, before: Table) =>
  weight.map((row, at) => {
    const claims = row.map((one, of) => one * free[at]![of]!)
    const all = sumOf(claims)
    return claims.map((one, of) => Math.sqrt(before[at]![of]! / (1 + Math.max(0, all - one))))
  })

/** Returns probabilities if units and questions have the same order, summed over all such alignments: those of what comes before a pair, and of what comes after it. */
const inOrder = (likely: Table, alone: number): Table => {
  const match = (1 - alone) ** 2
  const before = sumsOf(likely, match, alone)
  const after = sumsOf(likely.toReversed().map((row) => row.toReversed()), match, alone)
  const all = before.at(-1)!
  return likely.map((row, unit) => {
    const [start, rest] = [before[unit]!, after[likely.length - 1 - unit]!]
    const scale = match / all.sums.at(-1)! * Math.exp(start.scale + rest.scale - all.scale)
    return row.map((one, question) => scale * one * start.sums[question]! * rest.sums[row.length - 1 - question]!)
  })
}

/** Returns sums over all alignments of the first units with the first questions, by both, and the logarithm of each row's scale. */
const sumsOf = (likely: Table, match: number, alone: number) => {
  const questions = likely[0]!.length
  // In a gap, units come first, then questions. `ended`: the sums of alignments that end with a match or a unit alone.
  let [ended, scale] = [new Float64Array(questions + 1), 0]
  ended[0] = 1
  const rows: Array<{ readonly sums: Float64Array; readonly scale: number }> = []
  for (let unit = 0; unit <= likely.length; unit++) {
    const last = rows.at(-1)?.sums
    if (last !== undefined) {
      ended = ended.map((one, at) => alone * one + (at === 0 ? 0 : match * likely[unit - 1]![at - 1]! * last[at - 1]!))
    }
    const sums = Float64Array.from(ended)
    for (let at = 1; at <= questions; at++) sums[at]! += alone * sums[at - 1]!
    const most = sums.reduce((one, other) => Math.max(one, other), 0)
    scale += Math.log(most)
    ended = ended.map((one) => one / most)
    rows.push({ sums: sums.map((one) => one / most), scale })
  }
  return rows
}
