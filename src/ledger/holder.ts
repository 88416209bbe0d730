import { Context } from "effect"
import { readFileSync, readlinkSync } from "node:fs"

/** Which process holds a lock: process ids are given out again, so its start, and the boot it lives in, belong to it. */
export interface Holder {
  readonly pid: number
  /** When it started, in the kernel's ticks; empty where the system does not tell. */
  readonly born: string
  /** The boot of the machine and the namespace in which `pid` counts; empty where the system does not tell. */
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

/** State letter and start of a process, from Linux's /proc/PID/stat; its second field may hold spaces and parentheses. */
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

/** Who takes the locks of what is opened: this process, unless whoever plays several in one says otherwise. */
export class LockHolder extends Context.Reference<LockHolder>()("formferry/LockHolder", {
  defaultValue: (): () => Holder => thisProcess,
}) {}

/** Whether the holder has certainly ended. False when that can't be told, as for a process of another container: then its heartbeat decides. */
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
  // A zombie has ended; only its parent has not looked yet.
  return now.state === "Z" || (holder.born !== "" && now.born !== holder.born)
}
