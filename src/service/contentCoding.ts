import { brotliDecompressSync, unzipSync, type ZlibOptions } from "node:zlib"
import { codeOf } from "../domain/words.ts"
import { header, type ResponseHeaders } from "./transport.ts"

const decoders: ReadonlyMap<string, (body: Buffer, options: ZlibOptions) => Buffer> = new Map([
  ["gzip", unzipSync],
  ["x-gzip", unzipSync],
  ["deflate", unzipSync],
  ["br", brotliDecompressSync],
  ["identity", (body: Buffer) => body],
])

/**
 * Decodes the body of a response. No coding is requested, but some proxies compress anyway.
 *
 * @param most the maximum number of decoded bytes
 * @returns the body and its header, unchanged if the coding is unknown or the body damaged; undefined if the body would be too long
 */
export const decoded = (
  headers: ResponseHeaders,
  body: Buffer,
  most: number,
): { readonly headers: ResponseHeaders; readonly body: Buffer } | undefined => {
  const { "content-encoding": _, ...others } = headers
  const codings = (header(headers, "content-encoding") ?? "").toLowerCase().split(",").map((one) => one.trim())
  try {
    // An unknown coding throws, like a damaged body.
    const plain = codings.filter((one) => one !== "").reduceRight(
      (rest, coding) => decoders.get(coding)!(rest, { maxOutputLength: most }),
      body,
    )
    return { headers: others, body: plain }
  } catch (error) {
    return codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? undefined : { headers, body }
  }
}
