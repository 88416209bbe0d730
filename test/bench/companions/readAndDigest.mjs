// Reads a file once and computes its digest: the companion for a run whose file is unchanged.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"

const digest = createHash("sha256")
createReadStream(process.argv[2], { highWaterMark: 1 << 20 })
  .on("data", (block) => digest.update(block))
  .on("end", () => process.stdout.write(`${digest.digest("hex")}\n`))
