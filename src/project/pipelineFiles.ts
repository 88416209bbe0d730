import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { listed } from "../domain/words.ts"
import type { Finding } from "./errors.ts"
import { nearest, quoted } from "./suggestion.ts"
import { yamlLimits } from "./yamlFaults.ts"
import { keysAt, parseYaml, textAt } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

/** Returns the text of UTF-8, or undefined if the bytes are not that. */
export const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the sentence that refuses a file of too many bytes, before it is read; undefined if it may be read, or has no size (a device, a pipe). */
export const yamlTooLarge = (file: string) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((fs) => fs.stat(file)),
    Effect.map(({ size }) => Number(size)),
    Effect.orElseSucceed(() => 0),
    Effect.map((size) =>
      size <= yamlLimits.bytes
        ? undefined
        : `The file has ${size.toLocaleString("en-GB")} bytes, more than the ${
          yamlLimits.bytes.toLocaleString("en-GB")
        } that are read.`
    ),
  )

/**
 * Reads a YAML file. What is wrong with it as YAML is among the result's findings.
 * @param root the project's folder, absolute: diagnostics name the file from there
 */
export const readYamlFile = (root: string, file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const shown = path.relative(root, file).split(path.sep).join("/")
    const unreadable = (message: string, suggestion?: string) => {
      const diagnostic: Diagnostic = {
        severity: "error",
        file: shown,
        line: 1,
        column: 1,
        excerpt: "",
        message,
        suggestion,
      }
      return { _tag: "Unreadable", diagnostic } as const
    }
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) {
      return unreadable(tooLarge, "Keep long lists in a CSV file: `{ file: NAME.csv, key: …, value: … }`.")
    }
    const bytes = yield* Effect.either(fs.readFile(file))
    if (bytes._tag === "Left") return unreadable(`The file can't be read: ${bytes.left.message}`)
    const text = utf8(bytes.right)
    if (text !== undefined) return { _tag: "File", yaml: parseYaml(shown, text), folder: path.dirname(file) } as const
    const damaged = new TextDecoder("utf-8").decode(bytes.right)
    return {
      _tag: "Unreadable",
      diagnostic: parseYaml(shown, damaged).diagnostic({
        offset: damaged.indexOf("\uFFFD"),
        message: "The file is not UTF-8 from here on.",
        suggestion: "Save it as UTF-8 in your editor.",
      }),
    } as const
  })

/** A pipeline file, parsed as YAML and no further. */
export interface PipelineText {
  readonly yaml: YamlText
  /** The file's name without folder and ending; a pipeline need not be called like its file. */
  readonly file: string
  /** Its folder, absolute: its paths are relative to it. */
  readonly folder: string
  /** The name under its key `pipeline`; undefined if that can't be read. */
  readonly name: string | undefined
}

/** Lists the files of pipelines/, in the order of their names. */
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
      if (file._tag === "Unreadable") unreadable.push(file.diagnostic)
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

/** Returns a diagnostic for each file whose pipeline has the name of another file's. */
export const repeatedNames = (texts: ReadonlyArray<PipelineText>): ReadonlyArray<Diagnostic> =>
  texts.flatMap(({ yaml, name }) => {
    const others = texts.filter((other) => name !== undefined && other.name === name && other.yaml !== yaml)
    return others.length === 0 ? [] : [yaml.diagnostic({
      offset: yaml.offset(["pipeline"], "value"),
      message: `${others.map((other) => other.yaml.file).join(" and ")} is called ${quoted(name ?? "")} too.`,
      suggestion: "The name is a pipeline's identity in the ledger: give one of them another.",
    })]
  })

/** Returns services that a pipeline names and the project does not have. */
export const unknownServices = (yaml: YamlText, services: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  [["sink"], ...(keysAt(yaml, ["sink", "targets"]) ?? []).map((target) => ["sink", "targets", target])].flatMap(
    (place) => {
      const path = [...place, "service"]
      const name = textAt(yaml, path)
      if (name === undefined || services.includes(name)) return []
      const near = nearest(name, services)
      return [{
        offset: yaml.offset(path, "value"),
        message: `config/formferry.yaml has no service ${quoted(name)}.`,
        suggestion: near !== undefined
          ? `Did you mean ${quoted(near)}?`
          : services.length > 0
          ? `Its services are ${listed(services.map(quoted))}.`
          : "Add it under `services`.",
      }]
    },
  )
