import * as Effect from "effect/Effect"
import { damaged, entryBytes } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import { packedStart, unpack, type ZipEntry } from "../zip.ts"
import { type OdsBook, odsBookFinder } from "./odsBook.ts"
import { odsRowsReader } from "./odsRows.ts"
import { checkParts, openRows, type Packed, readPart } from "./readRows.ts"
import { chooseSheet, type OpenSheet } from "./Sheet.ts"

/** Returns the part with the sheets of an OpenDocument workbook. Undefined if the archive is not one. */
export const odsContent = ({ parts }: Packed): ZipEntry | undefined => parts.get("content.xml")

/** Opens the rows of a sheet. This is a separate function, so that its closures don't keep the workbook's bytes. */
const openOdsRows = (
  { file }: Bytes,
  part: Bytes,
  { fingerprint }: Pick<Packed, "fingerprint">,
  { shows }: OdsBook,
  at: number,
  wanted: number,
  isSmall: boolean,
) => openRows(file, part, fingerprint, (notes) => odsRowsReader(at, shows, notes), wanted, isSmall)

/**
 * Opens one sheet of an OpenDocument workbook, to be read row by row.
 *
 * @param content the part with the sheets
 * @param asked the pipeline's `sheet`
 * @param wanted the number of rows that `first` must contain, unless the sheet has fewer
 */
export const openOds = (
  bytes: Bytes,
  packed: Packed,
  content: ZipEntry,
  asked: string | number | undefined,
  wanted: number,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const partOf = (entry: ZipEntry) => entryBytes(bytes, entry, packedStart(packed.content, entry) ?? 0)
    const manifest = packed.parts.get("meta-inf/manifest.xml")
    const styles = packed.parts.get("styles.xml")
    yield* checkParts(file, packed, [content, manifest, styles].filter((entry) => entry !== undefined))
    if (manifest !== undefined && manifest.unpacked <= limits.unpackedFreely) {
      const text = yield* Effect.tryPromise({
        try: () => unpack(packed.content, manifest),
        catch: () => damaged(file),
      })
      if (text.includes("encryption-data")) {
        return yield* refusing(file)("is protected by a password. Save it without one.")
      }
    }
    const part = partOf(content)
    const { book, makeScanner } = odsBookFinder()
    if (styles !== undefined) yield* readPart(file, partOf(styles), makeScanner().write)
    yield* readPart(file, part, makeScanner().write)
    const names = book.sheets.map(({ name }) => name)
    const { at, ...chosen } = yield* chooseSheet(
      file,
      names,
      (index) => book.isHidden(book.sheets[index]?.style ?? ""),
      asked,
    )
    return {
      ...chosen,
      date1904: false,
      ...yield* openOdsRows(bytes, part, packed, book, at, wanted, content.unpacked < limits.lookedSheet),
    }
  })
