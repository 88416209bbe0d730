import type { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Scope } from "effect"
import { nameColumns } from "../mapping/ColumnBook.ts"
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
 * Opens a pipeline's source, or another file in its place, with the column names of `source.columns`. The rows of a rejected.csv come from the pipeline's own source: if that can be opened, it tells the
 * form tool and the blocks of columns.
 *
 * @param file another file, absolute
 * @param digestAhead whether the digest of the pipeline's own source will be needed
 */
export const openPipelineSource = (
  pipeline: Pipeline,
  file: string | undefined,
  digestAhead = false,
): Effect.Effect<Source, SourceError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.map(
    openUnnamed(pipeline, file, digestAhead),
    (source) => ({ ...source, columns: nameColumns(source.columns, pipeline.source.columns) }),
  )

const openUnnamed = ({ source }: Pipeline, file: string | undefined, digestAhead: boolean) =>
  Effect.gen(function*() {
    if (file === undefined) return yield* openSource(source, { digestAhead })
    const given = { ...(yield* openSource({ ...source, file })), matched: yield* matchedBy(source.file, file) }
    if (!isMended(given.columns)) return given
    const own = Option.getOrUndefined(yield* Effect.option(openSource(source)))
    if (own?.tool === undefined) return given
    const mended = yield* openSource({ ...source, file, format: own.tool.name })
    return sameTitles(own, mended) ? { ...mended, tool: own.tool, blocks: own.blocks } : mended
  })

/** A file that is given instead of a pattern counts as read if it matches the pattern. */
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

/** Returns the pipeline with a row key: its own, otherwise that of the form tool that wrote its source. */
export const withRowKey = (pipeline: Pipeline, source: Source): Pipeline => {
  const names = source.tool?.defaultRowKey
  return pipeline.source.rowKey !== undefined || names === undefined
    ? pipeline
    : {
      ...pipeline,
      source: { ...pipeline.source, rowKey: names.map((name) => ({ name, path: ["source"] })) },
    }
}
