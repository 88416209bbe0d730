import type { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Data, Effect, Fiber, Option } from "effect"
import type { Scope } from "effect"
import { createHash } from "node:crypto"
import { basename, dirname } from "node:path"
import { nearest, quoted } from "../project/suggestion.ts"
import { SourceChanged, SourceError } from "./Source.ts"
import type { FileDigest, Fingerprint } from "./Source.ts"

/** One reading of a file's bytes, in order. */
export interface Blocks {
  /**
   * Returns the next block, `undefined` at the end. If there is an earlier fingerprint, the block is verified before it is returned. Its bytes are
   * valid only until the next call.
   */
  readonly next: Effect.Effect<Uint8Array | undefined, SourceError | SourceChanged>
  /** Fingerprint of everything that was read; known once `next` has reached the end. */
  readonly fingerprint: () => Fingerprint
}

/** The bytes of a source, which can be read any number of times: of a file, or of an archive's content. */
export interface Bytes {
  readonly file: string
  /** Size of the file itself in bytes, even if it is an archive that unpacks to more. */
  readonly size: number
  /** Returns the first `length` bytes, or all of a shorter file. */
  readonly head: (length: number) => Effect.Effect<Uint8Array, SourceError>
  /** Reads it from the start without computing digests, to detect what it is. Bytes are valid only until the next call. */
  readonly look: Effect.Effect<Effect.Effect<Uint8Array | undefined, SourceError>, SourceError, Scope.Scope>
  /**
   * Reads it from the start; the file is closed with the scope. Without `expected`, it must be the file that was found, and must not change until the
   * end. With it, the bytes must match that fingerprint.
   */
  readonly blocks: (expected?: Fingerprint) => Effect.Effect<Blocks, SourceError | SourceChanged, Scope.Scope>
}

/** A file, which can also be read from any position. */
export interface FileBytes extends Bytes {
  /** Whether it is still the file that was found: of that size, changed at that time. */
  readonly stands: Effect.Effect<boolean>
  /** When it was last changed, in milliseconds since 1970; undefined if the system does not report it. */
  readonly changedAt: number | undefined
  /** Reads up to `length` bytes, starting at `from`; fewer at the end of the file. */
  readonly range: (from: number, length: number) => Effect.Effect<Uint8Array, SourceError>
}

/** Computes the digest that a fingerprint would have, without the digests of blocks. */
export const digestOf = (bytes: Bytes): Effect.Effect<ReadonlyArray<FileDigest>, SourceError> =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* bytes.look
    const whole = createHash("sha256")
    for (let block = yield* next; block !== undefined; block = yield* next) whole.update(block)
    return [{ file: bytes.file, sha256: whole.digest("hex") }]
  }))

const digestLength = 32

/** Blocks that are checked in one step: most of them need no work, and each step costs more than reading. */
const lookedAtOnce = 4

const isMissing = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/** @param near the file of its folder with the most similar name */
const unreadable = (file: string, near?: string) => (error: PlatformError) => {
  const message = isMissing(error)
    ? `There is no file ${file}.${
      near === undefined ? "" : ` Did you mean ${quoted(near)}?`
    } Correct its path, in \`source.file\` or on the command line.`
    : error._tag === "SystemError" && error.reason === "PermissionDenied"
    ? `The file ${file} can't be read: you don't have permission. Change its permissions, or run as its owner.`
    : `The file ${file} can't be read: ${error.message}. Check that it exists and that its disk works.`
  return new SourceError({ file, message, cause: error })
}

/** Shows whether a file is still the one that was found: size in bytes, time of change in milliseconds, and which file it is. */
const standing = (info: FileSystem.File.Info) => ({
  size: Number(info.size),
  mtime: Option.match(info.mtime, { onNone: () => 0, onSome: (at) => at.getTime() }),
  inode: Option.getOrElse(info.ino, () => 0),
})

/** Reads until the buffer is full or the file ends: a read may return less than was requested. */
const fill = (handle: FileSystem.File, buffer: Uint8Array) =>
  Effect.gen(function*() {
    let length = 0
    while (length < buffer.length) {
      // A read in progress can't be cancelled, and its descriptor must not be closed meanwhile.
      const got = Number(yield* Effect.uninterruptible(handle.read(buffer.subarray(length))))
      if (got === 0) break
      length += got
    }
    return length
  })

/**
 * Finds a file, so that it can be read in blocks.
 *
 * @param path where it is
 * @param blockSize in bytes; a reading that is compared with a fingerprint uses the fingerprint's
 * @param file its name in messages and reports
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
        Effect.flatMap((names) => Effect.fail(unreadable(file, nearest(basename(path), names))(error))),
      )
    ))
    if (info.type !== "File") {
      const what = info.type === "Directory" ? "a folder" : "not an ordinary file"
      return yield* new SourceError({ file, message: `${file} is ${what}. Name the file that contains the rows.` })
    }
    const found = standing(info)
    const isFound = (now: ReturnType<typeof standing>) =>
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
          // It existed a moment ago.
          Effect.mapError((error) => isMissing(error) ? changed : unreadable(file)(error)),
        )
        const same = handle.stat.pipe(
          failed,
          Effect.map(standing),
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

    const stands = Effect.match(fs.stat(path), { onFailure: () => false, onSuccess: (now) => isFound(standing(now)) })
    const changedAt = Option.getOrUndefined(Option.map(info.mtime, (at) => at.getTime()))
    return { file, changedAt, stands, size: found.size, head: (length) => range(0, length), range, look, blocks }
  })

/** Size in bytes from which a separate thread is worth it: starting one takes as long as digesting about 30 MB. */
export const worthAThread = 32 * 1024 * 1024

/** The thread's program. It is a text, because a module would load the whole bundle into the thread. */
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

/** Computes the SHA-256 of a file's bytes, in hex, in a separate thread. Interrupting it ends the thread. */
const inThread = (path: string): Effect.Effect<string, DigestNotTaken> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: async () => {
        // Loaded here, since most runs need no thread.
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
 * Starts computing a file's SHA-256 concurrently, until the scope closes.
 *
 * @param path where the file is
 * @returns an effect that waits for it, in hex; undefined: the file could not be read in this way
 */
export const digestAhead = (path: string): Effect.Effect<Effect.Effect<string | undefined>, never, Scope.Scope> =>
  Effect.map(
    Effect.forkScoped(inThread(path)),
    (fiber) => Effect.orElseSucceed(Effect.flatten(Fiber.await(fiber)), () => undefined),
  )
