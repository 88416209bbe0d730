import { isLong } from "../../long.ts"
import { conforms } from "../conformance.ts"
import { csv, encoded } from "./csv.ts"

conforms("UTF-8 CSV", csv(encoded("utf-8"), { delimiter: "," }))
if (isLong) {
  conforms(
    "UTF-8 CSV with a byte order mark, semicolons and LF",
    csv(encoded("utf-8", true), {}, { delimiter: ";", newline: "\n" }),
  )
  conforms("UTF-16LE CSV with a byte order mark", csv(encoded("utf-16le", true), {}, { delimiter: "|" }))
}
conforms(
  "UTF-16BE CSV with a byte order mark and CR",
  csv(encoded("utf-16be", true), { delimiter: "," }, { newline: "\r" }),
)
