import type { FormToolName } from "../../project/formTools.ts"

/** How a pipeline wants a file to be taken. */
export interface ToolOptions {
  readonly file: string
  /** The tool that the pipeline names; undefined: it is recognised. */
  readonly asked: FormToolName | undefined
  /** The pipeline's `headerRow`. */
  readonly headerRow: number | undefined
}
