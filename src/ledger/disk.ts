import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync } from "node:fs"

/** File systems that other hosts may share: their locks may not hold, and a process that owns a file may be on another host. */
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

/** The type of the file system that a path lies on, from the text of Linux's /proc/self/mountinfo; of mounts over each other the last counts. */
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

/** The network file system that a folder lies on; undefined for a local disk, and where the system does not tell (it does on Linux only). */
export const networkFileSystem = (folder: string): string | undefined => {
  if (!existsSync("/proc/self/mountinfo")) return undefined
  const type = fileSystemType(realpathSync(folder), readFileSync("/proc/self/mountinfo", "utf8"))
  return type !== undefined && network.has(type) ? type : undefined
}

/** Makes the names of new files durable. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
