/** The most that a source may contain. The limits are generous, but they stop a file that is not what it seems. Exceeding one is an error. */
export const limits = {
  rows: 50_000_000,
  /** The maximum number of columns, also of a sheet: Excel's own limit. */
  columns: 16_384,
  /** The maximum number of characters in a cell. */
  cell: 4_000_000,
  /** The maximum number of characters in a record of a text file. The limit prevents an unclosed quote from making the rest of a large file one record. */
  record: 16_000_000,
  /** The maximum number of bytes at the start of a text file that are used to detect its encoding. */
  looked: 32 * 1024 * 1024,
  /** The maximum number of characters at the start of JSON in which members and the list of records are searched for. */
  lookedJson: 8 * 1024 * 1024,
  /** The maximum size of a workbook in bytes: it is kept in memory. */
  workbook: 256 * 1024 * 1024,
  /** The maximum size of a form's definition in bytes: it is kept in memory. */
  definition: 64 * 1024 * 1024,
  /** The maximum unpacked size in bytes of those parts of a workbook that are kept in memory. */
  unpacked: 1024 * 1024 * 1024,
  /** A sheet of an .xlsx workbook with at most this many bytes is checked to its end before it is read. */
  lookedSheet: 32 * 1024 * 1024,
  /** The maximum unpacked size of a sheet of an .xlsx workbook, in bytes. */
  streamed: 16 * 1024 * 1024 * 1024,
  /** The maximum size in bytes of a workbook's shared strings: they are kept in memory. */
  sharedStrings: 512 * 1024 * 1024,
  /** The maximum number of rows in a sheet: Excel's own limit. */
  sheetRows: 1_048_576,
  /** The maximum number of cells for which a repeated row of an .ods workbook may stand. */
  repeatedCells: 20_000_000,
  /** The maximum unpacked size of an archive of text, in bytes. The text is never kept in memory as a whole. */
  unpackedText: 64 * 1024 * 1024 * 1024,
  /** The maximum size of a zip archive's directory, in bytes. */
  directory: 16 * 1024 * 1024,
  /** The maximum number of bytes to fetch, and of seconds that fetching may take. */
  fetched: 2 * 1024 * 1024 * 1024,
  fetchSeconds: 600,
  /** The maximum size in bytes of a page that is pulled, which is kept in memory, and the maximum number of pages, and of pages without records in a row. */
  page: 64 * 1024 * 1024,
  pages: 100_000,
  emptyPages: 1_000,
  /** The maximum number of files of a list or a pattern, and of files and folders that may be searched for a pattern. */
  files: 10_000,
  entries: 100_000,
  /** How many times its size an archive may unpack to. The ratio counts only if the archive unpacks to more than `unpackedFreely` bytes. */
  ratio: 200,
  unpackedFreely: 64 * 1024 * 1024,
} as const
