import { Utils } from "effect"
import type { Fault, FaultPlan } from "./faultKinds.ts"
import { ofCreates } from "./faultsOfCreates.ts"

/** What a request asks for. */
export type Operation = "create" | "read" | "form"

/** Chance, seeded: the same plan and the same requests in the same order give the same faults. */
export interface FaultDraws {
  /**
   * The fault that the next request meets, if any.
   *
   * @param text the request's body; absent while only its head is known, and then faults that look for a text in it wait
   */
  readonly draw: (operation: Operation, text?: string) => Fault | undefined
  /** A whole number from 0 on, less than `below`. */
  readonly pick: (below: number) => number
  /** How often each fault was met, by kind; those of a status by kind and status. */
  readonly met: () => Readonly<Record<string, number>>
}

/** The name under which a fault is counted. */
const countedAs = (fault: Fault): string => {
  const when = "when" in fault ? ` ${fault.when}` : ""
  return fault.fault === "status" ? `status ${fault.status}${when}` : `${fault.fault}${when}`
}

export const faultDraws = (plan: FaultPlan): FaultDraws => {
  const random = new Utils.PCGRandom(plan.seed, 0)
  const met = new Map<string, number>()
  const rules = plan.faults.map((fault) => ({ fault, seen: 0, times: 0 }))
  const isMeant = (fault: Fault, operation: Operation) => {
    const on = fault.on ?? (ofCreates.has(fault.fault) ? "create" : undefined) ?? "create"
    return on === "any" || on === operation
  }
  const looksFor = (fault: Fault) => ("containing" in fault ? fault.containing : undefined)
  return {
    draw: (operation, text) => {
      for (const rule of rules) {
        const { fault } = rule
        const wanted = looksFor(fault)
        if (!isMeant(fault, operation) || (wanted === undefined) !== (text === undefined)) continue
        if (wanted !== undefined && text?.includes(wanted) !== true) continue
        rule.seen++
        if (rule.seen <= (fault.skip ?? 0) || rule.times >= (fault.times ?? Infinity)) continue
        // Drawn also where it decides nothing, so that one rule's chances don't hang on another's settings.
        const drawn = fault.chance === undefined || random.number() < fault.chance
        if (!drawn || (fault.at !== undefined && !fault.at.includes(rule.seen))) continue
        rule.times++
        met.set(countedAs(fault), (met.get(countedAs(fault)) ?? 0) + 1)
        return fault
      }
      return undefined
    },
    pick: (below) => random.integer(below),
    met: () => Object.fromEntries([...met].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}
