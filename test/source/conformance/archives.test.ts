import { gzipSync } from "node:zlib"
import { conforms, type Container } from "../conformance.ts"
import { zip } from "../workbooks.ts"
import { csv } from "./csv.ts"

const packed = (extension: string, pack: (content: Uint8Array) => Uint8Array): Container => ({
  ...csv((text) => pack(Buffer.from(text)), { delimiter: "," }),
  extension,
  packed: true,
})

conforms("CSV in a gzip archive", packed("csv.gz", (content) => gzipSync(content)))
conforms(
  "CSV in a zip archive",
  packed("zip", (content) => zip({ "answers/rows.csv": content, "__MACOSX/rows.csv": "x" })),
)
