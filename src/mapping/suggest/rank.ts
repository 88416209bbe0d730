import { align } from "./align.ts"
import { cellEvidence, coverage, type Target } from "./fit.ts"
import { likeness, meaningEvidence, speaksOf, weigh } from "./meaning.ts"
import { rememberedForms } from "./optionNames.ts"
import { isProven, reasonsFor } from "./proof.ts"
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
const accepted = 0.9

/** The highest confidence of a column that is not proven to answer the question. */
const unproven = 0.85

/** The lowest confidence of a candidate. */
const shown = 0.03

const placeOf = (unit: Unit): number =>
  unit._tag === "Column" ? unit.column.position : Math.min(...unit.members.map(({ column }) => column.position))

/** Whether a unit contains the texts of other answers. */
const isOther = (unit: Unit): boolean => unit._tag === "Column" && speaksOf(unit.part ?? unit.meaning, "other")

/** Whether a column and a block contain the same answers: some tools write both. */
const isSameQuestion = (one: Unit, other: Unit | undefined): boolean =>
  other !== undefined && one._tag !== other._tag && one.meaning.same === other.meaning.same

/** Rates every unit for every question. */
export const rank = (unordered: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>): ReadonlyArray<Ranked> => {
  const units = unordered.toSorted((a, b) => placeOf(a) - placeOf(b))
  const weight = weigh([...units, ...targets].map(({ meaning }) => meaning))
  const covers = units.map((unit) => {
    const forms = rememberedForms()
    return targets.map((target) => coverage(unit, target, forms))
  })
  const cells = cellEvidence(units, covers)
  /** Compares the title that resembles the question most: that of the unit, or that of its part of a block. */
  const compared = (unit: Unit, target: Target) => {
    const whole = likeness(unit.meaning, target.meaning, weight)
    const part = unit._tag === "Block" || unit.part === undefined
      ? undefined
      : likeness(unit.part, target.meaning, weight)
    return part === undefined || part.value < whole.value ? whole : part
  }
  const titles = (unit: Unit, target: Target): number => {
    const whole = meaningEvidence(likeness(unit.meaning, target.meaning, weight))
      - (isOther(unit) === speaksOf(target.meaning, "other") ? 0 : 2.5)
    if (unit._tag === "Block") return unit.title === undefined ? -0.5 : whole
    if (unit.part === undefined) return whole
    // A question whose name doesn't resemble this part is about the whole block.
    const part = likeness(unit.part, target.meaning, weight)
    return part.value < 0.3 ? Math.min(1.5, whole) - 1.5 : Math.max(whole, meaningEvidence(part) - 1)
  }
  const evidence = units.map((unit, at) => targets.map((target, of) => titles(unit, target) + cells(at, target, of)))
  const best = evidence.map((row) => row.reduce((most, one) => Math.max(most, one), -Infinity))
  // Of a column and a block with the same answers, one takes part.
  const spare = new Set(units.flatMap((unit, at) => {
    const twin = units.findIndex((other) => isSameQuestion(unit, other))
    const ahead = (best[twin] ?? -Infinity) - (best[at] ?? 0)
    return ahead > 0 || (ahead === 0 && unit._tag === "Column") ? [at] : []
  }))
  const taking = units.flatMap((_, at) => spare.has(at) ? [] : [at])
  const aligned = align(taking.map((at) => evidence[at]!))
  const found = units.map((_, at) => spare.has(at) ? new Float64Array(targets.length) : aligned[taking.indexOf(at)]!)
  /** Whether other columns have the same title, and fewer questions do. Only a person knows which is meant. */
  const hasTwins = (unit: number, target: number): boolean => {
    // Several columns with one title need as many questions with one.
    const twins = (all: ReadonlyArray<Unit | Target>, own: Unit | Target | undefined) =>
      all.filter(({ meaning }) => meaning.same !== "" && meaning.same === own?.meaning.same).length
    const columns = units.filter(({ _tag }) => _tag === units[unit]?._tag)
    return twins(columns, units[unit]) > Math.max(1, twins(targets, targets[target]))
  }
  return units.flatMap((unit, at) =>
    targets.flatMap((target, of): ReadonlyArray<Ranked> => {
      const confidence = found[at]?.[of] ?? 0
      if (confidence < shown) return []
      const [title, cover] = [compared(unit, target), covers[at]?.[of]]
      const isSafe = isProven(unit, target, title, cover)
      return [{
        unit,
        target,
        confidence: isSafe ? confidence : Math.min(unproven, confidence),
        isAccepted: isSafe && confidence >= accepted && !hasTwins(at, of),
        because: reasonsFor(unit, target, title, cover),
      }]
    })
  )
}
