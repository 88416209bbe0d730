import { munkres } from "munkres"
import {
  blockFits,
  type Coverage,
  coverage,
  type ExpectedKind,
  fitBlock,
  fitColumn,
  shapeShare,
  type Target,
} from "./fit.ts"
import { type Likeness, likeness, weigh } from "./meaning.ts"
import { rememberedForms } from "./optionNames.ts"
import type { Unit } from "./Suggestion.ts"

/** One unit assigned to one target, and how much worse the best alternative would be. */
interface Assigned {
  readonly unit: number
  readonly target: number
  /** Logits lost in the best arrangement without this pair. */
  readonly margin: number
}

/** Logits below which two don't belong together. */
const floor = -3

/**
 * Assigns units to targets one to one so that the sum of their logits is as large as possible.
 *
 * @param logits by unit, then by target
 */
export const assign = (logits: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Assigned> => {
  const targets = logits[0]?.length ?? 0
  if (logits.length === 0 || targets === 0) return []
  const at = (unit: number, target: number): number => logits[unit]?.[target] ?? -Infinity
  const costs = logits.map((row) => row.map((logit) => -Math.max(0, logit - floor)))
  const pairs = munkres(costs).filter(([unit, target]) => at(unit, target) > floor)
  const targetOf = new Map(pairs)
  const unitOf = new Map(pairs.map(([unit, target]) => [target, unit]))

  const worth = (unit: number | undefined, target: number | undefined): number =>
    unit === undefined || target === undefined ? 0 : Math.max(0, at(unit, target) - floor)
  return pairs.map(([unit, target]) => {
    const own = worth(unit, target)
    let best = 0
    // The unit is assigned to a different target, whose unit gets this target or none.
    for (let other = 0; other < targets; other++) {
      const rival = unitOf.get(other)
      if (other === target || worth(unit, other) === 0) continue
      const before = own + worth(rival, other)
      best = Math.max(best, worth(unit, other) + worth(rival, target) - before + own)
    }
    // The target gets a different unit, whose target gets this unit or none.
    for (let other = 0; other < logits.length; other++) {
      const rival = targetOf.get(other)
      if (other === unit || worth(other, target) === 0) continue
      const before = own + worth(other, rival)
      best = Math.max(best, worth(other, target) + worth(unit, rival) - before + own)
    }
    return { unit, target, margin: own - best }
  })
}

/** The least confidence of an accepted suggestion, and its least lead over other arrangements and over unassigned units and targets, in logits. */
const accepted = { confidence: 0.8, margin: 1, lead: 1.35 } as const

/** Returns logits for names. The same title is right in 99 of 100 cases, half the words prove nothing. */
const nameLogit = ({ value, same, opposed }: Likeness): number => (same ? 5.5 : -5.5 + 10 * value) - (opposed ? 5 : 0)

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))

/** A unit and a question that may belong together. */
export interface Ranked {
  readonly unit: Unit
  readonly target: Target
  readonly confidence: number
  /** Whether it was chosen, with enough confidence, and without an equally likely alternative. */
  readonly verdict: "accepted" | "ambiguous" | "unsure" | "not-chosen"
}

const matchingShape = (unit: Unit, kind: ExpectedKind): boolean =>
  unit._tag === "Column"
    ? unit.profile.filled > 0 && (shapeShare(unit.profile, kind) ?? 0) >= 0.8
    : unit.content !== "empty" && blockFits(unit.content, kind)

/** Makes the rarity of shapes: 1 if one column has it and one question expects it. */
const shapeRarity = (units: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>) => {
  const known = new Map<ExpectedKind, number>()
  return (kind: ExpectedKind): number => {
    const before = known.get(kind)
    if (before !== undefined) return before
    const columns = units.filter((unit) => matchingShape(unit, kind)).length
    const questions = targets.filter(({ expected }) => expected.kind === kind).length
    const rare = columns <= 1 && questions <= 1 ? 1 : 1 / (Math.max(1, columns) * Math.max(1, questions))
    known.set(kind, rare)
    return rare
  }
}

/** Makes the rarity of options that explain a unit: 1 if they explain no other unit, and no other question's options explain it. */
const optionRarity = (covers: ReadonlyArray<ReadonlyArray<Coverage | undefined>>) => {
  const well = (cover: Coverage | undefined, least: number) =>
    cover !== undefined && cover.covered >= Math.max(0.5, least)
  return (unit: number, target: number): number => {
    const own = covers[unit]?.[target]?.covered ?? 0
    const questions = (covers[unit] ?? []).filter((cover) => well(cover, own * 0.85)).length
    const units = covers.filter((row) => well(row[target], own * 0.85)).length
    return 1 / Math.sqrt(Math.max(1, questions) * Math.max(1, units))
  }
}

/** The likeness at and above which titles have the same meaning. */
const saysTheSame = 0.98

/** Rates every unit for every question, and assigns them one to one. */
export const rank = (units: ReadonlyArray<Unit>, targets: ReadonlyArray<Target>): ReadonlyArray<Ranked> => {
  const weight = weigh([...units, ...targets].map(({ meaning }) => meaning))
  const shape = shapeRarity(units, targets)
  const covers = units.map((unit) => {
    const forms = rememberedForms()
    return targets.map((target) => coverage(unit, target, forms))
  })
  const rare = optionRarity(covers)
  const names = units.map((unit) => targets.map((target) => likeness(unit.meaning, target.meaning, weight)))
  const logits = units.map((unit, at) =>
    targets.map((target, of) => {
      const cover = covers[at]?.[of]
      const name = names[at]?.[of]
      const options = rare(at, of)
      const fit = unit._tag === "Column"
        ? fitColumn(unit.profile, target, cover, { shape, options })
        : fitBlock(unit.content, target, cover, { shape, options })
      // A block without a title is rated by its options only.
      return fit + (name === undefined || (unit._tag === "Block" && unit.title === undefined) ? -1 : nameLogit(name))
    })
  )
  const assigned = assign(logits)
  const chosen = new Map(assigned.map((each) => [`${each.unit} ${each.target}`, each.margin]))
  // Without a close alternative, less confidence is needed.
  const alone = (margin: number) => Math.min(1, Math.max(0, (margin - 1.5) * 0.6))
  const sure = (unit: number, target: number) =>
    sigmoid((logits[unit]?.[target] ?? -Infinity) + alone(chosen.get(`${unit} ${target}`) ?? 0))
  const settled = assigned.filter(({ unit, target }) => sure(unit, target) >= accepted.confidence)
  const takenUnits = new Set(settled.map(({ unit }) => unit))
  const takenTargets = new Set(settled.map(({ target }) => target))
  /** Whether something unassigned fits as well, unless only this pair has the same name. */
  const hasRival = (unit: number, target: number): boolean => {
    const own = logits[unit]?.[target] ?? -Infinity
    const isRival = (u: number, t: number) =>
      sigmoid(logits[u]?.[t] ?? -Infinity) >= accepted.confidence
      && own - (logits[u]?.[t] ?? -Infinity) < accepted.lead
      && ((names[unit]?.[target]?.value ?? 0) < saysTheSame || (names[u]?.[t]?.value ?? 0) >= saysTheSame)
    // Only a person knows which of two columns with the same title is meant.
    const title = units[unit]?.meaning.same ?? ""
    const isTwin = (u: number) => u !== unit && title !== "" && units[u]?.meaning.same === title
    return targets.some((_, other) => !takenTargets.has(other) && isRival(unit, other))
      || units.some((_, other) => !takenUnits.has(other) && (isTwin(other) || isRival(other, target)))
  }
  return units.flatMap((unit, at) =>
    targets.map((target, of): Ranked => {
      const margin = chosen.get(`${at} ${of}`)
      const confidence = sure(at, of)
      return {
        unit,
        target,
        confidence,
        verdict: margin === undefined
          ? "not-chosen"
          : confidence < accepted.confidence
          ? "unsure"
          : (margin < accepted.margin && names[at]?.[of]?.same !== true) || margin < accepted.margin / 2
              || hasRival(at, of)
          ? "ambiguous"
          : "accepted",
      }
    })
  )
}
