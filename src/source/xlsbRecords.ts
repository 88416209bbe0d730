/** The kind of the record that ends a sheet (MS-XLSB, section 2.4.443). */
const sheetEnd = 130

/**
 * Whether the records of a sheet in a .xlsb workbook follow on each other to the one that ends the sheet, and nothing comes behind it. A record's kind
 * takes one or two bytes, its length one to four, seven bits in each (MS-XLSB, section 2.1.4).
 */
export const endOfSheet = (bytes: Buffer): boolean => {
  let last = -1
  let at = 0
  const number = (most: number): number => {
    let value = 0
    for (let index = 0; index < most; index++) {
      const byte = bytes[at++]
      if (byte === undefined) return -1
      value += (byte & 0x7f) * 128 ** index
      if (byte < 0x80) break
    }
    return value
  }
  while (at < bytes.length) {
    // The high bit of a kind's first byte belongs to it; kinds differ by it all the same.
    last = number(2)
    const length = number(4)
    if (last === -1 || length === -1) return false
    at += length
  }
  return last === sheetEnd && at === bytes.length
}
