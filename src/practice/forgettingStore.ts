import { Effect } from "effect"
import type { PracticeStore, StoredSubmission } from "./store.ts"

/** Submissions that were read and are still remembered: a read may be asked for again. */
const remembered = 10_000

/**
 * Keeps submissions until they are read, and of those the last ones: a rehearsal of a million rows takes no more memory than one of a thousand. Ids are the service's own, so that no two forms
 * have the same.
 */
export const forgettingStore = (keep = remembered): PracticeStore => {
  const unread = new Map<string, StoredSubmission & { readonly form: string }>()
  const read = new Map<string, StoredSubmission & { readonly form: string }>()
  return {
    get: (form, id) => {
      const fresh = unread.get(id)
      const found = fresh ?? read.get(id)
      if (found?.form !== form) return undefined
      if (fresh !== undefined) {
        unread.delete(id)
        read.set(id, fresh)
        // A Map gives its keys in the order in which they came.
        for (const oldest of read.keys()) {
          if (read.size <= keep) break
          read.delete(oldest)
        }
      }
      return found
    },
    all: (form) => [...read.values(), ...unread.values()].filter((one) => one.form === form),
    append: (form, submissions) =>
      Effect.sync(() => {
        for (const submission of submissions) unread.set(submission.id, { ...submission, form })
      }),
  }
}
