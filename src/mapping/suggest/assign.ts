import { munkres } from "munkres"

/** One unit assigned to one target, and how much worse the best other arrangement would be. */
export interface Assigned {
  readonly unit: number
  readonly target: number
  /** Logits lost with the best arrangement in which these two don't belong together. */
  readonly margin: number
}

/** Logits below which two don't belong together, whatever else is arranged. */
const floor = -3

/**
 * Assigns units to targets one to one so that the sum of their logits is greatest overall.
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
    // The unit goes to another target, and who was there takes this one's, or none.
    for (let other = 0; other < targets; other++) {
      const rival = unitOf.get(other)
      if (other === target || worth(unit, other) === 0) continue
      const before = own + worth(rival, other)
      best = Math.max(best, worth(unit, other) + worth(rival, target) - before + own)
    }
    // The target takes another unit, and that one's target takes this unit, or none.
    for (let other = 0; other < logits.length; other++) {
      const rival = targetOf.get(other)
      if (other === unit || worth(other, target) === 0) continue
      const before = own + worth(other, rival)
      best = Math.max(best, worth(other, target) + worth(unit, rival) - before + own)
    }
    return { unit, target, margin: own - best }
  })
}
