import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, type Scope } from "effect"

/** Writes these files into a real folder, which is deleted when the scope closes. */
export const projectFolder = (
  files: Readonly<Record<string, string | Uint8Array>>,
): Effect.Effect<string, never, Scope.Scope | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* fs.makeTempDirectoryScoped({ prefix: "formferry-project-" })
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(root, name)
      yield* fs.makeDirectory(path.dirname(file), { recursive: true })
      yield* typeof content === "string" ? fs.writeFileString(file, content) : fs.writeFile(file, content)
    }
    return root
  }).pipe(Effect.orDie)

export const platform = NodeContext.layer

/** A project file with a live service and a practice service. */
export const projectYaml = `services:
  practice:
    practice: { forms: ../samples/forms, store: ../.formferry/practice }
  live:
    baseUrl: https://forms.example.com/v1/api/
    apiKey: { env: FORM_SERVICE_API_KEY }
`

/** Returns a minimal pipeline file. */
export const pipelineYaml = (name: string, sink = "service: practice, form: abc"): string =>
  `pipeline: ${name}
source:
  file: ../samples/${name}.csv
  rowKey: [Id]
mapping:
  questions:
    - name: Full name
      from: Name
sink: { ${sink} }
`
