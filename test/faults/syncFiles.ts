import { FileSystem } from "@effect/platform"
import { SystemError, type SystemErrorReason } from "@effect/platform/Error"
import { Effect, Layer, Option, Stream } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"

const reasons: Readonly<Record<string, SystemErrorReason>> = {
  ENOENT: "NotFound",
  EEXIST: "AlreadyExists",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  ENOTDIR: "BadResource",
  EISDIR: "BadResource",
}

const attempt = <A>(method: string, path: string, work: () => A) =>
  Effect.try({
    try: work,
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
      return new SystemError({
        reason: reasons[code] ?? "Unknown",
        module: "FileSystem",
        method,
        pathOrDescriptor: path,
        description: cause instanceof Error ? cause.message : String(cause),
      })
    },
  })

const infoOf = (stat: fs.Stats): FileSystem.File.Info => ({
  type: stat.isFile() ? "File" : stat.isDirectory() ? "Directory" : stat.isSymbolicLink() ? "SymbolicLink" : "Unknown",
  mtime: Option.some(stat.mtime),
  atime: Option.some(stat.atime),
  birthtime: Option.some(stat.birthtime),
  dev: stat.dev,
  ino: Option.some(stat.ino),
  mode: stat.mode,
  nlink: Option.some(stat.nlink),
  uid: Option.some(stat.uid),
  gid: Option.some(stat.gid),
  rdev: Option.some(stat.rdev),
  size: FileSystem.Size(stat.size),
  blksize: Option.none(),
  blocks: Option.none(),
})

const openFile = (path: string, options?: FileSystem.OpenFileOptions) =>
  Effect.acquireRelease(
    attempt("open", path, () => fs.openSync(path, options?.flag ?? "r", options?.mode)),
    (fd) => Effect.sync(() => fs.closeSync(fd)),
  ).pipe(Effect.map((fd): FileSystem.File => {
    let position = 0
    const write = (buffer: Uint8Array) =>
      attempt("write", path, () => {
        const written = fs.writeSync(fd, buffer, 0, buffer.length, position)
        position += written
        return FileSystem.Size(written)
      })
    const read = (buffer: Uint8Array) => {
      const got = fs.readSync(fd, buffer, 0, buffer.length, position)
      position += got
      return got
    }
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      fd: FileSystem.FileDescriptor(fd),
      stat: attempt("stat", path, () => infoOf(fs.fstatSync(fd))),
      seek: (offset, from) =>
        Effect.sync(() => {
          position = Number(offset) + (from === "start" ? 0 : position)
        }),
      sync: Effect.void,
      read: (buffer) => attempt("read", path, () => FileSystem.Size(read(buffer))),
      readAlloc: (size) =>
        attempt("readAlloc", path, () => {
          const buffer = new Uint8Array(Number(size))
          const got = read(buffer)
          return got === 0 ? Option.none() : Option.some(buffer.subarray(0, got))
        }),
      truncate: (length) => attempt("truncate", path, () => fs.ftruncateSync(fd, Number(length ?? 0))),
      write,
      writeAll: (buffer) => Effect.asVoid(write(buffer)),
    }
  }))

const temporary = (options?: FileSystem.MakeTempDirectoryOptions) =>
  attempt(
    "makeTempDirectory",
    "",
    () => fs.mkdtempSync(join(options?.directory ?? "/tmp", options?.prefix ?? "nights-")),
  )

const never = (method: string) => () => Effect.dieMessage(`${method} is not played here`)

/**
 * Reads and writes real files synchronously. Nothing waits for the disk, so a test with virtual time knows when all
 * possible work is done. Nothing is synced to the disk, since there are no power cuts in tests.
 */
export const syncFiles = Layer.succeed(
  FileSystem.FileSystem,
  FileSystem.make({
    access: (path) => attempt("access", path, () => fs.accessSync(path)),
    copy: (from, to) => attempt("copy", from, () => fs.cpSync(from, to, { recursive: true })),
    copyFile: (from, to) => attempt("copyFile", from, () => fs.copyFileSync(from, to)),
    chmod: (path, mode) => attempt("chmod", path, () => fs.chmodSync(path, mode)),
    chown: never("chown"),
    link: never("link"),
    makeDirectory: (path, options) => attempt("makeDirectory", path, () => void fs.mkdirSync(path, options)),
    makeTempDirectory: temporary,
    makeTempDirectoryScoped: (options) =>
      Effect.acquireRelease(temporary(options), (path) => Effect.sync(() => fs.rmSync(path, { recursive: true }))),
    makeTempFile: never("makeTempFile"),
    makeTempFileScoped: never("makeTempFileScoped"),
    open: openFile,
    readDirectory: (path, options) =>
      attempt(
        "readDirectory",
        path,
        () => fs.readdirSync(path, { recursive: options?.recursive ?? false }).map(String),
      ),
    readFile: (path) => attempt("readFile", path, () => new Uint8Array(fs.readFileSync(path))),
    readLink: (path) => attempt("readLink", path, () => fs.readlinkSync(path)),
    realPath: (path) => attempt("realPath", path, () => fs.realpathSync(path)),
    remove: (path, options) => attempt("remove", path, () => fs.rmSync(path, { ...options })),
    rename: (from, to) => attempt("rename", from, () => fs.renameSync(from, to)),
    stat: (path) => attempt("stat", path, () => infoOf(fs.statSync(path))),
    symlink: (from, to) => attempt("symlink", to, () => fs.symlinkSync(from, to)),
    truncate: (path, length) => attempt("truncate", path, () => fs.truncateSync(path, Number(length ?? 0))),
    utimes: (path, atime, mtime) => attempt("utimes", path, () => fs.utimesSync(path, atime, mtime)),
    watch: () => Stream.die("watch is not played here"),
    writeFile: (path, data, options) => attempt("writeFile", path, () => fs.writeFileSync(path, data, options)),
  }),
)
