import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** Returns the memory of this thread that is in use, in bytes. Unlike the size of the process, it doesn't depend on when garbage is collected. */
export const memoryInUse = (): number => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}
