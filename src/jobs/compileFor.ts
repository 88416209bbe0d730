import { Effect, Either } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { compile } from "../mapping/compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import type { Pipeline, SourceConfig } from "../project/Pipeline.ts"
import { isMended, ownColumns } from "../source/columns.ts"
import type { Source } from "../source/Source.ts"
import { withRowKey } from "./openPipelineSource.ts"

/** A mapping, compiled, and the pipeline with its row key said. */
export interface CompiledFor {
  readonly pipeline: Pipeline
  readonly mapping: Mapping
  readonly warnings: ReadonlyArray<Diagnostic>
}

/** Compiles a pipeline's mapping for a source that is open. Its row key may be the form tool's own. */
export const compileFor = (
  pipeline: Pipeline,
  source: Source,
  form: Form,
): Effect.Effect<CompiledFor, ConfigurationInvalid> => {
  const keyed = withRowKey(pipeline, source)
  const compiled = compile({
    pipeline: keyed,
    form,
    columns: ownColumns(source.columns),
    blocks: source.blocks,
    fixed: isMended(source.columns) ? (holdsTypedCells(pipeline.source) ? "typed" : "text") : undefined,
    tool: source.tool,
  })
  const unknown = changesUnknown(keyed)
  if (Either.isLeft(compiled)) {
    return Effect.fail(new ConfigurationInvalid({ diagnostics: [...compiled.left, ...unknown] }))
  }
  if (unknown.length > 0) return Effect.fail(new ConfigurationInvalid({ diagnostics: unknown }))
  const { mapping, warnings } = compiled.right
  return Effect.succeed({ pipeline: keyed, mapping, warnings })
}

/** By `content` a changed row is another row: there is none that could go in again. */
const changesUnknown = ({ document, sink, source }: Pipeline): ReadonlyArray<Diagnostic> =>
  sink.onChange !== "import-again" || source.rowKey !== "content" ? [] : [diagnosticAt(
    document,
    "error",
    ["sink", "onChange"],
    "`onChange: import-again` needs columns as `rowKey`: with `rowKey: content` a changed row is a new row. "
      + "Name the columns that make a row the same row tomorrow, or take `onChange` out.",
  )]

/** Whether a pipeline's own source has typed cells, of which its rejected.csv holds the texts: told by its names, for it may be gone by now. */
const holdsTypedCells = ({ file, format, member, records }: SourceConfig): boolean =>
  format === "excel" || format === "json" || format === "jsonl" || records !== undefined
  || /\.(?:xlsx|xlsm|xlsb|xls|ods|json|jsonl|ndjson)\b/i.test(`${member} ${JSON.stringify(file)}`)
