import { Effect } from "effect"
import type { Submission } from "../src/domain/submission.ts"
import { type FormService, pageRows } from "../src/service/FormService.ts"

/** Returns a submission with these members. All others are empty. */
export const submissionWith = (members: Partial<Submission>): Submission => ({
  submissionId: "s1",
  submissionTime: undefined,
  lastUpdatedAt: undefined,
  questions: [],
  calculations: [],
  urlParameters: [],
  scheduling: [],
  payments: [],
  quiz: undefined,
  login: undefined,
  editLink: undefined,
  ...members,
})

/** Returns the `list` of a service with these submissions, the oldest first. `pages` are the pages that it was asked for. */
export const fakeList = (submissions: () => ReadonlyArray<Submission>, size = pageRows) => {
  const pages: Array<string> = []
  const list: NonNullable<FormService["list"]> = (_form, { offset, sort }) =>
    Effect.sync(() => {
      pages.push(`${sort} ${offset}`)
      const all = sort === "asc" ? submissions() : submissions().toReversed()
      return { submissions: all.slice(offset, offset + size), malformed: 0, total: all.length }
    })
  return { pages, list }
}
