import * as Effect from "effect/Effect"
import { parsedJson } from "../domain/json.ts"
import type { Bytes } from "./bytes.ts"
import type { SourceError } from "./Source.ts"

/** What a file is, according to its first bytes. */
export type Content = "workbook" | "zip" | "gzip" | "tar" | "7z" | "pdf" | "pointer" | "html" | "xml" | "text"

const begins = (head: Uint8Array, ...bytes: ReadonlyArray<number>) => bytes.every((byte, at) => head[at] === byte)

/** Names of the first entries of workbooks. Office Open XML and OpenDocument files start with one of these. */
const workbookEntries =
  /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/|mimetype|META-INF\/|content\.xml)/

/** A file without a signature is text. */
const contentIn = (head: Uint8Array): Content => {
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
  if (/^ustar[\0 ]/.test(text.slice(257))) return "tar"
  if (text.startsWith("version https://git-lfs.github.com/spec/")) return "pointer"
  const tag = /^(?:\xef\xbb\xbf)?\s*<(?:(!doctype html|html|head|table)\b|\?xml\s)/i.exec(text)
  return tag === null ? "text" : tag[1] === undefined ? "xml" : "html"
}

/** A line below the titles of a table that a database client prints for people: `+----+------+`, `----+------` or `---- ------`. */
const printedRule = /^(?:\+(?:--+\+)+|--+(?:(?:\+| +)--+)+)\s*$/

/** Whether a text is such a table. Its first lines may be a prompt or a query. A line below a quote may be part of a quoted cell. */
export const isPrintedTable = (text: string): boolean => {
  const lines = text.split(/\r?\n/, 20).filter((line) => line.trim() !== "").slice(0, 4)
  const rule = lines.findIndex((line) => printedRule.test(line))
  return rule !== -1 && !lines.slice(0, rule).some((line) => line.includes('"'))
}

/** Detects what a file is. */
export const contentOf = (bytes: Bytes): Effect.Effect<Content, SourceError> => Effect.map(bytes.head(512), contentIn)

/** Names of kinds of content, for messages. */
export const contentNames: Readonly<Record<Content, string>> = {
  workbook: "a workbook",
  zip: "a zip archive",
  gzip: "a gzip archive",
  tar: "a tar archive",
  "7z": "a 7z archive",
  pdf: "a PDF document",
  pointer: "a pointer of Git LFS",
  html: "a web page",
  xml: "an XML document",
  text: "plain text",
}

/** Begins each record of a JSON text sequence (RFC 7464). */
export const sequenceSign = "\u001e"

/**
 * Returns "json" for an array, or an object that is the whole text, and "jsonl" for JSON lines or a JSON text sequence. Undefined for other text. Only
 * the first characters are checked.
 */
export const looksLikeJson = (text: string, file: string): "json" | "jsonl" | undefined => {
  if (text.startsWith(sequenceSign)) return looksLikeJson(text.slice(1), file) && "jsonl"
  const start = text.trimStart()
  if (/^\[\s*(?:\{\s*["}]|\[|\])/.test(start)) return "json"
  if (!/^\{\s*["}]/.test(start)) return undefined
  const first = /^[^\r\n]*/.exec(start)?.[0].trim() ?? ""
  const complete = first.length < start.trimEnd().length
  if (!complete) return /\.(?:jsonl|ndjson)(?:\.gz)?$/i.test(file) ? "jsonl" : "json"
  return parsedJson(first) === undefined ? "json" : "jsonl"
}
