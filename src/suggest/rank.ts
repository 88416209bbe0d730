import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { align } from "./align.ts"
import { compare, confidenceIn, reasonsFor } from "./evidence.ts"
import { cellEvidence, kindEvidence, type Target } from "./fit.ts"
import { columnsOf, type Unit } from "./Suggestion.ts"
import model from "./words/model.json" with { type: "json" }

/** About how many pairs of a unit and a question are rated before other work gets its turn. */
const pairsAtOnce = 250

const placeOf = (unit: Unit): number => Math.min(...columnsOf(unit).map(({ position }) => position))

/** Returns the questions that units probably answer. */
export const rank = Effect.fn("rank")(function*(unordered: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>) {
  const units = unordered.toSorted((a, b) => placeOf(a) - placeOf(b))
  const ofKinds = targets.map((target) => kindEvidence(units, target))
  const rated = yield* Effect.forEach(units, (unit, at) => {
    // Keeps only numbers. The few likely pairs are compared again below.
    const all = targets.map((target, of) => {
      const { cover, evidence } = compare(unit, target)
      return evidence + cellEvidence(unit, target, cover, ofKinds[of]!)
    })
    const rating = { unit, all, best: Math.max(...all, -Infinity) }
    // A fiber that yields runs on before Node reads its sockets, and a clock may be virtual.
    const isTurn = (at + 1) % Math.ceil(pairsAtOnce / Math.max(1, targets.length)) === 0
    return isTurn ? Effect.promise(() => setImmediate(rating)) : Effect.succeed(rating)
  })
  // Some tools write the same answers into a column and a block: the one with more evidence takes part.
  const taking = rated.filter(({ best, unit }) =>
    !rated.some((other) =>
      other.unit._tag !== unit._tag && other.unit.meaning.same === unit.meaning.same
      && (other.best > best || (other.best === best && unit._tag === "Column"))
    )
  )
  const aligned = align(taking.map(({ all }) => all))
  const countOf = (all: ReadonlyArray<Unit | Target>, { meaning: { same } }: Unit | Target) =>
    same === "" ? 0 : all.filter(({ meaning }) => meaning.same === same).length
  /** Whether other columns have the same title, and fewer questions do. Only a person knows which is meant. */
  const isRepeated = (unit: Unit, target: Target): boolean =>
    countOf(units.filter(({ _tag }) => _tag === unit._tag), unit) > Math.max(1, countOf(targets, target))
  return taking.flatMap(({ unit }, row) =>
    targets.flatMap((target, of) => {
      const probable = aligned[row]![of]!
      if (probable < model.shown) return []
      const compared = compare(unit, target)
      const confidence = confidenceIn(probable, target, compared)
      const isAccepted = confidence >= model.accepted && !isRepeated(unit, target)
      const because = reasonsFor(unit, target, compared)
      return [{ question: target.question, origin: unit, confidence, because, isAccepted }]
    })
  )
})
