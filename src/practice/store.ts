import { Effect } from "effect"

/** A submission as the practice service keeps it: the JSON text that it returns. */
export interface StoredSubmission {
  readonly id: string
  readonly json: string
}

/** What the practice service remembers: submissions by form, in the order of their creation. Reading is from memory. */
export interface PracticeStore {
  readonly get: (form: string, id: string) => StoredSubmission | undefined
  readonly all: (form: string) => ReadonlyArray<StoredSubmission>
  /** Returns once they are kept. */
  readonly append: (form: string, submissions: ReadonlyArray<StoredSubmission>) => Effect.Effect<void>
}

/** Keeps submissions as long as the process lives. */
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
