import type { Item } from "../domain/item.ts"
import type { Submission } from "../domain/submission.ts"

/** Returns how well a created submission fits an item (kinds/submission.ts). */
export type Fit = (item: Item, submission: Submission) => "exact" | "equivalent" | "no"

/** The result of matching. */
export interface Matching {
  /** The submission of each item, by the item's index. */
  readonly submissions: ReadonlyArray<Submission | undefined>
  /** Ids that match no item. */
  readonly loose: ReadonlyArray<string>
}

/**
 * Matches items and submissions by content, because the interface guarantees no order and returns no index. If there
 * are as many well-formed submissions as items, everything is matched: exact fits first, then equivalent ones, then the
 * rest in order. Reading back detects wrong matches. If there are fewer or more submissions than items, only unique
 * fits are matched.
 *
 * @param submissions the well-formed and distinct ones. The others are `undefined`
 * @param ids known ids of the submissions that could not be decoded
 */
export const matchByContent = (
  items: ReadonlyArray<Item>,
  submissions: ReadonlyArray<Submission | undefined>,
  ids: ReadonlyArray<string>,
  fit: Fit,
): Matching => {
  const complete = submissions.length === items.length && submissions.every((submission) => submission !== undefined)
  const found = new Array<Submission | undefined>(items.length).fill(undefined)
  const free = new Set(submissions.filter((submission) => submission !== undefined))
  const take = (index: number, submission: Submission) => {
    found[index] = submission
    free.delete(submission)
  }
  if (complete) {
    // Most services return submissions in order. An exact fit at the same index needs no search, and identical items are interchangeable.
    items.forEach((item, index) => {
      const submission = submissions[index]
      if (submission !== undefined && fit(item, submission) === "exact") take(index, submission)
    })
    for (const wanted of ["exact", "equivalent"] as const) {
      items.forEach((item, index) => {
        if (found[index] !== undefined) return
        for (const submission of free) {
          const fits = fit(item, submission)
          if (fits === wanted || fits === "exact") return take(index, submission)
        }
      })
    }
    items.forEach((_, index) => {
      if (found[index] !== undefined) return
      for (const submission of free) return take(index, submission)
    })
    return { submissions: found, loose: [] }
  }
  for (const wanted of ["exact", "equivalent"] as const) matchUnique(items, found, free, wanted, fit, take)
  return {
    submissions: found,
    loose: [...[...free].map((submission) => submission.submissionId), ...ids.filter((id) => !known(submissions, id))],
  }
}

/** Pairs items and submissions that fit each other and nothing else. Identical items count as unique if there are as many identical submissions. */
const matchUnique = (
  items: ReadonlyArray<Item>,
  found: ReadonlyArray<Submission | undefined>,
  free: ReadonlySet<Submission>,
  wanted: "exact" | "equivalent",
  fit: Fit,
  take: (index: number, submission: Submission) => void,
): void => {
  const fits = (item: Item, submission: Submission) => {
    const how = fit(item, submission)
    return how === wanted || how === "exact"
  }
  const open = items.flatMap((item, index) => (found[index] === undefined ? [{ item, index }] : []))
  const candidates = open.map(({ item }) => [...free].filter((submission) => fits(item, submission)))
  open.forEach(({ index }, at) => {
    const mine = candidates[at] ?? []
    const rivals = candidates.filter((theirs) => theirs.some((submission) => mine.includes(submission)))
    const same = rivals.every((theirs) =>
      theirs.length === mine.length && theirs.every((submission) => mine.includes(submission))
    )
    if (mine.length === 0 || !same || rivals.length !== mine.length) return
    const submission = mine.find((candidate) => free.has(candidate))
    if (submission !== undefined) take(index, submission)
  })
}

const known = (submissions: ReadonlyArray<Submission | undefined>, id: string): boolean =>
  submissions.some((submission) => submission?.submissionId === id)
