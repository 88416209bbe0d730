import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What the tests write into the system's temporary folder goes into one below it, which goes with them: the files of a worker share modules, so none of them can tell when a shared folder is done with. */
export const setup = (): () => void => {
  const folder = mkdtempSync(join(tmpdir(), "formferry-tests-"))
  // The test of the package enters it as another user.
  chmodSync(folder, 0o711)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
