import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { loadProject } from "../../src/project/loadProject.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import { formWith, question } from "../fakeForms.ts"
import { temporaryFolder } from "./ledgerOnDisk.ts"

/** The form of the simulation. The row's key is sent as the URL parameter `ref`. */
export const form = formWith({
  id: "people",
  name: "People",
  questions: [
    question("name", "Name", "ShortAnswer"),
    question("mail", "Mail", "EmailInput"),
    question("amount", "Amount", "NumberInput"),
    question("note", "Note", "LongAnswer"),
  ],
  urlParameters: [{ id: "ref", name: "Reference" }],
})

export const pipelineYaml = `pipeline: people
source: { file: ../source.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: Name, required: true }
    - { name: Mail, from: Mail, as: email }
    - { name: Amount, from: Amount, as: number }
    - { name: Note, from: Note }
  urlParameters:
    - { name: Reference, from: No }
sink: { service: live, form: people, retries: { attempts: 4, base: 100 millis, max: 2 seconds } }
reconcile: { visibleWithin: 20 seconds }
`

/** Loads the pipeline once with the real reader. Tests then vary it. */
export const loadPipeline = async (): Promise<Pipeline> => {
  const folder = temporaryFolder("formferry-pipeline-")
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  write("config/formferry.yaml", "services: { live: { baseUrl: http://127.0.0.1/v1, apiKey: { env: NONE } } }\n")
  write("pipelines/people.yaml", pipelineYaml)
  try {
    const project = await Effect.runPromise(Effect.provide(loadProject(folder), NodeContext.layer))
    const pipeline = project.pipelines.get("people")
    if (pipeline === undefined) throw new Error("The simulation's pipeline was not read.")
    return pipeline
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
