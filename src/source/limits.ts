/** The most that a source may contain. The limits are generous, but stop a file that is not what it seems. Exceeding one is a clear error. */
export const limits = {
  rows: 50_000_000,
  columns: 16_384,
  /** Characters of one cell. */
  cell: 4_000_000,
  /** Characters of one record of a text file, so that a quote that is never closed does not include the rest of a large file. */
  record: 16_000_000,
  /** Bytes at the start of a text that are used to detect its encoding. */
  looked: 32 * 1024 * 1024,
  /** Characters of JSON in which its members are searched. */
  lookedJson: 8 * 1024 * 1024,
  /** Bytes of a workbook, which is kept in memory. */
  workbook: 256 * 1024 * 1024,
  /** Unpacked bytes of those parts of a workbook that are kept in memory. */
  unpacked: 1024 * 1024 * 1024,
  /** Bytes up to which a sheet of an .xlsx workbook is checked to its end before it is read. */
  lookedSheet: 32 * 1024 * 1024,
  /** Bytes that a sheet of an .xlsx workbook may unpack to. */
  streamed: 16 * 1024 * 1024 * 1024,
  /** Bytes of a workbook's shared texts, which are kept in memory. */
  sharedStrings: 512 * 1024 * 1024,
  /** Rows of a sheet: Excel's own limit. */
  sheetRows: 1_048_576,
  /** Bytes that an archive of text may unpack to; they are never kept in memory as a whole. */
  unpackedText: 64 * 1024 * 1024 * 1024,
  /** Bytes of a zip archive's directory. */
  directory: 16 * 1024 * 1024,
  /** The most bytes that are fetched, and the longest time for it, in seconds. */
  fetched: 2 * 1024 * 1024 * 1024,
  fetchSeconds: 600,
  /** Files of a list or a pattern, and files and folders that a pattern searches. */
  files: 10_000,
  entries: 100_000,
  /** How many times its size an archive may unpack to, once it unpacks to more than `unpackedFreely` bytes. */
  ratio: 200,
  unpackedFreely: 64 * 1024 * 1024,
} as const

/** Returns a number with thousands separated, for messages. */
export const thousands = (n: number) => n.toLocaleString("en-GB")
