import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync } from "node:fs"

/** File systems that several hosts may share. Locks might not work there, and the process that owns a file may run on a different host. */
const network = new Set([
  "9p",
  "afs",
  "beegfs",
  "ceph",
  "cifs",
  "davfs",
  "fuse.ceph",
  "fuse.cephfs",
  "fuse.davfs",
  "fuse.glusterfs",
  "fuse.rclone",
  "fuse.s3fs",
  "fuse.sshfs",
  "gfs2",
  "glusterfs",
  "gpfs",
  "lustre",
  "ncpfs",
  "nfs",
  "nfs4",
  "ocfs2",
  "orangefs",
  "smb3",
  "smbfs",
])

/** Returns the type of a path's file system, from the text of Linux's /proc/self/mountinfo. If mounts cover each other, the last one counts. */
export const fileSystemType = (path: string, mountInfo: string): string | undefined => {
  let found: { readonly point: string; readonly type: string } | undefined
  for (const line of mountInfo.split("\n")) {
    const [before, after] = line.split(" - ")
    const point = before?.split(" ")[4]?.replace(
      /\\([0-7]{3})/g,
      (_, octal: string) => String.fromCharCode(parseInt(octal, 8)),
    )
    const type = after?.split(" ")[0]
    if (point === undefined || type === undefined) continue
    const holds = point === "/" || path === point || path.startsWith(`${point}/`)
    if (holds && (found === undefined || point.length >= found.point.length)) found = { point, type }
  }
  return found?.type
}

/** Returns the type of the network file system that a file or folder is on. Undefined for a local disk, or if the system does not report it (only Linux does). */
export const networkFileSystem = (path: string): string | undefined => {
  if (!existsSync("/proc/self/mountinfo")) return undefined
  const type = fileSystemType(realpathSync(path), readFileSync("/proc/self/mountinfo", "utf8"))
  return type !== undefined && network.has(type) ? type : undefined
}

/** Makes a file durable, or the names of a folder's new files. */
export const sync = (path: string, flags = "r"): void => {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
