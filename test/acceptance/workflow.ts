import { build } from "esbuild"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** Returns what GitHub's own parser finds wrong with a workflow. */
export const workflowFaults = async (content: string): Promise<ReadonlyArray<string>> => {
  const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await parser()
  const { context, value } = parseWorkflow({ name: "workflow.yml", content }, new NoOperationTraceWriter())
  const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value)
  const converted = template?.errors?.map(({ Message }) => Message) ?? []
  return [...context.errors.getErrors().map(({ message }) => message), ...converted]
}

/** Loads the parser as a bundle: its packages import JSON in a way that Node refuses. */
const parser = async () => {
  const repository = resolve(import.meta.dirname, "../..")
  const outfile = join(repository, "node_modules/.cache", `workflow-parser-${process.pid}.mjs`)
  await build({
    stdin: { contents: `export * from "@actions/workflow-parser"`, resolveDir: repository },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: `import { createRequire as r } from "node:module"; const require = r(import.meta.url);` },
  })
  return await import(pathToFileURL(outfile).href) as typeof import("@actions/workflow-parser")
}
