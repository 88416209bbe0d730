import { Effect, Either } from "effect"
import type { Diagnostic } from "../../domain/diagnostic.ts"
import { nameColumns } from "../../mapping/ColumnBook.ts"
import { loadProject } from "../../project/loadProject.ts"
import { compileFor } from "../compileFor.ts"
import { openPipelineSource } from "../openPipelineSource.ts"
import { chooseTarget, openTarget } from "../target.ts"

/**
 * What else is wrong with a pipeline whose file can't be read as a whole: its sound entries against the form and the source's header. Nothing where that can't be
 * told; the rest is then said once the file is right.
 *
 * @param root the project's folder
 * @param name the pipeline's
 */
export const restOfBroken = (root: string, name: string) =>
  Effect.scoped(Effect.gen(function*() {
    const project = yield* loadProject(root, { pipelines: [name], withoutBroken: true })
    const pipeline = project.pipelines.get(name)
    if (pipeline === undefined) return []
    const [only] = pipeline.sink.targets
    const target = yield* chooseTarget(pipeline, pipeline.sink.targets.length > 1 ? only?.target : undefined)
    const opened = yield* openPipelineSource(pipeline, undefined)
    const source = { ...opened, columns: nameColumns(opened.columns, pipeline.source.columns) }
    const { service } = yield* openTarget(project, pipeline, target)
    const compiled = yield* Effect.either(compileFor(pipeline, source, yield* service.form(target.form)))
    // Columns of broken entries only look as if nothing used them.
    const isAbout = ({ message, severity }: Diagnostic) =>
      severity === "error" && !/columns? (?:is|are) not mapped/.test(message)
    return Either.isLeft(compiled) ? compiled.left.diagnostics.filter(isAbout) : []
  })).pipe(Effect.orElseSucceed((): ReadonlyArray<Diagnostic> => []))
