import model from "../words/model.json" with { type: "json" }

type Table = ReadonlyArray<Float64Array>

const sumOf = (row: Float64Array): number => row.reduce((sum, one) => sum + one, 0)

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
  const likely = evidence.map((row) => Float64Array.from(row, (one) => Math.exp(Math.max(-20, Math.min(20, one)))))
  const anyhow = matching(mapped(likely, (one) => one * odds / questions))
  if (!isOrdered || questions === 0) return anyhow
  const ordered = orderedMatching(mapped(likely, (one) => one * odds ** 2))
  // A moved unit may answer a question that the order leaves over.
  const [free, asked] = [ordered, turned(ordered)].map((table) => table.map((row) => Math.max(0, 1 - sumOf(row))))
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
  // By how much the other questions leave a unit to this one, and by question, the other units a question.
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

/** Returns by how much the other cells of a row leave it to each, halfway from what they did before. */
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

/** Returns probabilities if units and questions have the same order, summed over all such alignments: those of what comes before a pair, and of what comes after it. */
const orderedMatching = (weight: Table): Table => {
  const before = alignments(weight)
  const after = alignments(weight.toReversed().map((row) => row.toReversed())).toReversed()
  const all = before.at(-1)!
  return weight.map((row, unit) => {
    const [start, rest] = [before[unit]!, after[unit + 1]!]
    const scale = Math.exp(start.scale + rest.scale - all.scale) / all.sums.at(-1)!
    return row.map((one, question) => scale * one * start.sums[question]! * rest.sums[row.length - 1 - question]!)
  })
}

/** Returns sums over all alignments of the first units with the first questions, by both, and the logarithm of each row's scale. */
const alignments = (weight: Table) => {
  const rows = [{ sums: new Float64Array(weight[0]!.length + 1).fill(1), scale: 0 }]
  for (const row of weight) {
    const { scale, sums: before } = rows.at(-1)!
    const sums = Float64Array.from(before)
    // Alignments that leave both the unit and the question alone are in both sums, so they are subtracted once.
    for (let at = 1; at < sums.length; at++) sums[at]! += sums[at - 1]! + (row[at - 1]! - 1) * before[at - 1]!
    const most = Math.max(...sums)
    rows.push({ sums: sums.map((one) => one / most), scale: scale + Math.log(most) })
  }
  return rows
}
