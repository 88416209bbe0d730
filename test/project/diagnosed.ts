import type { Diagnostic } from "../../src/domain/diagnostic.ts"
import { decodeYaml } from "../../src/project/decodeYaml.ts"
import { pipelineSchema } from "../../src/project/Pipeline.ts"
import { projectSchema } from "../../src/project/Project.ts"
import { parseYaml } from "../../src/project/yamlText.ts"

/** Returns the diagnostics of a pipeline file. There are none if the file is valid. */
export const pipelineDiagnostics = (text: string): ReadonlyArray<Diagnostic> => {
  const yaml = parseYaml("pipelines/a.yaml", text)
  const result = decodeYaml(yaml, pipelineSchema(), "The pipeline")
  return result._tag === "Read" ? [] : result.findings.map(yaml.diagnostic)
}

/** Returns the diagnostics of a project file. */
export const projectDiagnostics = (text: string): ReadonlyArray<Diagnostic> => {
  const yaml = parseYaml("config/formferry.yaml", text)
  const result = decodeYaml(yaml, projectSchema, "The project file")
  return result._tag === "Read" ? [] : result.findings.map(yaml.diagnostic)
}

/** Returns an otherwise valid pipeline with this mapping entry. */
export const withEntry = (entry: string): string =>
  `pipeline: a
source: { file: a.csv, rowKey: [Id] }
mapping:
  questions:
    - ${entry.split("\n").join("\n      ")}
sink: { service: practice, form: abc }
`

/** Returns an otherwise valid pipeline with these lines in a section. */
export const withSection = (name: "source" | "mapping" | "sink" | "reconcile", body: string): string => {
  const sections: Record<string, string> = {
    source: "file: a.csv\nrowKey: [Id]",
    mapping: "questions: [{ name: A, from: A }]",
    sink: "service: practice\nform: abc",
    [name]: body,
  }
  return "pipeline: a\n"
    + Object.entries(sections).map(([key, lines]) => `${key}:\n  ${lines.split("\n").join("\n  ")}\n`).join("")
}
