import iconv from "iconv-lite"
import Papa from "papaparse"
import type { Container } from "../conformance.ts"

export const csv = (
  encode: (text: string) => Uint8Array,
  said: Container["said"] = {},
  unparse: { readonly delimiter?: string; readonly newline?: string } = {},
): Container => ({
  extension: "csv",
  said,
  streamed: true,
  write: (table) => encode(Papa.unparse(table.map((row) => [...row]), { quotes: true, ...unparse })),
})

export const encoded = (encoding: string, addBOM = false) => (text: string) => iconv.encode(text, encoding, { addBOM })
