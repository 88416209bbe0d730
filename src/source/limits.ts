/** The most that a source may contain. The limits are generous, but they stop a file that is not what it seems. Exceeding one is an error. */
export const limits = {
  rows: 50_000_000,
  columns: 16_384,
  /** Characters of one cell. */
  cell: 4_000_000,
  /** Characters of one record of a text file. The limit prevents a quote that is never closed from including the rest of a large file. */
  record: 16_000_000,
  /** Bytes at the start of a text that are used to detect its encoding. */
  looked: 32 * 1024 * 1024,
  /** Characters at the start of JSON in which members and the list of records are searched for. */
  lookedJson: 8 * 1024 * 1024,
  /** Bytes of a workbook, which is kept in memory. */
  workbook: 256 * 1024 * 1024,
  /** Unpacked bytes of those parts of a workbook that are kept in memory. */
  unpacked: 1024 * 1024 * 1024,
  /** Bytes of a sheet of an .xlsx workbook up to which the sheet is checked to its end before it is read. */
  lookedSheet: 32 * 1024 * 1024,
  /** Bytes that a sheet of an .xlsx workbook may unpack to. */
  streamed: 16 * 1024 * 1024 * 1024,
  /** Bytes of a workbook's shared texts, which are kept in memory. */
  sharedStrings: 512 * 1024 * 1024,
  /** Rows of a sheet: Excel's own limit. */
  sheetRows: 1_048_576,
  /** Bytes that an archive of text may unpack to. They are never kept in memory as a whole. */
  unpackedText: 64 * 1024 * 1024 * 1024,
  /** Bytes of a zip archive's directory. */
  directory: 16 * 1024 * 1024,
  /** The most bytes that are fetched, and the most seconds that fetching may take. */
  fetched: 2 * 1024 * 1024 * 1024,
  fetchSeconds: 600,
  /** Files of a list or a pattern, and files and folders that a pattern searches. */
  files: 10_000,
  entries: 100_000,
  /** How many times its size an archive may unpack to. The ratio counts only if the archive unpacks to more than `unpackedFreely` bytes. */
  ratio: 200,
  unpackedFreely: 64 * 1024 * 1024,
} as const

/** Returns a number with separated thousands, for messages. */
export const thousands = (n: number) => n.toLocaleString("en-GB")
