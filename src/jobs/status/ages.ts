import type { DoubtsOf } from "../../ledger/records.ts"

/** How long rows have been in doubt; bounds in days. */
const ages = [
  { age: "younger than a day", days: 1 },
  { age: "younger than a week", days: 7 },
  { age: "younger than 30 days", days: 30 },
  { age: "older than 30 days", days: Number.POSITIVE_INFINITY },
] as const

export interface DoubtAge {
  readonly age: (typeof ages)[number]["age"]
  readonly count: number
}

/** Rows in doubt by age, the youngest first; only ages that occur. */
export const byAge = (
  doubts: ReadonlyArray<Pick<DoubtsOf, "sentAt" | "count">>,
  now: number,
): ReadonlyArray<DoubtAge> => {
  const counts = new Map<DoubtAge["age"], number>()
  for (const { count, sentAt } of doubts) {
    const days = (now - Date.parse(sentAt)) / 86_400_000
    const age = ages.find((one) => days < one.days)?.age ?? "older than 30 days"
    counts.set(age, (counts.get(age) ?? 0) + count)
  }
  return ages.flatMap(({ age }) => {
    const count = counts.get(age)
    return count === undefined ? [] : [{ age, count }]
  })
}
