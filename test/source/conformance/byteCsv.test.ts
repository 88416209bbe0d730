import { conforms } from "../conformance.ts"
import { csv, encoded } from "./csv.ts"

conforms("ISO-8859-15 CSV with tabs", csv(encoded("iso-8859-15"), { encoding: "ISO-8859-15" }, { delimiter: "\t" }))

for (const encoding of ["windows-1252", "macroman"]) {
  // Said here: a table of a few signs made up at random is no text of any language.
  conforms(`${encoding} CSV with semicolons`, csv(encoded(encoding), { encoding }, { delimiter: ";" }))
}
