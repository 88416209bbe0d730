import { Effect } from "effect"
import type { Cause, Scope } from "effect"
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { networkFileSystem } from "./fileSystemType.ts"
import { type Holder, isGone, LockHolder } from "./holder.ts"

/** Returns the beginning of a temporary name that says which process it belongs to; "." and what follows distinguish several. */
export const ownedName = (prefix: string, { boot, born, pid }: Holder): string =>
  prefix + Buffer.from(JSON.stringify([pid, born, boot])).toString("base64url")

/** Returns the owner in a name, or undefined if it has none. */
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

/** Whether a process that left something in a folder has ended. On a network file system, a different boot may be of a different machine, whose processes are unknown. */
const hasEnded = (owner: Holder, me: Holder, folder: string): boolean => {
  const sameBoot = owner.boot.split(" ")[0] === me.boot.split(" ")[0]
  return owner.boot !== "" && (sameBoot || networkFileSystem(folder) === undefined) && isGone(owner, me)
}

/** Returns the names in a folder that have this prefix and belong to processes that have ended, for example before a reboot. */
export const leftByEnded = (folder: string, prefix: string, me: Holder): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => {
    const owner = name.startsWith(prefix) ? ownerOf(name.slice(prefix.length).split(".")[0] ?? "") : undefined
    return owner !== undefined && hasEnded(owner, me, folder)
  })

/** Removes the files and folders that ended processes of the same user left. What can't be removed stays, and is no error. */
export const removeLeft = (folder: string, prefix: string, me: Holder): void => {
  for (const name of leftByEnded(folder, prefix, me)) {
    try {
      const path = join(folder, name)
      if (lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
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
        removeLeft(parent, prefix, me)
        return mkdtempSync(join(parent, `${ownedName(prefix, me)}.`))
      }),
      (folder) => Effect.ignore(Effect.try(() => rmSync(folder, { recursive: true, force: true }))),
    )
  })
