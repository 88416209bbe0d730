import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { basename, dirname } from "node:path"
import { isDenied, isMissing, reasonOf } from "../domain/systemErrors.ts"
import { nearest, quoted } from "../project/suggestion.ts"
import { type FileDigest, type Fingerprint, refusing, SourceChanged, SourceError } from "./Source.ts"

/** One reading of a file's bytes, in order. */
export interface Blocks {
  /**
   * Returns the next block, or `undefined` at the end. If there is an earlier fingerprint, the block is verified before it is returned. The block's
   * bytes are valid only until the next call.
   */
  readonly next: Effect.Effect<Uint8Array | undefined, SourceError | SourceChanged>
  /** Returns the fingerprint of everything that was read. Available once `next` has reached the end. */
  readonly fingerprint: () => Fingerprint
}

/** The bytes of a file or of an archive's content. They can be read any number of times. */
export interface Bytes {
  readonly file: string
  /** Size of the file itself in bytes, even if it is an archive that unpacks to more. */
  readonly size: number
  /** Returns the first `length` bytes, or all of a shorter file. */
  readonly head: (length: number) => Effect.Effect<Uint8Array, SourceError>
  /** Reads the bytes from the start without computing digests, to detect what they are. Bytes are valid only until the next call. */
  readonly look: Effect.Effect<Effect.Effect<Uint8Array | undefined, SourceError>, SourceError, Scope.Scope>
  /**
   * Reads the bytes from the start, and closes the file when the scope closes. If `expected` is given, the bytes must match that fingerprint.
   * Otherwise the file must be the one that was found, and must not change until the end.
   */
  readonly blocks: (expected?: Fingerprint) => Effect.Effect<Blocks, SourceError | SourceChanged, Scope.Scope>
}

/** A file, which can also be read from any offset. */
export interface FileBytes extends Bytes {
  /** Whether the file is still the one that was found, with the same size and modification time. */
  readonly isUnchanged: Effect.Effect<boolean>
  /** When the file was last changed (`modifiedAt`). */
  readonly changedAt: number | undefined
  /** Reads up to `length` bytes, starting at offset `from`. Returns fewer at the end of the file. */
  readonly range: (from: number, length: number) => Effect.Effect<Uint8Array, SourceError>
}

/** Computes the SHA-256 that a fingerprint would have, without the digests of blocks. */
export const digestOf = (bytes: Bytes): Effect.Effect<ReadonlyArray<FileDigest>, SourceError> =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    const whole = createHash("sha256")
    for (let block = yield* next; block !== undefined; block = yield* next) whole.update(block)
    return [{ file: bytes.file, sha256: whole.digest("hex") }]
  }))

const digestLength = 32

/** How many blocks are checked in one step. Most blocks need no work, and each step costs more than reading. */
const lookedAtOnce = 4

/** The start of the names of the files with which Excel locks workbooks. */
export const lockPrefix = "~$"

/** @param near the name in the same folder that is most similar. The same name is a link to a missing file */
const unreadable = (file: string, near?: string) => (error: PlatformError) => {
  const message = isMissing(error) && near === basename(file)
    ? `${file} is a link to a file that does not exist. Correct the link, or name the file itself.`
    : isMissing(error) && /[*?]/.test(file)
    ? `There is no file ${file}. Name the file itself. In a pipeline, \`file: { glob: PATTERN }\` under \`source\` reads all files that match a pattern.`
    : isMissing(error)
    ? `There is no file ${file}.${near === undefined ? "" : ` Did you mean ${quoted(near)}?`} Correct its path.`
    : isDenied(error)
    ? `The file ${file} can't be read: you don't have permission. Change its permissions, or run as its owner.`
    : `The file ${file} can't be read: ${reasonOf(error)}. Check that it exists and that its disk works.`
  return new SourceError({ file, message, cause: error })
}

/** Returns when a file was last changed, in milliseconds since 1970. Undefined if the system does not report it. */
export const modifiedAt = ({ mtime }: FileSystem.File.Info): number | undefined =>
  Option.getOrUndefined(mtime)?.getTime()

/**
 * Returns what identifies a file as the one that was found: its size in bytes, its modification time in milliseconds,
 * and its inode.
 */
const identityOf = (info: FileSystem.File.Info) => ({
  size: Number(info.size),
  mtime: modifiedAt(info),
  inode: Option.getOrElse(info.ino, () => 0),
})

/** Reads until the buffer is full or the file ends, because a read may return less than was requested. */
const fill = (handle: FileSystem.File, buffer: Uint8Array) =>
  Effect.gen(function*() {
    let length = 0
    while (length < buffer.length) {
      // A read in progress can't be cancelled. Its descriptor must remain open until it ends.
      const got = Number(yield* Effect.uninterruptible(handle.read(buffer.subarray(length))))
      if (got === 0) break
      length += got
    }
    return length
  })

/**
 * Finds a file, so that it can be read in blocks.
 *
 * @param path path of the file
 * @param blockSize size of a block in bytes. A reading that is compared with a fingerprint uses the fingerprint's block size
 * @param file the file's name in messages and reports
 */
export const findBytes = (
  fs: FileSystem.FileSystem,
  path: string,
  blockSize: number,
  file = path,
): Effect.Effect<FileBytes, SourceError> =>
  Effect.gen(function*() {
    const failed = Effect.mapError(unreadable(file))
    const info = yield* fs.stat(path).pipe(Effect.catchAll((error) =>
      fs.readDirectory(dirname(path)).pipe(
        Effect.orElseSucceed((): Array<string> => []),
        Effect.flatMap((names) =>
          Effect.fail(
            unreadable(file, nearest(basename(path), names.filter((name) => !name.startsWith(lockPrefix))))(error),
          )
        ),
      )
    ))
    if (info.type !== "File") {
      const what = info.type === "Directory" ? "a folder" : "not an ordinary file"
      return yield* refusing(file)(`is ${what}. Name the file that contains the rows.`)
    }
    if (basename(path).startsWith(lockPrefix)) {
      const locked = basename(path).slice(lockPrefix.length)
      return yield* refusing(file)(`has no rows: Excel writes it while ${locked} is open. Name ${locked} instead.`)
    }
    const found = identityOf(info)
    const isFound = (now: ReturnType<typeof identityOf>) =>
      now.size === found.size && now.mtime === found.mtime && now.inode === found.inode
    const changed = new SourceChanged({ file })

    const range: FileBytes["range"] = (from, length) =>
      Effect.scoped(Effect.gen(function*() {
        const handle = yield* fs.open(path, { flag: "r" })
        if (from > 0) yield* handle.seek(BigInt(from), "start")
        const buffer = new Uint8Array(Math.max(0, Math.min(length, found.size - from)))
        return buffer.subarray(0, yield* fill(handle, buffer))
      })).pipe(failed)

    const look: Bytes["look"] = Effect.gen(function*() {
      const handle = yield* fs.open(path, { flag: "r" }).pipe(failed)
      const buffer = new Uint8Array(Math.min(blockSize * lookedAtOnce, found.size))
      return Effect.map(
        fill(handle, buffer).pipe(failed),
        (length) => length === 0 ? undefined : buffer.subarray(0, length),
      )
    })

    const blocks: Bytes["blocks"] = (expected) =>
      Effect.gen(function*() {
        const handle = yield* fs.open(path, { flag: "r" }).pipe(
          // The file existed earlier, so a missing file is a change.
          Effect.mapError((error) => isMissing(error) ? changed : unreadable(file)(error)),
        )
        const same = handle.stat.pipe(
          failed,
          Effect.map(identityOf),
          Effect.map((now) =>
            expected === undefined
              ? isFound(now)
              : now.size === expected.bytes
          ),
        )
        if (!(yield* same)) return yield* changed

        const size = expected?.blockSize ?? blockSize
        const buffer = new Uint8Array(size)
        const whole = createHash("sha256")
        const digests: Array<Buffer> = []
        let bytes = 0
        let fingerprint: Fingerprint | undefined = expected

        const end = Effect.gen(function*() {
          if (!(yield* same) || (expected !== undefined && bytes !== expected.bytes)) return yield* changed
          fingerprint ??= { bytes, sha256: whole.digest("hex"), blocks: Buffer.concat(digests), blockSize: size }
          return undefined
        })

        const next = Effect.gen(function*() {
          const length = yield* failed(fill(handle, buffer))
          if (length === 0) return yield* end
          const block = buffer.subarray(0, length)
          whole.update(block)
          const digest = whole.copy().digest()
          if (expected !== undefined) {
            const at = Math.floor(bytes / size) * digestLength
            if (!digest.equals(expected.blocks.subarray(at, at + digestLength))) return yield* changed
          } else {
            digests.push(digest)
          }
          bytes += length
          return block
        })

        return {
          next,
          fingerprint: () => {
            if (fingerprint === undefined) throw new Error(`${file} has no fingerprint before it is read to its end`)
            return fingerprint
          },
        }
      })

    const isUnchanged = Effect.match(fs.stat(path), {
      onFailure: () => false,
      onSuccess: (now) => isFound(identityOf(now)),
    })
    const { mtime: changedAt, size } = found
    return { file, changedAt, isUnchanged, size, head: (length) => range(0, length), range, look, blocks }
  })

/**
 * The minimum size in bytes for which a separate thread saves time. Starting a thread takes as long as digesting about
 * 30 MB.
 */
export const worthAThread = 32 * 1024 * 1024

/** The thread's program. It is a string, because a module would make the thread load the whole bundle. */
const task = `
const { closeSync, openSync, readSync } = require("node:fs")
const { createHash } = require("node:crypto")
const { parentPort, workerData } = require("node:worker_threads")
const file = openSync(workerData, "r")
const block = Buffer.allocUnsafeSlow(256 * 1024)
const digest = createHash("sha256")
for (let read = readSync(file, block); read > 0; read = readSync(file, block)) digest.update(block.subarray(0, read))
closeSync(file)
parentPort.postMessage(digest.digest("hex"))
`

class DigestNotTaken extends Data.TaggedError("DigestNotTaken")<{ readonly cause: unknown }> {}

/** Computes the SHA-256 of a file's bytes in a separate thread, in hexadecimal digits. Interrupting the effect ends the thread. */
const inThread = (path: string): Effect.Effect<string, DigestNotTaken> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: async () => {
        // Loaded here, because most runs need no thread.
        const { Worker } = await import("node:worker_threads")
        return new Worker(task, { eval: true, workerData: path, env: {}, execArgv: [] })
      },
      catch: (cause) => new DigestNotTaken({ cause }),
    }),
    (thread) =>
      Effect.async<string, DigestNotTaken>((resume) => {
        const failed = (cause: unknown) => resume(Effect.fail(new DigestNotTaken({ cause })))
        thread.once("message", (digest: string) => resume(Effect.succeed(digest)))
        thread.once("error", failed)
        thread.once("exit", failed)
      }),
    (thread) => Effect.promise(() => thread.terminate()),
  )

/**
 * Starts to compute a file's SHA-256 concurrently, until the scope closes.
 *
 * @param path path of the file
 * @returns an effect that waits for the hexadecimal digits. They are undefined if the file could not be read in this way
 */
export const digestAhead = (path: string): Effect.Effect<Effect.Effect<string | undefined>, never, Scope.Scope> =>
  Effect.map(
    Effect.forkScoped(inThread(path)),
    (fiber) => Effect.orElseSucceed(Effect.flatten(Fiber.await(fiber)), () => undefined),
  )
