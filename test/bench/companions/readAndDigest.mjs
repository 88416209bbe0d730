// The companion for the target `unchanged`. It reads a file once and computes its digest.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"

const digest = createHash("sha256")
createReadStream(process.argv[2], { highWaterMark: 1 << 20 })
  .on("data", (block) => digest.update(block))
  .on("end", () => process.stdout.write(`${digest.digest("hex")}\n`))
