import * as Effect from "effect/Effect"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import type { ZipEntry } from "../zip.ts"
import { type OdsBook, odsBookFinder } from "./odsBook.ts"
import { odsRowsReader } from "./odsRows.ts"
import { checkParts, type Packed, readPart, unpackedPart, type XmlSheet } from "./readRows.ts"
import { chooseSheet, hasPassword } from "./Sheet.ts"

/** This is a separate function, so that its closure doesn't keep the workbook's bytes. */
const readerOf = (at: number, { shows }: OdsBook): XmlSheet["makeReader"] => (found) => odsRowsReader(at, shows, found)

/**
 * Finds one sheet of an OpenDocument workbook.
 *
 * @param part the part with the sheets
 * @param asked the pipeline's `sheet`
 */
export const odsSheet = (
  packed: Packed,
  part: ZipEntry,
  asked: string | number | undefined,
): Effect.Effect<XmlSheet, SourceError> =>
  Effect.gen(function*() {
    const { file } = packed.bytes
    const manifest = packed.parts.get("meta-inf/manifest.xml")
    const styles = packed.parts.get("styles.xml")
    yield* checkParts(packed, [part, manifest, styles].filter((entry) => entry !== undefined))
    if (manifest !== undefined && manifest.unpacked <= limits.unpackedFreely) {
      const text = yield* unpackedPart(packed, manifest)
      if (text.includes("encryption-data")) {
        return yield* refusing(file)(hasPassword)
      }
    }
    const { book, makeScanner } = odsBookFinder()
    if (styles !== undefined) yield* readPart(packed, styles, makeScanner().write)
    yield* readPart(packed, part, makeScanner().write)
    const names = book.sheets.map(({ name }) => name)
    const isHidden = (index: number) => book.isHidden(book.sheets[index]?.style ?? "")
    const chosen = yield* chooseSheet(file, names, isHidden, asked)
    return { chosen, date1904: false, part, makeReader: readerOf(chosen.at, book) }
  })
