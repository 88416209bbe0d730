import { realpathSync, statSync } from "node:fs"
import { secretFile } from "./secret.ts"

/** The files of an open ledger, by path: if one is removed or replaced, commits are lost without SQLite noticing. Never opens them (ARCHITECTURE.md). */
export class LedgerFiles {
  private readonly known: ReadonlyArray<readonly [path: string, identity: string]>

  /** Construct it after the first read: then the log exists, and stays until the connection is closed. */
  constructor(file: string) {
    const real = realpathSync(file)
    this.known = [real, `${real}-wal`, `${real}-shm`, secretFile(file)].map((path) => [path, identityOf(path)])
  }

  /** Throws if a file was removed or replaced since. */
  check(): void {
    for (const [path, identity] of this.known) {
      if (identityOf(path) !== identity) throw new Error(`its file ${path} was replaced while it was in use`)
    }
  }
}

const identityOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw new Error(`its file ${path} was removed while it was in use`)
  return `${found.dev} ${found.ino}`
}
