import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { textAt } from "./references.ts"
import { quoted } from "./suggestion.ts"
import { readYamlFile } from "./textFile.ts"
import type { YamlText } from "./yamlText.ts"

/** A pipeline file, parsed as YAML and no further. */
export interface PipelineText {
  readonly yaml: YamlText
  /** The file's name without folder and ending; a pipeline need not be called like its file. */
  readonly file: string
  /** Its folder, absolute: its paths are relative to it. */
  readonly folder: string
  /** The name under its key `pipeline`; undefined when that can't be read. */
  readonly name: string | undefined
}

/** The files of pipelines/, in the order of their names. */
export const listPipelines = (root: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join(root, "pipelines")
    const entries = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): Array<string> => []))
    const texts: Array<PipelineText> = []
    const unreadable: Array<Diagnostic> = []
    for (const entry of entries.filter((name) => /^[^.].*\.ya?ml$/.test(name)).toSorted()) {
      const file = yield* readYamlFile(root, path.join(folder, entry))
      if (file._tag === "Unreadable") unreadable.push(...file.diagnostics)
      else {
        texts.push({
          yaml: file.yaml,
          file: entry.replace(/\.ya?ml$/, ""),
          folder: file.folder,
          name: textAt(file.yaml, ["pipeline"]),
        })
      }
    }
    return { texts, unreadable }
  })

/** Names that several files use: a diagnostic for each of these files. */
export const repeatedNames = (texts: ReadonlyArray<PipelineText>): ReadonlyArray<Diagnostic> =>
  texts.flatMap(({ yaml, name }) => {
    const others = texts.filter((other) => name !== undefined && other.name === name && other.yaml !== yaml)
    return others.length === 0 ? [] : [yaml.diagnostic({
      offset: yaml.offset(["pipeline"], "value"),
      message: `${others.map((other) => other.yaml.file).join(" and ")} is called ${quoted(name ?? "")} too.`,
      suggestion: "The name is a pipeline's identity in the ledger: give one of them another.",
    })]
  })
