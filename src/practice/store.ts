import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { reasonOf } from "../domain/words.ts"

/** A submission as the practice service stores it: the JSON text that it returns. */
export interface StoredSubmission {
  readonly id: string
  readonly json: string
}

/** The practice service's submissions by form, in the order of their creation. Reads are served from memory. */
export interface PracticeStore {
  readonly get: (form: string, id: string) => StoredSubmission | undefined
  readonly all: (form: string) => ReadonlyArray<StoredSubmission>
  /** Stores submissions. The effect ends when they are stored. */
  readonly append: (form: string, submissions: ReadonlyArray<StoredSubmission>) => Effect.Effect<void>
}

/** Stores submissions until the process ends. */
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

/** The number of submissions that are kept after they were read, because a read may be repeated. */
const remembered = 10_000

/**
 * Stores submissions until they are read, and keeps the most recently read ones. A rehearsal of a million rows therefore takes no more memory than one of a thousand. Ids are unique among all forms.
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

/** The practice service's folder can't be read or written, or contains lines that are not submissions. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  folder: Schema.String,
  reason: Schema.String,
}) {
  override get message() {
    return `The practice service's store ${this.folder} can't be used: ${this.reason}. Fix or delete it; it contains nothing but practice submissions.`
  }
}

const decodeLine = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ submissionId: Schema.NonEmptyString })))

const extension = ".jsonl"

/**
 * Opens a store that survives a restart. It is a folder with a file of JSON lines for each form, to which lines are only appended. If a crash cut the last line short, that line is removed. Any other
 * line that is not a submission is an error.
 */
export const folderStore = (
  folder: string,
): Effect.Effect<PracticeStore, StoreUnusable, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
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
        const submissions: Array<StoredSubmission> = []
        const lines = text.slice(0, end).split("\n")
        lines.pop()
        for (const [index, json] of lines.entries()) {
          const line = decodeLine(json)
          if (line._tag === "None") {
            return yield* new StoreUnusable({ folder, reason: `line ${index + 1} of ${name} is not a submission` })
          }
          submissions.push({ id: line.value.submissionId, json })
        }
        yield* memory.append(decodeURIComponent(name.slice(0, -extension.length)), submissions)
      })

    for (const name of yield* fs.readDirectory(folder)) {
      if (name.endsWith(extension)) yield* load(name)
    }

    const files = new Map<string, FileSystem.File>()
    const fileOf = (form: string) =>
      Effect.gen(function*() {
        const open = files.get(form)
        if (open !== undefined) return open
        const file = yield* fs.open(path.join(folder, `${encodeURIComponent(form)}${extension}`), {
          flag: "a",
          mode: 0o600,
        })
        files.set(form, file)
        return file
      })
    // Allows one write at a time, so that lines are whole and in the same order as in memory.
    const turn = yield* Effect.makeSemaphore(1)

    return {
      get: memory.get,
      all: memory.all,
      append: (form: string, submissions: ReadonlyArray<StoredSubmission>) =>
        Effect.gen(function*() {
          const file = yield* Effect.provideService(fileOf(form), Scope.Scope, scope)
          yield* file.writeAll(new TextEncoder().encode(submissions.map(({ json }) => `${json}\n`).join("")))
          yield* memory.append(form, submissions)
        }).pipe(turn.withPermits(1), Effect.uninterruptible, Effect.orDie),
    }
  }).pipe(
    Effect.catchTags({
      BadArgument: (error: PlatformError) => Effect.fail(new StoreUnusable({ folder, reason: reasonOf(error) })),
      SystemError: (error: PlatformError) => Effect.fail(new StoreUnusable({ folder, reason: reasonOf(error) })),
    }),
  )
