import { firstIndex } from "../../src/domain/firstIndex.ts"
import { countingOf, dimensions, rowCount, rowsOf } from "../../src/suggest/words/vectors.ts"
import { random } from "../../test/random.ts"
import { phrasesOfConcepts } from "./compileTopics.ts"

/** The number of concepts drawn in each step, and how far the first step goes. Each goes less far than the one before. */
const [drawn, rate] = [512, 0.003]

/** How often a second phrase of the same concept is added to a drawn one, and a word of any phrase. Titles are longer than phrases. */
const [doubled, disturbed] = [0.25, 0.15]

/** The share of certainty that stays with the other concepts: some of them ask the same. */
const doubt = 0.05

/** How sharply the similarities of phrases decide, as a factor of their cosine. */
const sharpness = 17

/** The averages of Adam (Kingma and Ba, 2014). */
const [ofMean, ofSquare] = [0.9, 0.999]

/** A concept's phrases, as lists of words. */
type Phrases = ReadonlyArray<ReadonlyArray<string>>

/** Returns the concepts from which vectors are learned: those of the vocabulary with two phrases or more. */
const knownConcepts = (): ReadonlyArray<Phrases> =>
  [...phrasesOfConcepts().values()]
    .map((phrases) => [...phrases].map((phrase) => countingOf(phrase.split(" "))))
    .filter((phrases) => phrases.length > 1)

/**
 * Compares the directions of phrases with those of their partners, all with all.
 *
 * @returns the loss of the first side, and the slopes of the mean of both sides' cross entropy, by each value of the directions
 */
const compare = (ours: Float32Array, theirs: Float32Array, count: number) => {
  const alike = new Float32Array(count * count)
  const [ofRow, ofColumn] = [new Float64Array(count), new Float64Array(count)]
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      let sum = 0
      const [from, to] = [a * dimensions, b * dimensions]
      for (let at = 0; at < dimensions; at++) sum += ours[from + at]! * theirs[to + at]!
      const power = Math.exp(sharpness * (sum - 1))
      alike[a * count + b] = power
      ofRow[a]! += power
      ofColumn[b]! += power
    }
  }
  let loss = 0
  const slopes = [new Float32Array(count * dimensions), new Float32Array(count * dimensions)] as const
  for (let a = 0; a < count; a++) {
    loss -= Math.log(alike[a * count + a]! / ofRow[a]!)
    for (let b = 0; b < count; b++) {
      const power = alike[a * count + b]!
      const wanted = doubt / count + (a === b ? 1 - doubt : 0)
      const by = sharpness / (2 * count) * (power / ofRow[a]! + power / ofColumn[b]! - 2 * wanted)
      const [from, to] = [a * dimensions, b * dimensions]
      for (let at = 0; at < dimensions; at++) {
        slopes[0][from + at]! += by * theirs[to + at]!
        slopes[1][to + at]! += by * ours[from + at]!
      }
    }
  }
  return { loss, slopes }
}

/** Returns the rows that were learned as whole numbers. The others are 0. */
const inUnits = (table: Float32Array, times: Uint32Array): Int8Array => {
  const used = [...times.keys()].filter((row) => times[row]! > 0)
  const rowAt = (row: number) => table.subarray(row * dimensions, (row + 1) * dimensions)
  const squares = used.reduce((sum, row) => sum + rowAt(row).reduce((all, value) => all + value ** 2, 0), 0)
  const unit = 4 * Math.sqrt(squares / (used.length * dimensions)) / 127
  const result = new Int8Array(table.length)
  for (const row of used) {
    result.set(rowAt(row).map((value) => Math.max(-127, Math.min(127, Math.round(value / unit)))), row * dimensions)
  }
  return result
}

/**
 * Learns a table of vectors with which phrases of one concept have similar directions, and those of different concepts do not. In each step, two phrases
 * of each drawn concept are compared with all others that were drawn (contrastive learning, as in van den Oord et al., 2018).
 *
 * @param report called with each 100th step, and a running average of the loss of one side
 * @returns the table's rows, one after the other, in units of which 127 are four times the root mean square
 */
export const learnVectors = (
  report: (step: number, loss: number) => void,
  concepts: ReadonlyArray<Phrases> = knownConcepts(),
  steps = 5000,
): Int8Array => {
  const next = random(1)
  const below = (limit: number) => Math.floor(next() * limit)
  const words = concepts.flat(2)
  const rows = new Map([...new Set(words)].map((word) => [word, rowsOf(word)]))
  let total = 0
  const upTo = concepts.map((phrases) => total += Math.sqrt(phrases.length))
  const drawConcept = () => {
    const drawn = next() * total
    return firstIndex(0, upTo.length, (at) => upTo[at]! < drawn)
  }
  const drawPhrase = (phrases: Phrases) => [
    ...phrases[below(phrases.length)]!,
    ...(next() < doubled ? phrases[below(phrases.length)]! : []),
    ...(next() < disturbed ? [words[below(words.length)]!] : []),
  ]

  const size = rowCount * dimensions
  const table = new Float32Array(size)
  for (let at = 0; at < size; at++) table[at] = 0.1 * (next() + next() + next() - 1.5)
  const [slope, mean, square] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)]
  const times = new Uint32Array(rowCount)

  /** Calls a function with each row of a phrase and how much it counts. */
  const eachRow = (phrase: ReadonlyArray<string>, act: (row: number, weight: number) => void) => {
    for (const word of phrase) {
      const own = rows.get(word)!
      for (const row of own) act(row, 1 / Math.sqrt(own.length))
    }
  }
  const directionsOf = (phrases: Phrases) => {
    const all = new Float32Array(phrases.length * dimensions)
    const lengths = phrases.map((phrase, of) => {
      const own = all.subarray(of * dimensions, (of + 1) * dimensions)
      eachRow(phrase, (row, weight) => {
        for (let at = 0; at < dimensions; at++) own[at]! += weight * table[row * dimensions + at]!
      })
      const length = Math.hypot(...own) || 1
      for (let at = 0; at < dimensions; at++) own[at]! /= length
      return length
    })
    return { all, lengths }
  }

  for (let step = 0, average = 0; step < steps; step++) {
    const chosen = [...new Set(Array.from({ length: drawn }, drawConcept))].map((concept) => concepts[concept]!)
    const count = chosen.length
    const sides = [chosen.map(drawPhrase), chosen.map(drawPhrase)] as const
    const [one, other] = [directionsOf(sides[0]), directionsOf(sides[1])]
    const { loss, slopes } = compare(one.all, other.all, count)
    const touched = new Set<number>()
    for (const [side, { all, lengths }] of [one, other].entries()) {
      for (let of = 0; of < count; of++) {
        const start = of * dimensions
        let along = 0
        for (let at = 0; at < dimensions; at++) along += slopes[side]![start + at]! * all[start + at]!
        const own = all.subarray(start, start + dimensions)
          .map((value, at) => (slopes[side]![start + at]! - along * value) / lengths[of]!)
        eachRow(sides[side]![of]!, (row, weight) => {
          touched.add(row)
          for (let at = 0; at < dimensions; at++) slope[row * dimensions + at]! += weight * own[at]!
        })
      }
    }
    const stepSize = rate * (1 - step / steps)
    for (const row of touched) {
      const time = ++times[row]!
      const [meanPart, squarePart] = [1 - ofMean ** time, 1 - ofSquare ** time]
      for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
        const value = slope[at]!
        slope[at] = 0
        mean[at] = ofMean * mean[at]! + (1 - ofMean) * value
        square[at] = ofSquare * square[at]! + (1 - ofSquare) * value ** 2
        table[at]! -= stepSize * (mean[at]! / meanPart) / (Math.sqrt(square[at]! / squarePart) + 1e-8)
      }
    }
    average += (loss / count - average) * (step === 0 ? 1 : 0.01)
    if (step % 100 === 0) report(step, average)
  }
  return inUnits(table, times)
}
