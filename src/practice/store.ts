import { Effect } from "effect"

/** A submission as the practice service keeps it: the JSON text that it returns. */
export interface StoredSubmission {
  readonly id: string
  readonly json: string
}

/** The practice service's submissions by form, in the order of their creation. Reads come from memory. */
export interface PracticeStore {
  readonly get: (form: string, id: string) => StoredSubmission | undefined
  readonly all: (form: string) => ReadonlyArray<StoredSubmission>
  /** Returns once they are kept. */
  readonly append: (form: string, submissions: ReadonlyArray<StoredSubmission>) => Effect.Effect<void>
}

/** Keeps submissions until the process ends. */
export const memoryStore = (): PracticeStore => {
  const forms = new Map<string, Map<string, StoredSubmission>>()
  return {
    get: (form, id) => forms.get(form)?.get(id),
    all: (form) => Array.from(forms.get(form)?.values() ?? []),
    append: (form, submissions) =>
      Effect.sync(() => {
        const kept = forms.get(form) ?? new Map<string, StoredSubmission>()
        forms.set(form, kept)
        for (const submission of submissions) kept.set(submission.id, submission)
      }),
  }
}

/** How many submissions are kept after they were read: a read may be repeated. */
const remembered = 10_000

/** Keeps submissions until they are read, and the last ones of those: a rehearsal of a million rows takes no more memory than one of a thousand. Ids are unique among all forms. */
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
