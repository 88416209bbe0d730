import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isList, parsedJson } from "../domain/json.ts"
import { codeOf } from "../domain/systemErrors.ts"
import { networkFileSystem } from "./fileSystem.ts"

/** The process that holds a lock. Process ids are reused, so the process's start and the machine's boot also identify it. */
export interface Holder {
  readonly pid: number
  /** When the process started, in the kernel's ticks. Empty if the system does not report it. */
  readonly born: string
  /** The boot of the machine and the namespace of `pid`. Empty if the system does not report them. */
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

const thisProcess = (): Holder => ({
  pid: process.pid,
  born: stat(process.pid)?.born ?? "",
  boot: `${read("/proc/sys/kernel/random/boot_id")?.trim() ?? ""} ${namespace()}`.trim(),
})

/** The process that takes locks: this one, unless a test that simulates several processes sets a different one. */
export class LockHolder extends Context.Reference<LockHolder>()("formferry/LockHolder", {
  defaultValue: (): () => Holder => thisProcess,
}) {}

/** Stands for the boot in a ledger that several hosts share. Only the age of the heartbeat shows whether such a holder has ended. */
export const anyHost = "any-host"

/** Returns the host of a process. Undefined if its ledger is a file, which only processes of one machine use. */
export const hostOf = ({ boot }: Pick<Holder, "boot">): string | undefined =>
  boot.startsWith(`${anyHost} `) ? boot.slice(anyHost.length + 1) : undefined

/** How long a process keeps a lock or a turn. */
export interface Lease {
  /** The holder's host. Undefined if the ledger is a file, which only processes of one machine use. */
  readonly host: string | undefined
  readonly pid: number
  /** Milliseconds since the holder's last heartbeat. */
  readonly silentFor: number
  /** Milliseconds after which a different process may take over, unless the holder sends another heartbeat. */
  readonly expiresIn: number
}

/** Whether the holder has certainly ended. False if that is unknown, for example for a process in a different container. In that case, the age of the holder's heartbeat decides. */
export const isGone = (holder: Holder, me: Holder): boolean => {
  const [boot, space] = holder.boot.split(" ")
  const [myBoot, mySpace] = me.boot.split(" ")
  if (boot === anyHost || myBoot === anyHost) return false
  if (boot !== myBoot) return true
  if (space !== mySpace) return false
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    return codeOf(cause) === "ESRCH"
  }
  const now = stat(holder.pid)
  if (now === undefined) return false
  // A zombie has ended, but its parent has not collected its status yet.
  return now.state === "Z" || (holder.born !== "" && now.born !== holder.born)
}

/** Returns the beginning of a temporary name that identifies its process. Append "." and a text to distinguish several names. */
export const ownedName = (prefix: string, { boot, born, pid }: Holder): string =>
  prefix + Buffer.from(JSON.stringify([pid, born, boot])).toString("base64url")

/** Returns the process that a name identifies, or undefined if it identifies none. */
const ownerOf = (name: string): Holder | undefined => {
  const parsed = parsedJson(Buffer.from(name, "base64url").toString("utf8"))
  if (parsed === undefined || !isList(parsed)) return undefined
  const [pid, born, boot] = parsed
  return Number.isSafeInteger(pid) && typeof born === "string" && typeof boot === "string"
    ? { pid: Number(pid), born, boot }
    : undefined
}

/**
 * Whether a process that left a file or folder here has ended. On a network file system, a different boot may mean a different machine, whose
 * processes are unknown.
 */
const hasEnded = (owner: Holder, me: Holder, folder: string): boolean => {
  const sameBoot = owner.boot.split(" ")[0] === me.boot.split(" ")[0]
  return owner.boot !== "" && (sameBoot || networkFileSystem(folder) === undefined) && isGone(owner, me)
}

/** Returns the names in a folder that have this prefix and belong to ended processes, and their texts after the first ".". Includes processes from before a reboot. */
export const leftByEnded = (folder: string, prefix: string, me: Holder) =>
  readdirSync(folder).flatMap((name) => {
    const [identity = "", ...rest] = name.startsWith(prefix) ? name.slice(prefix.length).split(".") : []
    const owner = ownerOf(identity)
    return owner !== undefined && hasEnded(owner, me, folder) ? [{ name, text: rest.join(".") }] : []
  })

/** Removes the files and folders that ended processes of the same user left. Skips what can't be removed. */
export const removeLeft = (folder: string, prefix: string, me: Holder): void => {
  for (const { name } of leftByEnded(folder, prefix, me)) {
    try {
      const path = join(folder, name)
      if (lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
    } catch {
      continue
    }
  }
}

/**
 * Makes a temporary folder that only its owner can access, and removes it when the scope closes. The folder's name identifies the process, so that
 * the next call with this prefix removes what a killed process left.
 *
 * @param parent an existing folder
 * @param prefix the beginning of the temporary folder's name
 * @returns the folder's path. Fails with the system's error if the folder can't be made
 */
export const ownedFolder = (
  parent: string,
  prefix: string,
): Effect.Effect<string, Cause.UnknownException, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try(() => {
      const me = thisProcess()
      removeLeft(parent, prefix, me)
      return mkdtempSync(join(parent, `${ownedName(prefix, me)}.`))
    }),
    (folder) => Effect.ignore(Effect.try(() => rmSync(folder, { recursive: true, force: true }))),
  )
