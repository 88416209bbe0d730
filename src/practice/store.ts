import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { firstIndex } from "../domain/firstIndex.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { type Disk, disk } from "../project/disk.ts"

/** A submission as the practice service stores it: the JSON text that it returns. */
export interface StoredSubmission {
  readonly id: string
  /** The submission time, in milliseconds since 1970. */
  readonly time: number
  readonly json: string
}

/** The practice service's submissions by form, in the order of their creation. Reads are served from memory. */
export interface PracticeStore {
  readonly get: (form: string, id: string) => StoredSubmission | undefined
  readonly all: (form: string) => ReadonlyArray<StoredSubmission>
  /** Returns a form's submissions, oldest first. Those with the same submission time are in the order of their creation. */
  readonly byTime: (form: string) => ReadonlyArray<StoredSubmission>
  /** Stores submissions. The effect ends when they are stored. */
  readonly append: (form: string, submissions: ReadonlyArray<StoredSubmission>) => Effect.Effect<void>
  /** Removes a submission. Changes nothing if there is no such submission. Completes once the removal is stored. */
  readonly remove: (form: string, id: string) => Effect.Effect<void>
}

const earlier = (a: StoredSubmission, b: StoredSubmission): number => a.time - b.time

/** Returns how many submissions of a list, which is sorted by time, are earlier than a time in milliseconds. */
export const countBefore = (sorted: ReadonlyArray<StoredSubmission>, time: number): number =>
  firstIndex(0, sorted.length, (at) => sorted[at]!.time < time)

/** The submissions of a form, by id and by time. */
class FormSubmissions {
  readonly byId = new Map<string, StoredSubmission>()
  readonly #byTime: Array<StoredSubmission> = []
  #isSorted = true

  /** Sorts only after submissions arrived out of order. The sort is stable, and fast if most of the list is in order. */
  byTime(): Array<StoredSubmission> {
    if (!this.#isSorted) this.#byTime.sort(earlier)
    this.#isSorted = true
    return this.#byTime
  }

  add(submission: StoredSubmission): void {
    this.remove(submission.id)
    this.byId.set(submission.id, submission)
    this.#isSorted &&= (this.#byTime.at(-1)?.time ?? -Infinity) <= submission.time
    this.#byTime.push(submission)
  }

  remove(id: string): void {
    const removed = this.byId.get(id)
    if (removed === undefined) return
    this.byId.delete(id)
    const sorted = this.byTime()
    sorted.splice(sorted.indexOf(removed, countBefore(sorted, removed.time)), 1)
  }
}

/** Stores submissions until the process ends. */
export const memoryStore = (): PracticeStore => {
  const forms = new Map<string, FormSubmissions>()
  return {
    get: (form, id) => forms.get(form)?.byId.get(id),
    all: (form) => Array.from(forms.get(form)?.byId.values() ?? []),
    byTime: (form) => forms.get(form)?.byTime() ?? [],
    append: (form, submissions) =>
      Effect.sync(() => {
        const kept = forms.get(form) ?? new FormSubmissions()
        forms.set(form, kept)
        for (const submission of submissions) kept.add(submission)
      }),
    remove: (form, id) => Effect.sync(() => forms.get(form)?.remove(id)),
  }
}

/** The number of submissions that are kept after they were read, because a read may be repeated. */
const remembered = 10_000

/**
 * Stores submissions until they are read, and keeps the most recently read ones. A rehearsal of a million rows therefore takes no more memory than one of a thousand. Ids are unique among all forms.
 */
export const forgettingStore = (keep = remembered): PracticeStore => {
  const unread = new Map<string, StoredSubmission & { readonly form: string }>()
  const read = new Map<string, StoredSubmission & { readonly form: string }>()
  const all = (form: string) => [...read.values(), ...unread.values()].filter((one) => one.form === form)
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
    all,
    byTime: (form) => all(form).sort(earlier),
    append: (form, submissions) =>
      Effect.sync(() => {
        for (const submission of submissions) unread.set(submission.id, { ...submission, form })
      }),
    remove: (form, id) =>
      Effect.sync(() => {
        for (const kept of [read, unread]) {
          if (kept.get(id)?.form === form) kept.delete(id)
        }
      }),
  }
}

/** The practice service's folder can't be read or written, or contains lines that are not submissions. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  folder: Schema.String,
  reason: Schema.String,
}) {
  override get message() {
    return `The practice service's store ${this.folder} can't be used: ${this.reason}. Correct it or its permissions, or delete it: it contains only practice submissions.`
  }
}

/** A line of the store: a submission, or the id of a submission that was removed after it. */
const decodeLine = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Union(
    Schema.Struct({
      submissionId: Schema.NonEmptyString,
      submissionTime: Schema.optionalWith(Schema.Date, { default: () => new Date(0) }),
    }),
    Schema.Struct({ removed: Schema.NonEmptyString }),
  )),
)

const extension = ".jsonl"

/**
 * Opens a store that survives a restart. It is a folder with a file of JSON lines for each form, to which lines are only appended: a submission, or the id of a removed one. If a crash cut the last
 * line short, that line is removed. Any other line is an error.
 */
export const folderStore = (
  folder: string,
): Effect.Effect<PracticeStore, StoreUnusable, Disk | Scope.Scope> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const scope = yield* Effect.scope
    const memory = memoryStore()
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    // An existing folder may be readable by other users, who must not see the rows.
    yield* fs.chmod(folder, 0o700)

    const load = (name: string) =>
      Effect.gen(function*() {
        const file = path.join(folder, name)
        yield* fs.chmod(file, 0o600)
        const text = yield* fs.readFileString(file)
        const end = text.lastIndexOf("\n") + 1
        // Removes the cut line, which the next append would otherwise continue.
        if (end < text.length) yield* fs.truncate(file, Buffer.byteLength(text.slice(0, end)))
        const form = decodeURIComponent(name.slice(0, -extension.length))
        const lines = text.slice(0, end).split("\n")
        lines.pop()
        for (const [index, json] of lines.entries()) {
          const line = decodeLine(json)
          if (line._tag === "None") {
            return yield* new StoreUnusable({ folder, reason: `line ${index + 1} of ${name} is not a submission` })
          }
          yield* "removed" in line.value
            ? memory.remove(form, line.value.removed)
            : memory.append(form, [{ id: line.value.submissionId, time: line.value.submissionTime.getTime(), json }])
        }
      })

    for (const name of yield* fs.readDirectory(folder)) {
      if (name.endsWith(extension)) yield* load(name)
    }

    const files = new Map<string, FileSystem.File>()
    const fileOf = (form: string) =>
      Effect.gen(function*() {
        const open = files.get(form)
        if (open !== undefined) return open
        const name = `${encodeURIComponent(form)}${extension}`
        const file = yield* fs.open(path.join(folder, name), { flag: "a", mode: 0o600 })
        files.set(form, file)
        return file
      })
    // Allows one write at a time, so that lines are whole and in the same order as in memory.
    const turn = yield* Effect.makeSemaphore(1)

    /** Appends lines to a form's file, then makes the change in memory. */
    const write = (form: string, lines: ReadonlyArray<string>, change: Effect.Effect<void>) =>
      Effect.gen(function*() {
        const file = yield* Effect.provideService(fileOf(form), Scope.Scope, scope)
        yield* file.writeAll(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))
        yield* change
      }).pipe(turn.withPermits(1), Effect.uninterruptible, Effect.orDie)

    return {
      ...memory,
      append: (form: string, submissions: ReadonlyArray<StoredSubmission>) =>
        write(form, submissions.map(({ json }) => json), memory.append(form, submissions)),
      remove: (form: string, id: string) => write(form, [JSON.stringify({ removed: id })], memory.remove(form, id)),
    }
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "StoreUnusable" ? error : new StoreUnusable({ folder, reason: reasonOf(error) })
    ),
  )
