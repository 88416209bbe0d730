import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import { sureFrom } from "../../project/pipelineEdits.ts"
import { nearness, topicsOf, topicsOfAll } from "../words/topics.ts"
import { align } from "./align.ts"
import { cellEvidence, kindEvidence, optionCoverage, type Target } from "./fit.ts"
import { agreement, meaningEvidence, namesConcept } from "./meaning.ts"
import { likenessTo, proofOf, reasonsFor } from "./proof.ts"
import type { Unit } from "./Suggestion.ts"

export interface Ranked {
  readonly unit: Unit
  readonly target: Target
  /** How probable it is that the unit answers the question, 0 to 1. */
  readonly confidence: number
  readonly isAccepted: boolean
  readonly because: ReadonlyArray<string>
}

/** The lowest confidence at which a suggestion is accepted. */
const accepted = 0.85

/** The lowest confidence at which kind and place prove an answer, if nothing is known of a title. */
const certain = 0.95

/** The highest confidence of a pair that is only likely. It is accepted, but `check` and `init --review` ask a person to look at it. */
const likely = sureFrom - 0.01

/** The highest confidence of a column that is neither proven nor likely to answer the question. */
const unproven = 0.75

/** The lowest confidence of a candidate. */
const shown = 0.03

const placeOf = (unit: Unit): number =>
  unit._tag === "Column" ? unit.column.position : Math.min(...unit.members.map(({ column }) => column.position))

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

export const rank = Effect.fn("rank")(function*(unordered: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>) {
  const units = unordered.toSorted((a, b) => placeOf(a) - placeOf(b))
  const asked = targets.map(({ meaning, question }) => ({
    title: topicsOf(meaning.title),
    options: topicsOfAll((question.options ?? []).slice(0, understood).map(({ label }) => label)),
  }))
  const ofKind = kindEvidence(units)
  const rated = yield* eachInTurn(units, targets.length, (unit) => {
    const [title, answers] = [topicsOf(unit.meaning.title), topicsOfAll(answersIn(unit))]
    const isOther = unit._tag === "Column" && namesConcept(unit.meaning, "other")
    return targets.map((target, of) => {
      const { options, title: question } = asked[of]!
      const cover = optionCoverage(unit, target)
      const like = likenessTo(target, unit.meaning, title, question)
      const beside = ofSubject * agreement(Math.max(nearness(title, options) ?? 0, nearness(answers, question) ?? 0))
        + ((cover?.covered ?? 0) < 0.3 ? ofChoices * agreement(nearness(answers, options) ?? 0) : 0)
        - (isOther === namesConcept(target.meaning, "other") ? 0 : 2.5)
      const ofWords = beside + meaningEvidence(like)
      return { cover, title: like, ofWords, evidence: ofWords + cellEvidence(unit, target, cover, ofKind) }
    })
  })
  const evidence = rated.map((row) => row.map((one) => one.evidence))
  const best = evidence.map((row) => Math.max(...row, -Infinity))
  // Some tools write the same answers into a column and a block: one of them takes part.
  const isSpare = (unit: Unit, at: number): boolean => {
    const same = units.findIndex((other) => unit._tag !== other._tag && unit.meaning.same === other.meaning.same)
    return same >= 0 && (best[same]! > best[at]! || (best[same] === best[at] && unit._tag === "Column"))
  }
  const taking = units.flatMap((unit, at) => isSpare(unit, at) ? [] : [at])
  const aligned = align(taking.map((at) => evidence[at]!))
  const countOf = (all: ReadonlyArray<Unit | Target>, { meaning: { same } }: Unit | Target) =>
    same === "" ? 0 : all.filter(({ meaning }) => meaning.same === same).length
  /** Whether other columns have the same title, and fewer questions do. Only a person knows which is meant. */
  const isRepeated = (unit: Unit, target: Target): boolean =>
    countOf(units.filter(({ _tag }) => _tag === unit._tag), unit) > Math.max(1, countOf(targets, target))
  return taking.flatMap((at, row) => {
    const unit = units[at]!
    return targets.flatMap((target, of): ReadonlyArray<Ranked> => {
      const confidence = aligned[row]![of]!
      if (confidence < shown) return []
      const { cover, ofWords, title } = rated[at]![of]!
      const isUnknown = title.near === undefined && !title.opposed
      const proof = isUnknown && confidence >= certain ? "proven" : proofOf(target, title, ofWords, cover)
      const most = proof === undefined ? unproven : proof === "likely" ? likely : 1
      return [{
        unit,
        target,
        confidence: Math.min(most, confidence),
        isAccepted: most >= accepted && confidence >= accepted && !isRepeated(unit, target),
        because: reasonsFor(unit, target, title, cover),
      }]
    })
  })
})
