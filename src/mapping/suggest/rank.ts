import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { nearness, topicsOf, topicsOfAll } from "../words/topics.ts"
import { align } from "./align.ts"
import { cellEvidence, optionCoverage, type Target } from "./fit.ts"
import { agreement, meaningEvidence, namesConcept } from "./meaning.ts"
import { isProven, likenessTo, reasonsFor } from "./proof.ts"
import type { Unit } from "./Suggestion.ts"

/** A unit and a question that may belong together. */
export interface Ranked {
  readonly unit: Unit
  readonly target: Target
  /** How probable it is that the unit answers the question, 0 to 1. */
  readonly confidence: number
  readonly isAccepted: boolean
  /** What the confidence follows from, in words. */
  readonly because: ReadonlyArray<string>
}

/** The lowest confidence at which a suggestion is accepted. */
const accepted = 0.85

/** The lowest confidence at which kind and place prove an answer, if nothing is known of a title. */
const certain = 0.95

/** The highest confidence of a column that is not proven to answer the question. */
const unproven = 0.75

/** The lowest confidence of a candidate. */
const shown = 0.03

const placeOf = (unit: Unit): number =>
  unit._tag === "Column" ? unit.column.position : Math.min(...unit.members.map(({ column }) => column.position))

/** Whether a unit contains the texts of other answers. */
const isOther = (unit: Unit): boolean => unit._tag === "Column" && namesConcept(unit.meaning, "other")

/** The number of answers that are compared with a title. */
const understood = 12

/** Returns the answers that a unit contains, if they are words. */
const answersIn = (unit: Unit): ReadonlyArray<string> => {
  const texts = unit._tag === "Block"
    ? unit.members.map(({ option }) => option)
    : unit.profile.more || unit.profile.share.number > 0
    ? []
    : [...unit.profile.distinct.keys()]
  return texts.slice(0, understood)
}

/** What it counts, for each step of agreement, that a title is about the answers of the other side, and that the answers of both sides are about the same. */
const [ofSubject, ofChoices] = [1, 2.6]

/** Whether a column and a block contain the same answers: some tools write both. */
const isSameQuestion = (one: Unit, other: Unit | undefined): boolean =>
  other !== undefined && one._tag !== other._tag && one.meaning.same === other.meaning.same

/** About how many pairs of a unit and a question are rated before other work gets its turn. */
const pairsAtOnce = 250

/** Calls a synchronous function with each unit. Between chunks of units, Node can answer other requests. */
const eachInTurn = <A>(units: ReadonlyArray<Unit>, questions: number, rate: (unit: Unit) => A) =>
  Effect.gen(function*() {
    const chunk = Math.ceil(pairsAtOnce / Math.max(1, questions))
    const rated: Array<A> = []
    for (const [at, unit] of units.entries()) {
      // A fiber that yields runs on before Node reads its sockets, and a clock may be virtual.
      if (at > 0 && at % chunk === 0) yield* Effect.promise(() => setImmediate())
      rated.push(rate(unit))
    }
    return rated
  })

/** Rates every unit for every question. */
export const rank = Effect.fn("rank")(function*(unordered: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>) {
  const units = unordered.toSorted((a, b) => placeOf(a) - placeOf(b))
  const asked = targets.map(({ meaning, question }) => ({
    title: topicsOf(meaning.title),
    options: topicsOfAll((question.options ?? []).slice(0, understood).map(({ label }) => label)),
  }))
  const rated = yield* eachInTurn(units, targets.length, (unit) => {
    const [title, answers] = [topicsOf(unit.meaning.title), topicsOfAll(answersIn(unit))]
    return targets.map((target, of) => {
      const { options, title: question } = asked[of]!
      const cover = optionCoverage(unit, target)
      const like = likenessTo(target, unit.meaning, title, question)
      const beside = ofSubject * agreement(Math.max(nearness(title, options) ?? 0, nearness(answers, question) ?? 0))
        + ((cover?.covered ?? 0) < 0.3 ? ofChoices * agreement(nearness(answers, options) ?? 0) : 0)
        - (isOther(unit) === namesConcept(target.meaning, "other") ? 0 : 2.5)
      const ofWords = beside + meaningEvidence(like)
      return { cover, title: like, ofWords, evidence: ofWords + cellEvidence(unit, target, cover) }
    })
  })
  const evidence = rated.map((row) => row.map((one) => one.evidence))
  const best = evidence.map((row) => row.reduce((most, one) => Math.max(most, one), -Infinity))
  // Of a column and a block with the same answers, one takes part.
  const spare = new Set(units.flatMap((unit, at) => {
    const same = units.findIndex((other) => isSameQuestion(unit, other))
    const ahead = (best[same] ?? -Infinity) - (best[at] ?? 0)
    return ahead > 0 || (ahead === 0 && unit._tag === "Column") ? [at] : []
  }))
  const taking = units.flatMap((_, at) => spare.has(at) ? [] : [at])
  const aligned = align(taking.map((at) => evidence[at]!))
  const found = units.map((_, at) => spare.has(at) ? new Float64Array(targets.length) : aligned[taking.indexOf(at)]!)
  /** Whether other columns have the same title, and fewer questions do. Only a person knows which is meant. */
  const isRepeated = (unit: number, target: number): boolean => {
    // Several columns with one title need as many questions with one.
    const withTitleOf = (all: ReadonlyArray<Unit | Target>, own: Unit | Target | undefined) =>
      all.filter(({ meaning }) => meaning.same !== "" && meaning.same === own?.meaning.same).length
    const columns = units.filter(({ _tag }) => _tag === units[unit]?._tag)
    return withTitleOf(columns, units[unit]) > Math.max(1, withTitleOf(targets, targets[target]))
  }
  return units.flatMap((unit, at) =>
    targets.flatMap((target, of): ReadonlyArray<Ranked> => {
      const confidence = found[at]?.[of] ?? 0
      if (confidence < shown) return []
      const { cover, ofWords, title } = rated[at]![of]!
      const isUnknown = title.near === undefined && !title.opposed
      const isSafe = isProven(target, title, ofWords, cover) || (isUnknown && confidence >= certain)
      return [{
        unit,
        target,
        confidence: isSafe ? confidence : Math.min(unproven, confidence),
        isAccepted: isSafe && confidence >= accepted && !isRepeated(at, of),
        because: reasonsFor(unit, target, title, cover),
      }]
    })
  )
})
