import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stopTestServer } from "./ledger/postgres/server.ts"

/** The folder for files in memory on Linux. */
const inMemory = "/dev/shm"

/** The free memory that the folder must have, in bytes. */
const needed = 4 * 1024 ** 3

/** Whether files fit into memory, and programs in that folder can be executed. Tests write and flush many small files. */
const fitsInMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    if (bavail * bsize < needed) return false
    const probe = mkdtempSync(join(inMemory, "formferry-probe-"))
    try {
      const program = join(probe, "program")
      writeFileSync(program, "", { mode: 0o700 })
      // Fails if the folder is mounted with `noexec`.
      accessSync(program, constants.X_OK)
      return true
    } finally {
      rmSync(probe, { recursive: true })
    }
  } catch {
    return false
  }
}

/**
 * Puts all temporary files of the tests into one folder and deletes it after the last test. The test files of a worker
 * share modules, so a folder that they share can't be deleted after one of them. Uses memory if possible, unless TMPDIR
 * names a folder.
 */
export const setup = (): () => void => {
  const folder = mkdtempSync(
    join(process.env["TMPDIR"] === undefined && fitsInMemory() ? inMemory : tmpdir(), "formferry-tests-"),
  )
  // The package test enters this folder as a different user.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  return () => {
    stopTestServer(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Does work outside vitest with a folder for all its temporary files, as in the tests. */
export const withTemporaryFolder = async <A>(work: () => Promise<A>): Promise<A> => {
  const tearDown = setup()
  try {
    return await work()
  } finally {
    tearDown()
  }
}
