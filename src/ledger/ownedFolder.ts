import { Effect } from "effect"
import type { Cause, Scope } from "effect"
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Holder, isGone, LockHolder } from "./holder.ts"

const nameOf = ({ boot, born, pid }: Holder): string =>
  Buffer.from(JSON.stringify([pid, born, boot])).toString("base64url")

/** The owner that a folder's name tells; undefined: it tells none. */
const ownerOf = (name: string): Holder | undefined => {
  try {
    const told: unknown = JSON.parse(Buffer.from(name, "base64url").toString("utf8"))
    if (!Array.isArray(told)) return undefined
    const [pid, born, boot] = told as ReadonlyArray<unknown>
    return Number.isSafeInteger(pid) && typeof born === "string" && typeof boot === "string"
      ? { pid: Number(pid), born, boot }
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a process of this machine's present boot has ended. Another boot may be another machine's that shares the folder: what it left stays. */
const hasEnded = (owner: Holder, me: Holder): boolean =>
  owner.boot !== "" && owner.boot === me.boot && isGone(owner, me)

/** Removes what ended processes of the same user left. What can't be removed stays, and stops nobody. */
const sweep = (parent: string, prefix: string, me: Holder): void => {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue
    const owner = ownerOf(name.slice(prefix.length).split(".")[0] ?? "")
    if (owner === undefined || !hasEnded(owner, me)) continue
    try {
      const path = join(parent, name)
      const found = lstatSync(path)
      if (found.isDirectory() && found.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
    } catch {
      continue
    }
  }
}

/**
 * Makes a temporary folder for its owner only, which is removed when the scope closes. Its name tells the process that it belongs to, so that the next one with this prefix removes what a killed process
 * left.
 *
 * @param parent the folder it is made in, which has to be there
 * @param prefix what its name begins with
 * @returns its path; fails with what the system says when it can't be made
 */
export const ownedFolder = (
  parent: string,
  prefix: string,
): Effect.Effect<string, Cause.UnknownException, Scope.Scope> =>
  Effect.gen(function*() {
    const me = (yield* LockHolder)()
    return yield* Effect.acquireRelease(
      Effect.try(() => {
        sweep(parent, prefix, me)
        return mkdtempSync(join(parent, `${prefix}${nameOf(me)}.`))
      }),
      (folder) => Effect.ignore(Effect.try(() => rmSync(folder, { recursive: true, force: true }))),
    )
  })
