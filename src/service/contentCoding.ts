import type { Transform } from "node:stream"
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from "node:zlib"
import { codeOf } from "../domain/systemErrors.ts"
import { header, type ResponseHeaders } from "./transport.ts"

/** Some servers send `deflate` without zlib's header. */
const inflatedSync = (body: Buffer, options: ZlibOptions): Buffer => {
  try {
    return inflateSync(body, options)
  } catch (error) {
    if (codeOf(error) !== "Z_DATA_ERROR") throw error
    return inflateRawSync(body, options)
  }
}

/** Decodes a body as a whole, or as a stream, which fails if its input is cut. */
interface Decoder {
  readonly whole: (body: Buffer, options: ZlibOptions) => Buffer
  readonly stream: () => Transform
}

const gzip: Decoder = { whole: gunzipSync, stream: createGunzip }

/** By the name of the coding. */
export const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", { whole: inflatedSync, stream: createInflate }],
  ["br", { whole: brotliDecompressSync, stream: createBrotliDecompress }],
])

/** Returns the codings that a header names, the last one that was applied first. */
export const codingsIn = (header: string | null | undefined): ReadonlyArray<string> =>
  (header ?? "").toLowerCase().split(",").map((one) => one.trim()).filter((one) => one !== "" && one !== "identity")
    .reverse()

/**
 * Decodes the body of a response. No coding is requested, but some proxies compress anyway.
 *
 * @param most the maximum number of decoded bytes
 * @returns the body and its headers, unchanged if the coding is unknown or the body damaged; undefined if the body would be too long
 */
export const decoded = (
  headers: ResponseHeaders,
  body: Buffer,
  most: number,
): { readonly headers: ResponseHeaders; readonly body: Buffer } | undefined => {
  const { "content-encoding": _, ...others } = headers
  let plain = body
  for (const coding of codingsIn(header(headers, "content-encoding"))) {
    const decoder = decoders.get(coding)
    if (decoder === undefined) return { headers, body }
    try {
      plain = decoder.whole(plain, { maxOutputLength: most })
    } catch (error) {
      return codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? undefined : { headers, body }
    }
  }
  return { headers: others, body: plain }
}
