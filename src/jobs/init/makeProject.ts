import { FileSystem, Path } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { environmentExample, gitIgnoreWith, projectText } from "../../project/projectText.ts"
import type { NewService } from "../../project/projectText.ts"
import { schemaOf } from "../schema.ts"

/**
 * Makes a folder a project: config/formferry.yaml, the schemas that editors read, .env.example, and .gitignore for the ledger, reports and keys. What is
 * there already stays; .gitignore is added to.
 *
 * @returns the files that were written, from the folder
 */
export const makeProject = (root: string, service: NewService, apiKey: Redacted.Redacted | undefined) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const written: Array<string> = []
    const write = (name: string, text: string) =>
      Effect.gen(function*() {
        const file = path.join(root, name)
        yield* fs.makeDirectory(path.dirname(file), { recursive: true })
        yield* fs.writeFileString(file, text)
        written.push(name)
      })
    const writeNew = (name: string, text: string) =>
      Effect.flatMap(fs.exists(path.join(root, name)), (exists) => exists ? Effect.void : write(name, text))
    yield* writeNew("config/formferry.yaml", projectText(service))
    yield* writeNew("config/schemas/project.schema.json", `${JSON.stringify(schemaOf("project"), null, 2)}\n`)
    yield* writeNew("config/schemas/pipeline.schema.json", `${JSON.stringify(schemaOf("pipeline"), null, 2)}\n`)
    yield* writeNew(".env.example", environmentExample(service))
    const ignore = path.join(root, ".gitignore")
    const before = (yield* fs.exists(ignore)) ? yield* fs.readFileString(ignore) : ""
    const after = gitIgnoreWith(before)
    if (after !== undefined) yield* write(".gitignore", after)
    const environment = path.join(root, ".env")
    if (apiKey !== undefined && service._tag === "Live" && !(yield* fs.exists(environment))) {
      // Ignored before it exists, and nobody else's to read from its first byte on.
      yield* fs.writeFileString(environment, `${service.keyVariable}=${JSON.stringify(Redacted.value(apiKey))}\n`, {
        mode: 0o600,
      })
      written.push(".env")
    }
    return written
  })
