import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { xmlNumber, xmlScanner, xmlText } from "../../src/source/workbook/xml.ts"

/** Returns what a scanner reports for a document in pieces of this many bytes. Consecutive texts are joined. */
const told = (document: string, piece = Infinity): ReadonlyArray<string> => {
  const events: Array<string> = []
  const scanner = xmlScanner({
    open: (name, attributes) => {
      const all = []
      while (attributes.next()) all.push(` ${attributes.name}=${attributes.text}`)
      events.push(`<${name}${all.join("")}>`)
    },
    text: (xml, from, to, _whole, raw) => {
      const text = xmlText(xml, from, to, raw)
      if (events.at(-1)?.startsWith("#") === true) events[events.length - 1] += text
      else events.push(`#${text}`)
    },
    close: (name) => events.push(`</${name}>`),
  })
  const bytes = Buffer.from(document)
  for (let at = 0; at < bytes.length; at += piece) {
    const part = Buffer.from(bytes.subarray(at, at + piece))
    scanner.write(part)
    // The bytes of a piece are reused as soon as the piece has been scanned.
    part.fill(0x3c)
  }
  scanner.end()
  return events
}

const document =
  `\ufeff<?xml version="1.0"?>\r\n<!DOCTYPE a><x:a one='1>"2' x:two = "a&lt;&#228;">ä\r\n&amp;😀<!-- <b> --><b/>`
  + `<row r="1"  /><![CDATA[<&amp;>]]]]><cd>x</cd ></x:a>\n<!-- end -->`

describe("scanning an XML document", () => {
  const whole = [
    `<a one=1>"2 x:two=a<ä>`,
    "#ä\n&😀",
    "<b>",
    "</b>",
    "<row r=1>",
    "</row>",
    "#<&amp;>]]",
    "<cd>",
    "#x",
    "</cd>",
    "</a>",
  ]

  it("a scan returns the elements, attributes and texts of a document", () => {
    expect(told(document).filter((event) => event.trim() !== "#" && event !== "#\ufeff")).toEqual(whole)
  })

  it.each([1, 2, 3, 5, 7, 11, 64])(
    "a scan returns the same events if the document arrives in pieces of %d bytes",
    (piece) => {
      expect(told(document, piece).join("|")).toBe(told(document).join("|"))
    },
  )

  it.each([
    ["<a><b></a></b>", /do not end where they should/],
    ["<x:a></y:a>", /do not end where they should/],
    ["</a>", /do not end where they should/],
    ["<a><b", /no end/],
    ["<a>", /no end/],
    ["", /no end/],
    ["<a/><b/>", /something after its end/],
    ["<a <b/></a>", /a tag that does not end/],
    ["<a>< b/></a>", /a tag without a name/],
    ["<a one/>", /an attribute without a value/],
    ["<a one=1 />", /an attribute without a value/],
    ["<a one='1></a>", /no end/],
  ])("a scan refuses a malformed document: %s", (xml, message) => {
    expect(() => told(xml)).toThrow(message)
    expect(() => told(xml, 1)).toThrow(message)
  })

  it("a scan refuses a document in which a text would grow without limit", () => {
    expect(() => told(`<a>${"x".repeat(16_000_001)}`)).toThrow(/a text or a tag of more than 16,000,000 bytes/)
  })
})

describe("a number in XML", () => {
  const read = (text: string) => xmlNumber(Buffer.from(text), 0, Buffer.byteLength(text))

  it("a number is read from its text", () => {
    const decimal = fc.tuple(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.nat(17)).map(([whole, point]) =>
      String(whole).replace(new RegExp(`\\d{${point}}$`), ".$&")
    )
    const text = fc.oneof(fc.double({ noDefaultInfinity: true, noNaN: true }).map(String), decimal)
    fc.assert(fc.property(text, (number) => Object.is(read(number), Number(number))), { seed: 5, numRuns: 10_000 })
  })

  it.each(["-0", "0", "", " ", " 5 ", "5.", ".5", ".", "-", "1e3", "0x10", "1.2.3", "007", "&#49;2", "12a"])(
    "a number in decimal notation is read as JavaScript reads it, and no other text is a number: %j",
    (text) => {
      const isOther = text.trim() === "" || text.startsWith("0x")
      expect(read(text)).toBe(isOther ? Number.NaN : text === "&#49;2" ? 12 : Number(text))
    },
  )
})
