import { Utils } from "effect"
import type { Json } from "../../../src/domain/json.ts"
import type { PlannedFault } from "../../../src/practice/faults.ts"
import type { SentItem } from "../../../src/practice/rules.ts"
import type { StoredSubmission } from "../../../src/practice/store.ts"
import { corruptionsOf, isEmpty, uninvited } from "./corruptions.ts"
import { normalisationsOf } from "./normalisations.ts"

/**
 * How much a service changes the answers that it receives, as shares of all answers. The same seed and submissions
 * produce the same changes.
 */
export interface AlterationPlan {
  readonly seed: number
  /** The share of changes that keep the meaning. */
  readonly normalised: number
  /** The share of changes that alter the meaning. */
  readonly corrupted: number
  /** The share of unanswered questions that get an answer. */
  readonly uninvited: number
}

/** A change of an answer. */
export interface Alteration {
  readonly submissionId: string
  /** The id of the question or element, or `submissionTime`, `lastUpdatedAt` or `login`. */
  readonly id: string
  readonly effect: "normalised" | "different" | "absent" | "unexpected"
  /** The name of the change. */
  readonly name: string
  readonly before: Json
  readonly after: Json
}

export interface Alterations {
  /** Changes every submission before the practice service stores it. */
  readonly fault: PlannedFault
  /** Returns the changes so far. */
  readonly made: () => ReadonlyArray<Alteration>
}

interface Element {
  readonly id: string
  readonly type?: string
  readonly value: Json
}

interface Stored {
  readonly questions: ReadonlyArray<Element>
  readonly urlParameters: ReadonlyArray<Element>
  readonly scheduling: ReadonlyArray<Element>
  readonly payments: ReadonlyArray<Element>
  readonly submissionTime: string
  readonly lastUpdatedAt: string
  readonly login?: { readonly email: string }
}

/** Changes a seeded share of the stored answers, so that tests can check the findings of the comparison. */
export const makeAlterations = (plan: AlterationPlan): Alterations => {
  const random = new Utils.PCGRandom(plan.seed, 1)
  const made: Array<Alteration> = []

  const changed = (submissionId: string, id: string, what: string, before: Json): Json => {
    const chance = random.number()
    if (isEmpty(before)) {
      // The pipeline sent this empty list, object or text, so it is kept.
      if (before !== null || chance >= plan.uninvited || what === "times") return before
      const after = uninvited(what)
      if (what === "scheduling" || what === "payments") return before
      made.push({ submissionId, id, effect: "unexpected", name: "uninvited", before, after })
      return after
    }
    const corrupts = chance < plan.corrupted
    if (!corrupts && chance >= plan.corrupted + plan.normalised) return before
    const possible = corrupts
      ? corruptionsOf(what, before).filter(({ apply }) => what !== "times" || isTime(apply(before)))
      : normalisationsOf(what).filter(({ apply }) => JSON.stringify(apply(before)) !== JSON.stringify(before))
    const change = possible[random.integer(Math.max(1, possible.length))]
    if (change === undefined) return before
    const after = change.apply(before)
    const effect = !corrupts ? "normalised" : isEmpty(after) ? "absent" : "different"
    made.push({ submissionId, id, effect, name: change.name, before, after })
    return after
  }

  const alter = (submission: StoredSubmission, item: Partial<SentItem>): StoredSubmission => {
    // `submit` created this JSON.
    const stored = JSON.parse(submission.json) as Stored
    const elements = (list: "questions" | "urlParameters" | "scheduling" | "payments") =>
      stored[list].map((element) => ({
        ...element,
        value: changed(submission.id, element.id, element.type ?? list, element.value),
      }))
    const time = (name: "submissionTime" | "lastUpdatedAt") =>
      item[name] === undefined ? stored[name] : changed(submission.id, name, "times", stored[name])
    return {
      ...submission,
      json: JSON.stringify({
        ...stored,
        submissionTime: time("submissionTime"),
        lastUpdatedAt: time("lastUpdatedAt"),
        questions: elements("questions"),
        urlParameters: elements("urlParameters"),
        scheduling: elements("scheduling"),
        payments: elements("payments"),
        ...(stored.login === undefined
          ? {}
          : { login: { email: changed(submission.id, "login", "login", stored.login.email) } }),
      }),
    }
  }

  return {
    made: () => made,
    fault: {
      name: "alterations",
      keep: (created, { items }) => {
        const kept = created.map((submission, index) => alter(submission, items[index] as Partial<SentItem>))
        return { kept, returned: kept }
      },
    },
  }
}

/** A service never returns an invalid time. */
const isTime = (value: Json): boolean => typeof value === "string" && !Number.isNaN(Date.parse(value))
