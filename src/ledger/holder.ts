import { type Cause, Context, Effect, type Scope } from "effect"
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { networkFileSystem } from "./disk.ts"

/** Which process holds a lock. Process ids are reused, so its start and the machine's boot identify it, too. */
export interface Holder {
  readonly pid: number
  /** When it started, in the kernel's ticks; empty if the system does not report it. */
  readonly born: string
  /** The boot of the machine and the namespace of `pid`; empty if the system does not report it. */
  readonly boot: string
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const namespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

/** Returns a process's state letter and start, from Linux's /proc/PID/stat, whose second field may contain spaces and parentheses. */
const stat = (pid: number): { readonly state: string; readonly born: string } | undefined => {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0] ?? "", born: fields[19] ?? "" }
}

/** This process. */
const thisProcess = (): Holder => ({
  pid: process.pid,
  born: stat(process.pid)?.born ?? "",
  boot: `${read("/proc/sys/kernel/random/boot_id")?.trim() ?? ""} ${namespace()}`.trim(),
})

/** The process that takes locks: this one, unless a test that plays several processes in one sets another. */
export class LockHolder extends Context.Reference<LockHolder>()("formferry/LockHolder", {
  defaultValue: (): () => Holder => thisProcess,
}) {}

/** Whether the holder has certainly ended. False if that is unknown, as for a process of another container: then its heartbeat decides. */
export const isGone = (holder: Holder, me: Holder): boolean => {
  const [boot, space] = holder.boot.split(" ")
  const [myBoot, mySpace] = me.boot.split(" ")
  if (boot !== myBoot) return true
  if (space !== mySpace) return false
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH"
  }
  const now = stat(holder.pid)
  if (now === undefined) return false
  // A zombie has ended; its parent has not collected its status yet.
  return now.state === "Z" || (holder.born !== "" && now.born !== holder.born)
}

/** Returns the beginning of a temporary name that identifies its process. Append "." and a text to distinguish several. */
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

/**
 * Whether a process that left something in a folder has ended. On a network file system, a different boot may mean a different machine, whose
 * processes are unknown.
 */
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

/** Removes the files and folders that ended processes of the same user left. Anything that can't be removed stays, which is not an error. */
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
 * Makes a temporary folder, accessible to its owner only and removed when the scope closes. Its name identifies its process, so that the next call
 * with this prefix removes what a killed process left.
 *
 * @param parent an existing folder in which to make it
 * @param prefix the beginning of its name
 * @returns its path; fails with the system's error if it can't be made
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
