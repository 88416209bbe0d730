import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { join, parse } from "node:path"
import { Refused } from "./Api.ts"
import { Studio } from "./Studio.ts"

const refused = (message: string) => new Refused({ code: "UploadRefused", message })

/** Returns a file name of letters, digits, spaces and `.()_-`, without folders, that is valid on every system. */
export const safeName = (name: string): string => {
  const [last = ""] = name.split(/[/\\]/).slice(-1)
  const plain = last.normalize("NFC").replaceAll(/[^\p{L}\p{N} .()_-]+/gu, "_").replaceAll(/^[. ]+|[. ]+$/g, "")
  const cut = plain.length > 100 ? plain.slice(-100).replace(/^[. ]+/, "") : plain
  return cut === "" || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cut) ? `file-${cut}` : cut
}

/**
 * Stores the body of a request as a file in a folder. Never replaces a file. Removes the file if the body is too large or incomplete.
 *
 * @param name the name that the browser sends
 */
export const receiveUpload = (request: HttpServerRequest.HttpServerRequest, folder: string, name: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { maxUpload } = yield* Studio
    // The file is created at once, because another upload may have the same name.
    const file = yield* claim(folder, safeName(name))
    const place = join(folder, file)
    const tooLarge = refused(
      `The file is larger than ${Math.floor(maxUpload / 1024 / 1024)} MiB. Use \`formferry init\` instead.`,
    )
    let bytes = 0
    yield* request.stream.pipe(
      Stream.mapEffect((chunk) => {
        bytes += chunk.length
        return bytes > maxUpload ? tooLarge : Effect.succeed(chunk)
      }),
      Stream.run(fs.sink(place)),
      Effect.onError(() => Effect.ignore(fs.remove(place, { force: true }))),
    )
    return file
  })

/** Removes an uploaded file from the project's folder, unless a pipeline was made from it. */
export const discardUpload = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { root, uploaded } = yield* Studio
    if (uploaded.delete(file)) yield* fs.remove(join(root, file), { force: true })
  })

/** Creates an empty file with this name, or with a number after it if the folder has such a file. Returns the file's name. */
const claim = (folder: string, name: string, nth = 1): Effect.Effect<string, PlatformError, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => {
    const { ext, name: base } = parse(name)
    const free = nth === 1 ? name : `${base} (${nth})${ext}`
    return fs.writeFileString(join(folder, free), "", { flag: "wx", mode: 0o600 }).pipe(
      Effect.as(free),
      Effect.catchIf(isTaken, () => claim(folder, name, nth + 1)),
    )
  })

const isTaken = (error: PlatformError) => error._tag === "SystemError" && error.reason === "AlreadyExists"
