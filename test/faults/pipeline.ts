import type { Pipeline } from "../../src/project/Pipeline.ts"
import { formWith, question } from "../fakeForms.ts"
import { decoded } from "../mapping/pipeline.ts"

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

/** The pipeline as the real reader decodes it. Tests then vary it. */
export const pipeline: Pipeline = decoded("pipelines/people.yaml", pipelineYaml)
