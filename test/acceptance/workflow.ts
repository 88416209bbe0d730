import { build } from "esbuild"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const modules = [
  "@actions/workflow-parser",
  "@actions/workflow-parser/actions/action-parser",
  "@actions/workflow-parser/actions/action-template",
]

/** Returns the errors that GitHub's own parser finds in a workflow. */
export const workflowFaults = async (content: string): Promise<ReadonlyArray<string>> => {
  const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await parser()
  const { context, value } = parseWorkflow({ name: "workflow.yml", content }, new NoOperationTraceWriter())
  const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value)
  const converted = template?.errors?.map(({ Message }) => Message) ?? []
  return [...context.errors.getErrors().map(({ message }) => message), ...converted]
}

/** Returns the errors that GitHub's own parser finds in an action. */
export const actionFaults = async (content: string): Promise<ReadonlyArray<string>> => {
  const { NoOperationTraceWriter, convertActionTemplate, parseAction } = await parser()
  const { context, value } = parseAction({ name: "action.yml", content }, new NoOperationTraceWriter())
  if (value !== undefined) convertActionTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

/** Loads the parser as a bundle, because its packages import JSON in a way that Node refuses. */
const parser = async () => {
  const repository = resolve(import.meta.dirname, "../..")
  const outfile = join(repository, "node_modules/.cache", `workflow-parser-${process.pid}.mjs`)
  await build({
    stdin: { contents: modules.map((module) => `export * from "${module}"`).join("\n"), resolveDir: repository },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: `import { createRequire as r } from "node:module"; const require = r(import.meta.url);` },
  })
  return await import(pathToFileURL(outfile).href) as
    & typeof import("@actions/workflow-parser")
    & typeof import("@actions/workflow-parser/actions/action-parser")
    & typeof import("@actions/workflow-parser/actions/action-template")
}
