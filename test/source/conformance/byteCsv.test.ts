import { isLong } from "../../long.ts"
import { conforms } from "../conformance.ts"
import { csv, encoded } from "./csv.ts"

if (isLong) {
  conforms("ISO-8859-15 CSV with tabs", csv(encoded("iso-8859-15"), { encoding: "ISO-8859-15" }, { delimiter: "\t" }))
}

for (const encoding of isLong ? ["windows-1252", "macroman"] : ["windows-1252"]) {
  // The encoding is named, because a random table of a few characters is not a text in any language.
  conforms(`${encoding} CSV with semicolons`, csv(encoded(encoding), { encoding }, { delimiter: ";" }))
}
