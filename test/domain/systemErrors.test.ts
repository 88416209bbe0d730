import { expect, it } from "vitest"
import { reasonOf } from "../../src/domain/systemErrors.ts"

it("reasonOf explains why the system can't use a file, even if a platform error wraps the reason", () => {
  const denied = Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: "EACCES" })
  const wrapped = Object.assign(new Error("PermissionDenied: FileSystem.open"), { _tag: "SystemError", cause: denied })
  const outer = new Error("its mark can't be written", { cause: denied })
  expect([denied, wrapped, outer, "disk"].map(reasonOf)).toEqual([
    "you don't have permission",
    "you don't have permission",
    "its mark can't be written",
    "disk",
  ])
})
