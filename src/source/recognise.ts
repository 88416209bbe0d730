/** What a file's first bytes show it to be. */
export type Content = "workbook" | "zip" | "gzip" | "tar" | "7z" | "pdf" | "html" | "text"

const begins = (head: Uint8Array, ...bytes: ReadonlyArray<number>) => bytes.every((byte, at) => head[at] === byte)

/** Names of entries with which workbooks begin: Office Open XML and OpenDocument put theirs first, in whatever order. */
const workbookEntries =
  /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/|mimetype|META-INF\/|content\.xml)/

/** Tells what a file is by its first bytes; what has no signature is text. */
export const contentOf = (head: Uint8Array): Content => {
  if (begins(head, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return "workbook"
  if (begins(head, 0x50, 0x4b, 3, 4)) {
    const nameLength = (head[26] ?? 0) + 256 * (head[27] ?? 0)
    return workbookEntries.test(Buffer.from(head.subarray(30, 30 + nameLength)).toString("utf8")) ? "workbook" : "zip"
  }
  if (begins(head, 0x50, 0x4b, 5, 6)) return "zip"
  if (begins(head, 0x1f, 0x8b)) return "gzip"
  if (begins(head, 0x25, 0x50, 0x44, 0x46)) return "pdf"
  if (begins(head, 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c)) return "7z"
  const text = Buffer.from(head).toString("latin1")
  if (text.slice(257, 262) === "ustar") return "tar"
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|table)\b/i.test(text) ? "html" : "text"
}

/** What each content is called in a sentence. */
export const contentNames: Readonly<Record<Content, string>> = {
  workbook: "a workbook",
  zip: "a zip archive",
  gzip: "a gzip archive",
  tar: "a tar archive",
  "7z": "a 7z archive",
  pdf: "a PDF document",
  html: "a web page",
  text: "plain text",
}

/** Whether a file's name promises a workbook. */
export const namedAsWorkbook = (file: string): boolean => /\.(?:xlsx|xlsm|xlsb|xls|ods)$/i.test(file)

/** Whether text is JSON (an array, or an object that is one text), or JSON lines: by its first signs. Undefined: neither. */
export const looksLikeJson = (text: string, file: string): "json" | "jsonl" | undefined => {
  const start = text.trimStart()
  if (/^\[\s*(?:\{\s*["}]|\])/.test(start)) return "json"
  if (!/^\{\s*["}]/.test(start)) return undefined
  const first = /^[^\r\n]*/.exec(start)?.[0].trim() ?? ""
  const complete = first.length < start.trimEnd().length
  if (!complete) return /\.(?:jsonl|ndjson)(?:\.gz)?$/i.test(file) ? "jsonl" : "json"
  try {
    JSON.parse(first)
    return "jsonl"
  } catch {
    return "json"
  }
}
