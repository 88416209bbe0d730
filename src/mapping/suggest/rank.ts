import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { nearness, type Topics, topicsOf } from "../words/topics.ts"
import { align } from "./align.ts"
import { cellEvidence, kindEvidence, optionCoverage, type Target } from "./fit.ts"
import { agreement, namesConcept } from "./meaning.ts"
import { highestConfidence, likenessTo, reasonsFor } from "./proof.ts"
import { columnsOf, type Suggestion, type Unit } from "./Suggestion.ts"

export interface Ranked extends Suggestion {
  readonly origin: Unit
  readonly isAccepted: boolean
}

/** The lowest confidence of a candidate, of a suggestion that is accepted, and of one that kind and place prove if nothing is known of a title. */
const [shown, accepted, certain] = [0.03, 0.85, 0.95]

/** The number of answers that are compared with a title. */
const understood = 12

/** Returns what the answers in a unit are about, if they are words. */
const answersIn = (unit: Unit): Topics => {
  const texts = unit._tag === "Block"
    ? unit.members.map(({ option }) => option)
    : unit.profile.more || unit.profile.share.number > 0
    ? []
    : [...unit.profile.distinct.keys()]
  return topicsOf(...texts.slice(0, understood))
}

/** What it counts, for each step of agreement, that a title is about the answers of the other side, and that the answers of both sides are about the same. */
const [ofSubject, ofChoices] = [1, 2.6]

/** What it counts against a pair that only one side is about "Other". */
const ofOther = 2.5

/** About how many pairs of a unit and a question are rated before other work gets its turn. */
const pairsAtOnce = 250

const placeOf = (unit: Unit): number => Math.min(...columnsOf(unit).map(({ position }) => position))

export const rank = Effect.fn("rank")(function*(unordered: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>) {
  const units = unordered.toSorted((a, b) => placeOf(a) - placeOf(b))
  const optionsOf = targets.map(({ question: { options = [] } }) =>
    topicsOf(...options.slice(0, understood).map(({ label }) => label))
  )
  const ofKinds = targets.map((target) => kindEvidence(units, target))
  /** Compares a unit with a target. `answers`: what the unit's answers are about. */
  const compare = (unit: Unit, answers: Topics, of: number) => {
    const [target, options] = [targets[of]!, optionsOf[of]!]
    const title = likenessTo(target, unit.meaning, unit._tag === "Column" ? unit.profile : undefined)
    const cover = optionCoverage(unit, target)
    const subject = Math.max(nearness(unit.meaning.topics, options), nearness(answers, target.meaning.topics))
    const choices = cover !== undefined && cover.covered >= 0.3 ? 0 : nearness(answers, options)
    const isOther = namesConcept(unit.meaning, "other") !== namesConcept(target.meaning, "other")
    const evidence = title.evidence + ofSubject * agreement(subject) + ofChoices * agreement(choices)
      - (isOther ? ofOther : 0)
    return { title, cover, evidence, all: evidence + cellEvidence(unit, target, cover, ofKinds[of]!) }
  }
  // Keeps only numbers. The few likely pairs are compared again below.
  const rate = (unit: Unit) => {
    const answers = answersIn(unit)
    const evidence = targets.map((_, of) => compare(unit, answers, of).all)
    return { unit, answers, evidence, best: Math.max(...evidence, -Infinity) }
  }
  const rated: Array<ReturnType<typeof rate>> = []
  for (const [at, unit] of units.entries()) {
    // A fiber that yields runs on before Node reads its sockets, and a clock may be virtual.
    const isTurn = at > 0 && at % Math.ceil(pairsAtOnce / Math.max(1, targets.length)) === 0
    if (isTurn) yield* Effect.promise(() => setImmediate())
    rated.push(rate(unit))
  }
  // Some tools write the same answers into a column and a block: the one with more evidence takes part.
  const taking = rated.filter(({ best, unit }) =>
    !rated.some((other) =>
      other.unit._tag !== unit._tag && other.unit.meaning.same === unit.meaning.same
      && (other.best > best || (other.best === best && unit._tag === "Column"))
    )
  )
  const aligned = align(taking.map(({ evidence }) => evidence))
  const countOf = (all: ReadonlyArray<Unit | Target>, { meaning: { same } }: Unit | Target) =>
    same === "" ? 0 : all.filter(({ meaning }) => meaning.same === same).length
  /** Whether other columns have the same title, and fewer questions do. Only a person knows which is meant. */
  const isRepeated = (unit: Unit, target: Target): boolean =>
    countOf(units.filter(({ _tag }) => _tag === unit._tag), unit) > Math.max(1, countOf(targets, target))
  return taking.flatMap(({ answers, unit }, row) =>
    targets.flatMap((target, of): ReadonlyArray<Ranked> => {
      const probable = aligned[row]![of]!
      if (probable < shown) return []
      const { cover, evidence, title } = compare(unit, answers, of)
      const isUnknown = title.isUnknown && !title.opposed && probable >= certain
      const confidence = Math.min(probable, isUnknown ? 1 : highestConfidence(target, title, evidence, cover))
      return [{
        question: target.question,
        origin: unit,
        confidence,
        isAccepted: confidence >= accepted && !isRepeated(unit, target),
        because: reasonsFor(unit, target, title, cover),
      }]
    })
  )
})
