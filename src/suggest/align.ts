import model from "./words/model.json" with { type: "json" }

type Table = ReadonlyArray<Float64Array>

const mapped = (table: Table, value: (one: number, row: number, column: number) => number): Table =>
  table.map((row, at) => row.map((one, of) => value(one, at, of)))

// Loops, because iterators and callbacks take several times as long for the 250,000 pairs of 500 columns and questions.
const turned = (rows: Table): Table =>
  Array.from(rows[0] ?? [], (_, at) => {
    const column = new Float64Array(rows.length)
    for (let row = 0; row < rows.length; row++) column[row] = rows[row]![at]!
    return column
  })

/**
 * Returns how probable each unit of a file answers each question of a form, by unit, then by question. No unit answers two questions, and no question has two units.
 * Two readings of the file are mixed, with the weight that the file's own order gives them: one in which units and questions have the same order, and one without an order.
 *
 * @param evidence by unit in the file's order, then by question in the form's order: the logarithm of how many times likelier titles and cells are if the unit
 * answers the question than if it does not
 * @param isOrdered whether units and questions have an order
 */
export const align = (evidence: ReadonlyArray<ReadonlyArray<number>>, isOrdered = true): Table => {
  const questions = evidence[0]?.length ?? 0
  const odds = (1 - model.alone) / model.alone
  const bounded = evidence.map((row) => Float64Array.from(row, (one) => Math.max(-20, Math.min(20, one))))
  const likely = mapped(bounded, Math.exp)
  const anyhow = matching(mapped(likely, (one) => one * odds / questions))
  if (!isOrdered || questions === 0) return anyhow
  const ordered = orderedMatching(mapped(bounded, (one) => one + 2 * Math.log(odds)))
  // A moved unit may answer a question that the order leaves over.
  const [free, asked] = [ordered, turned(ordered)].map((table) =>
    table.map((row) => Math.max(0, row.reduce((rest, one) => rest - one, 1)))
  )
  const others = matching(mapped(likely, (one, unit, of) => one * model.moved / questions * free![unit]! * asked![of]!))
  const keeps = keepsOrder(anyhow)
  return mapped(
    anyhow,
    (one, unit, of) => (1 - keeps) * one + keeps * Math.min(1, ordered[unit]![of]! + others[unit]![of]!),
  )
}

/** Returns how probable it is that units keep the order of questions: in steps from one sure unit to the next, a kept order goes forwards. */
const keepsOrder = (found: Table): number => {
  const sure = found.flatMap((row) => {
    const most = Math.max(...row)
    return most < 0.5 ? [] : [{ most, question: row.indexOf(most) }]
  })
  const odds = sure.slice(1).reduce((sum, { most, question }, at) => {
    const last = sure[at]!
    return sum + most * last.most * Math.log((question > last.question ? 0.985 : 0.015) / 0.5)
  }, Math.log(model.inOrder / (1 - model.inOrder)))
  return 1 / (1 + Math.exp(-odds))
}

/** Returns probabilities of a one-to-one matching, without an order, by belief propagation. */
const matching = (weight: Table): Table => {
  const byQuestion = turned(weight)
  // How much the other questions leave of a unit to each question, and the other units of a question to each unit.
  let [unitFree, questionFree] = [weight, byQuestion].map((table) => mapped(table, () => 1)) as [Table, Table]
  for (let round = 0; round < 20; round++) {
    unitFree = left(weight, turned(questionFree), unitFree)
    questionFree = left(byQuestion, turned(unitFree), questionFree)
  }
  return mapped(weight, (one, unit, question) => {
    const odds = one * unitFree[unit]![question]! * questionFree[question]![unit]!
    return odds / (1 + odds)
  })
}

/** Returns, for each cell, how much the other cells of its row leave to it: the average of the new and the previous value. */
const left = (weight: Table, free: Table, before: Table): Table =>
  weight.map((row, at) => {
    const [some, last, claims] = [free[at]!, before[at]!, new Float64Array(row.length)]
    let all = 0
    for (let of = 0; of < row.length; of++) {
      claims[of] = row[of]! * some[of]!
      all += claims[of]!
    }
    for (let of = 0; of < row.length; of++) claims[of] = Math.sqrt(last[of]! / (1 + Math.max(0, all - claims[of]!)))
    return claims
  })

/**
 * Returns probabilities if units and questions have the same order, summed over all such alignments: those of what comes before a pair, and of what comes after
 * it. Weights and sums are logarithms, because the sums of one row can differ by more than a number's range.
 */
const orderedMatching = (weight: Table): Table => {
  const before = alignments(weight)
  const after = alignments(weight.toReversed().map((row) => row.toReversed())).toReversed()
  const all = before.at(-1)!.at(-1)!
  return mapped(
    weight,
    (one, unit, of) => Math.exp(one + before[unit]![of]! + after[unit + 1]!.at(-2 - of)! - all),
  )
}

/** Returns sums over all alignments of the first units with the first questions, by both. */
const alignments = (weight: Table): Table => {
  const rows = [new Float64Array(weight[0]!.length + 1)]
  for (const row of weight) {
    const before = rows.at(-1)!
    const sums = Float64Array.from(before)
    // The sum over the alignments in which the unit answers one of the first questions.
    let answering = -Infinity
    for (let at = 1; at < sums.length; at++) {
      answering = added(answering, row[at - 1]! + before[at - 1]!)
      sums[at] = added(before[at]!, answering)
    }
    rows.push(sums)
  }
  return rows
}

/** Returns the logarithm of the sum of two numbers, from their logarithms. */
const added = (one: number, other: number): number =>
  Math.max(one, other) + Math.log1p(Math.exp(-Math.abs(one - other)))
