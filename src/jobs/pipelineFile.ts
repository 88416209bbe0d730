import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import type { PipelineFile } from "../domain/draft.ts"
import { disk, replaceText } from "../project/disk.ts"
import { PipelineUnknown } from "../project/errors.ts"
import { listPipelines, loadProject, nameOfFile } from "../project/loadProject.ts"
import { parseYaml, textAt } from "../project/yamlText.ts"
import { JobRefused } from "./JobRefused.ts"
import { openIfAny } from "./projectLedger.ts"

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

const nameRefused = (message: string) => new JobRefused({ code: "NameRefused", message })

/** Returns the digest of a text, which changes whenever the text does. */
export const versionOf = (text: string): string => hash("sha256", text)

/** Returns a text with the line ends `\n`, as it is edited. */
const asEdited = (text: string): string => text.replaceAll("\r\n", "\n")

/** Allows one save at a time, so that a second save sees what the first one has written. */
const oneByOne = Effect.unsafeMakeSemaphore(1)

/**
 * Replaces a file's text in one step, and keeps the file's permissions. Fails with FileChanged if the file no longer has the version that the text was made from, unless it already has the text.
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
    const { fs } = yield* disk
    const exists = yield* fs.exists(file)
    const now = exists ? yield* fs.readFileString(file) : ""
    if (now === text) return versionOf(text)
    if (versionOf(now) !== version) {
      return yield* new FileChanged({ file: shown, text: asEdited(now), version: versionOf(now) })
    }
    // A link stays a link, and a file that can't be written stays as it is.
    const place = exists ? yield* fs.realPath(file) : file
    if (exists) yield* fs.access(place, { writable: true })
    const { mode } = exists ? yield* fs.stat(place) : { mode: 0o600 }
    yield* replaceText(place, text, mode & 0o777)
    return versionOf(text)
  }).pipe(oneByOne.withPermits(1))

/** Returns the text of a pipeline's file, even if it can't be read as YAML. Its line ends are `\n`, and `version` is that of the file as it is. */
export const readPipelineFile = (root: string, name: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { names, texts } = yield* listPipelines(root)
    const found = texts.find(({ called }) => called === name)
    if (found === undefined) return yield* new PipelineUnknown({ names: [name], known: names })
    const { file } = found.yaml
    const text = yield* fs.readFileString(path.join(root, file))
    return { pipeline: name, file, text: asEdited(text), version: versionOf(text) }
  })

/**
 * Writes the text of an existing pipeline's file, with the line ends that the file has. Fails with FileChanged if the file no longer has this version.
 * Fails with JobRefused if there is no such file, or if the text has a new name but doesn't say so, although the ledger has rows under the old one.
 * Returns the text as written, and the pipeline's name in it.
 */
export const savePipelineFile = (root: string, { pipeline, text, version }: Omit<PipelineFile, "file">) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { file } = yield* readPipelineFile(root, pipeline).pipe(
      Effect.catchTag("PipelineUnknown", () =>
        nameRefused(
          `No file in pipelines/ is called ${pipeline} any more: it was deleted or renamed. Nothing was saved, and this text is only on this page. To keep it, copy it into a new file in pipelines/.`,
        )),
    )
    const yaml = parseYaml(file, text)
    const name = textAt(yaml, ["pipeline"])
    if (name !== undefined && name !== pipeline) {
      yield* mayRename(root, pipeline, { name, renamedFrom: textAt(yaml, ["renamedFrom"]) })
    }
    const whole = path.join(root, file)
    const hasReturns = (yield* fs.readFileString(whole)).includes("\r\n")
    const own = hasReturns ? asEdited(text).replaceAll("\n", "\r\n") : text
    const written = yield* replaceFile({ file: whole, shown: file, text: own, version })
    return { pipeline: name ?? nameOfFile(file), file, text, version: written }
  })

/** Fails if a pipeline's new name is taken, or if the ledger has rows under the old one and the text doesn't name it. */
const mayRename = (
  root: string,
  old: string,
  to: { readonly name: string; readonly renamedFrom: string | undefined },
) =>
  Effect.scoped(Effect.gen(function*() {
    const { texts } = yield* listPipelines(root)
    const other = texts.find(({ called }) => called === to.name)
    if (other !== undefined) {
      return yield* nameRefused(
        `${other.yaml.file} is called ${to.name}, too. Nothing was saved. Choose a different name.`,
      )
    }
    if (to.renamedFrom === old) return
    const ledger = yield* openIfAny(yield* loadProject(root, { pipelines: [] }))
    const places = ledger === undefined ? [] : yield* ledger.places
    if (places.every(({ pipeline }) => pipeline !== old)) return
    return yield* nameRefused(
      `The ledger knows this pipeline's rows under the name ${old}. Under the name ${to.name}, they would count as new. Nothing was saved. If the pipeline has a new name, write "renamedFrom: ${old}" in the line after it. Otherwise, write the old name again.`,
    )
  }))
