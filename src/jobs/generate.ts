import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Schema } from "effect"
import { jsonSchemas } from "../project/jsonSchemas.ts"
import { referencePage } from "../project/reference.ts"
import { reportFields } from "../report/reportFile.ts"

/** Generated files differ from what the code generates now. */
export class GeneratedFilesDiffer extends Schema.TaggedError<GeneratedFilesDiffer>()("GeneratedFilesDiffer", {
  files: Schema.Array(Schema.String),
}) {
  override get message() {
    return `${this.files.join(", ")}: not as generated. Run npm run generate and commit what changes.`
  }
}

const json = (value: unknown): string => JSON.stringify(value, null, 2) + "\n"

/** Returns a page that describes every field of report.json. */
const reportPage = (): string =>
  `# report.json

A field without a value is \`null\`, so that every field is always present. Times are ISO 8601 in UTC. More fields may be added; these stay. [Reports](reports.md) describes the other files of a run.

| field | is |
| --- | --- |
${reportFields().map(([place, description]) => `| \`${place}\` | ${description} |`).join("\n")}
`

/** Returns the generated files, relative to the repository, with their texts. */
const generated = (): ReadonlyArray<readonly [file: string, text: string]> => {
  const { project, pipeline } = jsonSchemas()
  return [
    ["config/schemas/project.schema.json", json(project)],
    ["config/schemas/pipeline.schema.json", json(pipeline)],
    ["docs/pipeline.md", referencePage()],
    ["docs/report-json.md", reportPage()],
  ]
}

/**
 * Writes the generated files that differ, or checks that none does. Returns the files that were written.
 *
 * @param root the repository's folder
 */
export const generate = (
  root: string,
  options: { readonly check: boolean },
): Effect.Effect<
  ReadonlyArray<string>,
  GeneratedFilesDiffer | PlatformError,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const differing: Array<string> = []
    for (const [name, text] of generated()) {
      const file = path.join(root, name)
      const before = yield* fs.readFileString(file).pipe(
        Effect.catchIf(
          (error) => error._tag === "SystemError" && error.reason === "NotFound",
          () => Effect.succeed(""),
        ),
      )
      if (before === text) continue
      differing.push(name)
      if (options.check) continue
      yield* fs.makeDirectory(path.dirname(file), { recursive: true })
      yield* fs.writeFileString(file, text)
    }
    if (options.check && differing.length > 0) return yield* new GeneratedFilesDiffer({ files: differing })
    return differing
  })
