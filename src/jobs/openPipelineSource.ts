import type { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Scope } from "effect"
import type { Pipeline } from "../project/Pipeline.ts"
import type { SourceFiles } from "../project/sourceSection.ts"
import { isMended, ownColumns } from "../source/columns.ts"
import { findFiles, namesBelow } from "../source/findFiles.ts"
import { openSource } from "../source/openSource.ts"
import type { Source, SourceError } from "../source/Source.ts"

const sameTitles = (a: Source, b: Source): boolean => {
  const [mine, yours] = [ownColumns(a.columns), ownColumns(b.columns)]
  return mine.length === yours.length && mine.every(({ title }, at) => title === yours[at]?.title)
}

/**
 * Opens a pipeline's source, or another file in its place. Rows of a rejected.csv stood in the pipeline's own source: what form tool that was, and
 * which of its columns belong together, is taken from there as long as it can be opened.
 *
 * @param file another file, absolute
 * @param digestAhead whether the digest of the pipeline's own source is going to be asked for
 */
export const openPipelineSource = (
  { source }: Pipeline,
  file: string | undefined,
  digestAhead = false,
): Effect.Effect<Source, SourceError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    if (file === undefined) return yield* openSource(source, { digestAhead })
    const given = { ...(yield* openSource({ ...source, file })), matched: yield* matchedBy(source.file, file) }
    if (!isMended(given.columns)) return given
    const own = Option.getOrUndefined(yield* Effect.option(openSource(source)))
    if (own?.tool === undefined) return given
    const mended = yield* openSource({ ...source, file, format: own.tool.name })
    return sameTitles(own, mended) ? { ...mended, tool: own.tool, blocks: own.blocks } : mended
  })

/** A file that is given in the place of a pattern counts as read if it is one of those that match. */
const matchedBy = (where: SourceFiles, file: string) =>
  findFiles(where).pipe(
    Effect.map(({ matched }) =>
      matched && {
        all: namesBelow(matched.base, matched.all),
        read: namesBelow(matched.base, matched.all.includes(file) ? [file] : []),
      }
    ),
    Effect.orElseSucceed(() => undefined),
  )

/** A pipeline whose row key is said: by itself, or by the form tool whose export its source is. */
export const withRowKey = (pipeline: Pipeline, source: Source): Pipeline => {
  const names = source.tool?.defaultRowKey
  return pipeline.source.rowKey !== undefined || names === undefined
    ? pipeline
    : {
      ...pipeline,
      source: { ...pipeline.source, rowKey: names.map((name) => ({ name, path: ["source"] })) },
    }
}
