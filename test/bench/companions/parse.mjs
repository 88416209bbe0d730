// The companion for the target `dry-run`. It only parses the same file with papaparse, in chunks of arrays.
import { createReadStream } from "node:fs"
import Papa from "papaparse"

let rows = 0
Papa.parse(createReadStream(process.argv[2], { highWaterMark: 65_536, encoding: "utf8" }), {
  chunk: (result) => {
    rows += result.data.length
  },
  complete: () => process.stdout.write(`${rows}\n`),
})
