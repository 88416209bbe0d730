import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { PipelineUnknown } from "../project/errors.ts"
import { listPipelines } from "../project/loadProject.ts"
import { parseYaml, textAt } from "../project/yamlText.ts"

/** A file was changed by someone else since its text was read. Nothing was written. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", {
  file: Schema.String,
  /** What the file contains now, and its version. */
  text: Schema.String,
  version: Schema.String,
}) {
  override get message() {
    return `${this.file} was changed in the meantime. Nothing was written.`
  }
}

/** Returns the digest of a text, which changes whenever the text does. */
export const versionOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * Replaces a file's text in one step. Fails with FileChanged if the file no longer has the version that the text was made from.
 *
 * @param shown the file's name for messages
 */
export const replaceFile = (
  { file, shown, text, version }: {
    readonly file: string
    readonly shown: string
    readonly text: string
    readonly version: string
  },
) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const now = (yield* fs.exists(file)) ? yield* fs.readFileString(file) : ""
    if (versionOf(now) !== version) return yield* new FileChanged({ file: shown, text: now, version: versionOf(now) })
    const part = `${file}.part`
    yield* fs.writeFileString(part, text, { mode: 0o600 })
    yield* fs.rename(part, file)
    return versionOf(text)
  })

/** Returns the text of a pipeline's file, even if it can't be read as YAML. */
export const readPipelineFile = (root: string, name: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { texts } = yield* listPipelines(root)
    const found = texts.find((text) => (text.name ?? text.file) === name)
    if (found === undefined) {
      return yield* new PipelineUnknown({ names: [name], known: texts.flatMap(({ name }) => name ?? []) })
    }
    const { file } = found.yaml
    const text = yield* fs.readFileString(path.join(root, file))
    return { pipeline: name, file, text, version: versionOf(text) }
  })

/** Writes the text of an existing pipeline's file. Fails with FileChanged if the file no longer has this version. */
export const savePipelineFile = (root: string, { pipeline, text, version }: {
  readonly pipeline: string
  readonly text: string
  readonly version: string
}) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { file } = yield* readPipelineFile(root, pipeline)
    const whole = path.join(root, file)
    const { mode } = yield* fs.stat(whole)
    const written = yield* replaceFile({ file: whole, shown: file, text, version })
    yield* fs.chmod(whole, mode & 0o777)
    return { pipeline: textAt(parseYaml(file, text), ["pipeline"]) ?? pipeline, file, text, version: written }
  })
