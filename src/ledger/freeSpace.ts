import { statfsSync } from "node:fs"

/** Bytes free for us on the disk of a folder; undefined where the system does not tell. */
export const freeSpace = (folder: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    // Some file systems that know no bounds say zero of everything.
    return bsize === 0 || !Number.isFinite(free) ? undefined : free
  } catch {
    return undefined
  }
}
