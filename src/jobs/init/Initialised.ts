import { Schema } from "effect"
import type { Redacted } from "effect"
import type { Form } from "../../domain/form.ts"
import { unknownOf } from "../../mapping/suggest/draftEntries.ts"
import type { Unknown } from "../../mapping/suggest/draftEntries.ts"
import type { Suggestions } from "../../mapping/suggest/Suggestion.ts"
import type { Project } from "../../project/Project.ts"
import type { NewService } from "../../project/projectText.ts"
import type { Source } from "../../source/Source.ts"

/** `init` can't do what it was asked for (exit 2). */
export class InitRefused extends Schema.TaggedError<InitRefused>()("InitRefused", {
  /** What is wrong, and what to do next, as sentences. */
  message: Schema.String,
}) {}

/** What `init` was asked to do. */
export interface InitOptions {
  /** The project's folder; it is made into one when `newService` is given. */
  readonly root: string
  readonly newService: NewService | undefined
  readonly name: string
  /** Absolute; needed for a new pipeline. */
  readonly source: string | undefined
  readonly sheet: string | undefined
  readonly service: string | undefined
  readonly form: string | undefined
  /** The key of a new service, to be written into .env; absent: it is in the environment, or comes later. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** Sees the project before a service of it is used. */
  readonly guard?: (project: Project) => Project
}

/** What `init` came to. */
export interface Initialised {
  readonly root: string
  /** Files that were written, from the project's folder. */
  readonly written: ReadonlyArray<string>
  readonly pipeline: string
  /** The pipeline's file, from the project's folder. */
  readonly file: string
  readonly form: Pick<Form, "id" | "name">
  /** Answers that are mapped, entries that are left to a person, in what was written now. */
  readonly mapped: number
  readonly open: ReadonlyArray<string>
  /** Questions under which choices without an option are listed, to be filled in. */
  readonly choices: ReadonlyArray<string>
  readonly unmapped: ReadonlyArray<string>
  readonly rowKey: ReadonlyArray<string>
  /** Whether the pipeline was there before, and what is new was added to it. */
  readonly added: boolean
  readonly taken: Source["taken"]
  readonly warnings: ReadonlyArray<string>
}

/** Names of the questions for which something is listed under `values`. */
export const namesWithChoices = (
  { accepted }: Pick<Suggestions, "accepted">,
  unknown: ReadonlyMap<string, Unknown>,
): ReadonlyArray<string> =>
  accepted.filter((suggestion) => (unknownOf(suggestion, unknown)?.counts.length ?? 0) > 0)
    .map(({ question }) => question.name)

/** Names of the questions, or places, whose entries are left to a person. */
export const openNames = (
  form: Form,
  entries: ReadonlyArray<{ readonly of: string; readonly open: boolean }>,
): ReadonlyArray<string> =>
  entries.filter(({ open }) => open).map(({ of }) => form.questions.find(({ id }) => id === of)?.name ?? of)
