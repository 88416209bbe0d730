import * as Schema from "effect/Schema"
import { JsonCell } from "../domain/cell.ts"
import { percentDecoded } from "../domain/destination.ts"
import { isList, isObject, type Json, type JsonObject } from "../domain/json.ts"
import { allTexts, objectIn, oneCell, textOf } from "./cells.ts"
import { both, compareLists, compareText, different, equivalent, same } from "./compared.ts"
import {
  type Compared,
  Fault,
  FilledText,
  type Kind,
  type KindContext,
  missingParts,
  option,
  type Parse,
} from "./Kind.ts"
import { compareUrls, urlCheck } from "./url.ts"

const options = {
  split: option(
    FilledText,
    "The separator between the addresses in a cell (and between the filenames). An address that contains the separator is not split. By default, a cell contains one address",
    ",",
    ";",
    "\n",
  ),
}

type Options = Schema.Struct.Type<typeof options>

const parts = ["url", "filename"] as const

const isWebAddress = urlCheck(["http", "https"])
const expected = "a file's address that begins with http: or https:"
const notAUrl = new Fault("not-a-url", expected)

/** Infers a file's name from its address: the last part of the path, or `file`. */
export const filenameOf = (url: string): string => {
  const last = /\/([^/?#]+)\/?(?:[?#].*)?$/.exec(url.replace(/^[a-z]+:\/\/[^/?#]*/i, ""))?.[1]
  return last === undefined ? "file" : percentDecoded(last)
}

/** Splits a cell at each separator that is followed by another address. */
const splitAddresses = (text: string, separator: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const piece of text.split(separator)) {
    const last = found.length - 1
    if (last < 0 || /^\s*(?:https?:|$)/i.test(piece)) found.push(piece)
    else found[last] += separator + piece
  }
  return found.map((piece) => piece.trim()).filter((piece) => piece !== "")
}

/** Whether an answer, or a part of one, is a file. */
export const isFile = (value: Json): value is File => isObject(value) && "url" in value && "filename" in value

interface File extends JsonObject {
  readonly url: string
  readonly filename: string
}

const file = (url: string, filename: string): File | Fault =>
  isWebAddress(url)
    ? { url, filename: filename === "" ? filenameOf(url) : filename }
    : new Fault("not-a-url", expected, 0, url)

const all = (files: ReadonlyArray<File | Fault>): ReadonlyArray<File> | undefined | Fault => {
  const right: Array<File> = []
  for (const each of files) {
    if (each instanceof Fault) return each
    right.push(each)
  }
  return right.length === 0 ? undefined : right
}

/** Reads a file of a JSON source, which is an address or `{ url, filename }`. */
const fromJson = (value: Json, note: KindContext["note"]): File | Fault => {
  if (typeof value === "string") return file(value.trim(), "")
  const { filename, url } = objectIn(new JsonCell(value), parts, note) ?? {}
  if (typeof url !== "string") return notAUrl
  return file(url.trim(), typeof filename === "string" ? filename.trim() : "")
}

/** Files on the web. */
export const files: Kind<Options> = {
  name: "files",
  description:
    "Files, by their addresses or from the parts url and filename. Sent as an array of { url, filename }. A missing filename is inferred from the address",
  options,
  sends: "array",
  parts: Object.fromEntries(parts.map((part) => [part, "text"])),
  types: ["FileUpload", "Signature"],
  compile: (options, context) => {
    const separator = options.split
    const addresses = (text: string) => separator === undefined ? [text] : splitAddresses(text, separator)
    if (context.input._tag === "Columns") {
      return oneCell((cell) =>
        cell instanceof JsonCell
          ? all((isList(cell.value) ? cell.value : [cell.value]).map((value) => fromJson(value, context.note)))
          : all(addresses(textOf(cell)).map((url) => file(url, "")))
      )
    }
    const missing = missingParts(context.input.parts, ["url"])
    if (missing.length > 0) return missing
    return fromParts(context.input.parts, addresses, (text) => separator === undefined ? [text] : text.split(separator))
  },
  compare: (sent, returned) => compareLists(sent, returned, compareFiles),
}

const fromParts = (
  parts: ReadonlyArray<string>,
  addresses: (text: string) => ReadonlyArray<string>,
  names: (text: string) => ReadonlyArray<string>,
): Parse => {
  const [urlAt, nameAt] = [parts.indexOf("url"), parts.indexOf("filename")]
  const noUrl = new Fault("not-a-url", "a file's address as well as its filename", urlAt)
  return allTexts((texts) => {
    const [url = "", filename = ""] = [texts[urlAt], texts[nameAt]]
    if (url === "") return filename === "" ? undefined : noUrl
    const urls = addresses(url)
    const filenames = filename === "" ? [] : names(filename).map((name) => name.trim())
    if (filenames.length > 0 && filenames.length !== urls.length) {
      return new Fault("not-a-url", `as many addresses as filenames (${filenames.length})`, urlAt)
    }
    const found = all(urls.map((each, at) => file(each, filenames[at] ?? "")))
    return found instanceof Fault ? found.at(urlAt) : found
  })
}

const compareFiles = (sent: Json, returned: Json): Compared => {
  if (!isObject(sent) || !isObject(returned)) return sent === returned ? same : different
  const { url, filename, ...others } = returned
  if (url === undefined || filename === undefined) return different
  const verdict = both(compareUrls(sent.url ?? null, url), compareText(sent.filename ?? null, filename))
  return Object.keys(others).length > 0 ? both(verdict, equivalent("more members")) : verdict
}
