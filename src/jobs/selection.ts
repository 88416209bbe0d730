import * as Effect from "effect/Effect"
import picomatch from "picomatch"
import { listed } from "../domain/words.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import { hasTag, listPipelines, type PipelineText } from "../project/loadProject.ts"
import { decodePipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { oneOf, quoted, suggest } from "../project/suggestion.ts"
import { JobRefused } from "./JobRefused.ts"
import { failedPipelines } from "./status.ts"

/** Which pipelines a command is for: those that match all of these conditions. */
export interface Selection {
  /** Names and globs. Empty for all pipelines. */
  readonly pipelines: ReadonlyArray<string>
  /** Only pipelines with one of these tags. Empty for any tag. */
  readonly tag: ReadonlyArray<string>
  /** Only pipelines whose last run was not good. */
  readonly failed: boolean
}

const isGlob = (word: string): boolean => picomatch.scan(word).isGlob

const refuse = (what: string, existing: string | undefined) =>
  new JobRefused({
    code: "NothingSelected",
    next: ["status"],
    message: existing === undefined ? what : `${what} ${existing}`,
  })

/** Fails if a file's name and tags can't be read, because its pipeline may be one of the chosen ones. */
const requireReadable = ({ texts, unreadable }: Effect.Effect.Success<ReturnType<typeof listPipelines>>) => {
  const broken = texts.filter(({ name, tags }) => name === undefined || tags === undefined).flatMap(({ yaml }) => {
    const read = decodePipeline(yaml)
    return read._tag === "Wrong" ? read.findings.map(yaml.diagnostic) : []
  })
  const diagnostics = [...unreadable, ...broken]
  return diagnostics.length === 0 ? Effect.void : Effect.fail(new ConfigurationInvalid({ diagnostics }))
}

/** Returns the names that a glob matches. Returns any other word unchanged. */
const namesFor = (word: string, known: ReadonlyArray<string>) => {
  if (!isGlob(word)) return Effect.succeed([word])
  const matches = picomatch(word)
  const found = known.filter((name) => matches(name))
  if (found.length > 0) return Effect.succeed(found)
  const existing = known.length === 0
    ? "The folder pipelines/ contains no pipeline."
    : `Pipelines are: ${listed(known.map(quoted))}.`
  return refuse(`No pipeline's name matches ${quoted(word)}.`, existing)
}

const requireTags = (tags: ReadonlyArray<string>, texts: ReadonlyArray<PipelineText>) => {
  const known = [...new Set(texts.flatMap((text) => text.tags ?? []))].toSorted()
  const unknown = tags.find((tag) => !known.includes(tag))
  if (unknown === undefined) return Effect.void
  return refuse(
    `No pipeline has the tag ${quoted(unknown)}.`,
    known.length === 0
      ? "None has a tag yet. Tags are written in pipeline files: `tags: [nightly]`."
      : suggest(unknown, known, "Tags are"),
  )
}

/**
 * Returns the names of the chosen pipelines, each once. Returns a plain name even if there is no such pipeline; the caller reports that. Fails if a
 * glob or a tag chooses none. Only with `failed` may the result be empty.
 *
 * @param opening opens the project; not used if there are only plain names
 */
export const selectPipelines = <E, R>(
  opening: Effect.Effect<Project, E, R>,
  { failed, pipelines: names, tag: tags }: Selection,
) =>
  Effect.gen(function*() {
    if (tags.length === 0 && !failed && !names.some(isGlob)) return [...new Set(names)]
    const project = yield* opening
    const files = yield* listPipelines(project.root)
    yield* requireReadable(files)
    yield* requireTags(tags, files.texts)
    const known = files.names
    const named = names.length === 0
      ? known
      : [...new Set((yield* Effect.forEach(names, (word) => namesFor(word, known))).flat())]
    const tagged = named.filter((name) => {
      const file = files.texts.find((text) => text.name === name)
      return file === undefined || hasTag(file.tags, tags)
    })
    if (tagged.length === 0 && tags.length > 0) {
      return yield* refuse(`None of ${listed(named.map(quoted))} has the tag ${oneOf(tags.map(quoted))}.`, undefined)
    }
    if (!failed) return tagged
    const wanting = yield* failedPipelines(project)
    return tagged.filter((name) => wanting.has(name) || !known.includes(name))
  })

/** Fails for a tag that no pipeline of the project has. Doesn't fail for a file that can't be read, because `schedule` reports it when its pipeline is due. */
export const requireKnownTags = (root: string, tags: ReadonlyArray<string>) =>
  Effect.flatMap(listPipelines(root), ({ texts }) => requireTags(tags, texts))
