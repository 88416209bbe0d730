/** What a source may hold at most: generous, and enough to stop a file that is not what it seems. Over a limit is a clear error. */
export const limits = {
  rows: 50_000_000,
  columns: 16_384,
  /** Characters of one cell. */
  cell: 4_000_000,
  /** Characters of one record of a text file, so that a quote that is never closed does not swallow the rest of a large file. */
  record: 16_000_000,
  /** Bytes of a text that are looked at before it is read, to know its encoding. */
  looked: 32 * 1024 * 1024,
  /** Characters of JSON in which its members are looked for. */
  lookedJson: 8 * 1024 * 1024,
  /** Bytes of a workbook, which has to be held whole. */
  workbook: 256 * 1024 * 1024,
  /** Bytes that the parts of a workbook which are held whole may unpack to. */
  unpacked: 1024 * 1024 * 1024,
  /** Bytes up to which a sheet of an .xlsx workbook is looked at to its end before it is read. */
  lookedSheet: 32 * 1024 * 1024,
  /** Bytes that a sheet of an .xlsx workbook may unpack to. */
  streamed: 16 * 1024 * 1024 * 1024,
  /** Bytes of a workbook's shared texts, which are held. */
  sharedStrings: 512 * 1024 * 1024,
  /** Rows of a sheet: Excel's own limit. */
  sheetRows: 1_048_576,
  /** Bytes that an archive of text may unpack to; they are never held whole. */
  unpackedText: 64 * 1024 * 1024 * 1024,
  /** Bytes of a zip archive's directory. */
  directory: 16 * 1024 * 1024,
  /** Bytes that are fetched at most, and for how long, in seconds. */
  fetched: 2 * 1024 * 1024 * 1024,
  fetchSeconds: 600,
  /** Files of a list or a pattern, and files and folders that a pattern looks at. */
  files: 10_000,
  entries: 100_000,
  /** How many times its size an archive may unpack to, once it unpacks to more than `unpackedFreely` bytes. */
  ratio: 200,
  unpackedFreely: 64 * 1024 * 1024,
} as const

/** A number with thousands set apart, for messages. */
export const thousands = (n: number) => n.toLocaleString("en-GB")
