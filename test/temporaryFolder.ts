import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Puts all temporary files of the tests into one folder and deletes it after the last test. The test files of a worker
 * share modules, so a folder that they share can't be deleted after one of them.
 */
export const setup = (): () => void => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-tests-"))
  // The package test enters this folder as a different user.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
