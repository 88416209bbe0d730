import { Data, Effect, Fiber } from "effect"
import type { Scope } from "effect"

/** Bytes of a file from which on a thread of its own pays: it takes as long to start as some 30 MB take to be digested. */
export const worthAThread = 32 * 1024 * 1024

/** What the thread does: a text, for a module of ours would bring all that the bundle holds into the thread. */
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

/** The SHA-256 of a file's bytes, in hex, taken in a thread of its own; interrupting it ends the thread. */
const inThread = (path: string): Effect.Effect<string, DigestNotTaken> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: async () => {
        // Most runs take none.
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
 * Begins to take a file's SHA-256, beside whatever else happens until the scope closes.
 *
 * @param path where the file is
 * @returns what waits for it, in hex; undefined: the file could not be read so
 */
export const digestAhead = (path: string): Effect.Effect<Effect.Effect<string | undefined>, never, Scope.Scope> =>
  Effect.map(
    Effect.forkScoped(inThread(path)),
    (fiber) => Effect.orElseSucceed(Effect.flatten(Fiber.await(fiber)), () => undefined),
  )
