import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { yamlLimits } from "./yamlNodes.ts"
import { parseYaml } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

/** A file that was read, or why it could not be. */
export type ReadFile =
  | { readonly _tag: "File"; readonly yaml: YamlText; readonly folder: string }
  | { readonly _tag: "Unreadable"; readonly diagnostics: ReadonlyArray<Diagnostic> }

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

const decoded = (bytes: Uint8Array): { readonly text: string; readonly faulty: boolean } => {
  try {
    return { text: strict.decode(bytes), faulty: false }
  } catch {
    return { text: lenient.decode(bytes), faulty: true }
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
 * Reads a YAML file; what is wrong with it as YAML stands in the result's findings.
 * @param root the project's folder, absolute: diagnostics name the file from there
 */
export const readYamlFile = (root: string, file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const shown = path.relative(root, file).split(path.sep).join("/")
    const unreadable = (diagnostic: Omit<Diagnostic, "severity" | "file">): ReadFile => ({
      _tag: "Unreadable",
      diagnostics: [{ severity: "error", file: shown, ...diagnostic }],
    })
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) {
      return unreadable({
        line: 1,
        column: 1,
        excerpt: "",
        message: tooLarge,
        suggestion: "Keep long lists in a CSV file: `{ file: NAME.csv, key: …, value: … }`.",
      })
    }
    return yield* fs.readFile(file).pipe(
      Effect.map((bytes): ReadFile => {
        const { text, faulty } = decoded(bytes)
        const yaml = parseYaml(shown, text)
        if (!faulty) return { _tag: "File", yaml, folder: path.dirname(file) }
        const { line, column, excerpt } = yaml.diagnostic({
          offset: text.replace(/^\uFEFF/, "").indexOf("\uFFFD"),
          message: "",
        })
        return unreadable({
          line,
          column,
          excerpt,
          message: "The file is not UTF-8 from here on.",
          suggestion: "Save it as UTF-8 in your editor.",
        })
      }),
      Effect.catchAll((error) =>
        Effect.succeed(unreadable({
          line: 1,
          column: 1,
          excerpt: "",
          message: `The file can't be read: ${error.message}`,
        }))
      ),
    )
  })
