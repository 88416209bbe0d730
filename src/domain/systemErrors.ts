/** The meanings of the system's error codes for a file that can't be read or written. */
const systemReasons = new Map<unknown, string>([
  ["ENOENT", "it does not exist"],
  ["EACCES", "you don't have permission"],
  ["EPERM", "you don't have permission"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["ELOOP", "a symbolic link in its path leads back to itself"],
  ["ENAMETOOLONG", "its path is too long"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "your share of the disk is full"],
  ["EFBIG", "a file may not become that large here"],
])

/** Returns the code of an error of the system or of a database, such as `ENOENT`. Empty if it has none. */
export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** Whether an operation of @effect/platform failed because a file or folder does not exist. */
export const isMissing = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

/** Whether an operation of @effect/platform failed because of missing permissions. */
export const isDenied = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "PermissionDenied"

/** Whether an operation of @effect/platform failed because a file or folder exists. */
export const isPresent = (error: { readonly _tag: string; readonly reason?: string }): boolean =>
  error._tag === "SystemError" && error.reason === "AlreadyExists"

/** Returns an error's message. If the error is of @effect/platform, names the file and the reason. */
export const messageOf = (error: { readonly message: string }): string =>
  "pathOrDescriptor" in error
    ? `${String(error.pathOrDescriptor)} can't be read or written: ${reasonOf(error)}.`
    : error.message

/** Returns why an operation on a file failed, as the end of a sentence: the meaning of the system's code, otherwise the error's own message. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // An error of @effect/platform contains Node's error.
  const system = "_tag" in error && error.cause instanceof Error ? error.cause : error
  return systemReasons.get("code" in system ? system.code : undefined) ?? error.message
}
