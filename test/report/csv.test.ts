import fc from "fast-check"
import Papa from "papaparse"
import { describe, expect, it } from "vitest"
import { faithfulCsv, spreadsheetCsv, withoutApostrophe } from "../../src/report/csv.ts"

/**
 * Texts that break careless CSV: quotes, separators, line ends, control characters, byte order marks, and white space
 * at the ends.
 */
const cell = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      "'",
      ",",
      ";",
      "\n",
      "\r",
      "\t",
      " ",
      "\0",
      "\u001B",
      "\uFEFF",
      "=",
      "a",
      "ß",
      "\u2028",
      "😀",
    ),
  }),
  fc.constantFrom("", "\uFEFF", "\uFEFFa", '"', '""', " a ", "\r\n", "\r", "=1+1", "-5", "__proto__", "\u0085"),
)

/** Returns a file as a reader receives it, encoded as bytes and decoded again. */
const reread = (csv: string) => new TextDecoder("utf-8").decode(new TextEncoder().encode(csv))

describe("faithful CSV", () => {
  it("a parser reads exactly the same cells from faithful CSV, for any content", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }).chain((columns) =>
          fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 })
        ),
        (lines) => {
          const parsed = Papa.parse<Array<string>>(reread(faithfulCsv(lines)), {
            delimiter: ",",
            skipEmptyLines: false,
          })
          expect(parsed.errors).toEqual([])
          expect(parsed.data).toEqual([...lines, [""]])
        },
      ),
      { seed: 20250301, numRuns: 400 },
    )
  })

  it("faithful CSV is the same when written in one piece or in several, so that it can be streamed", () => {
    const lines = [["a", "b"], ["", ""], ["x\ny", '"']]
    expect(lines.map((line) => faithfulCsv([line])).join("")).toBe(faithfulCsv(lines))
    expect(faithfulCsv([])).toBe("")
  })

  it("faithful CSV ends lines with a line feed, and never gets a byte order mark, even if a cell begins with one", () => {
    expect(faithfulCsv([["a", "b"]])).toBe("a,b\n")
    expect(faithfulCsv([["\uFEFFa", "b"]]).charCodeAt(0)).toBe(0x22)
  })

  it("faithful CSV contains a replacement character for a lone surrogate, which UTF-8 can't encode", () => {
    expect(reread(faithfulCsv([["a\uD800b", "c"]]))).toBe("a\uFFFDb,c\n")
  })
})

describe("CSV for spreadsheets", () => {
  it("CSV for spreadsheets contains no cell that starts like a formula", () => {
    fc.assert(
      fc.property(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "＝"), cell, (start, rest) => {
        const parsed = Papa.parse<Array<string>>(reread(spreadsheetCsv([[start + rest, "x"]])), { delimiter: "," })
        expect(parsed.data[0]).toEqual([`'${start}${rest}`, "x"])
      }),
      { seed: 20250302, numRuns: 200 },
    )
  })

  it("CSV for spreadsheets escapes a formula that spans several lines", () => {
    expect(spreadsheetCsv([['=HYPERLINK(\n"http://x")', "b"]])).toBe('"\'=HYPERLINK(\n""http://x"")",b\n')
  })

  it("a reader removes the apostrophes that were added, but not a cell's own apostrophe", () => {
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.constantFrom("", "=", "+", "-", "@", "\t", "\r", "\n", "＝", "a"),
        cell,
        (own, start, rest) => {
          const text = "'".repeat(own) + start + rest
          const parsed = Papa.parse<Array<string>>(reread(spreadsheetCsv([[text, "x"]])), { delimiter: "," })
          expect(withoutApostrophe(parsed.data[0]?.[0] ?? "")).toBe(text)
        },
      ),
      { seed: 20261122, numRuns: 500 },
    )
  })

  it("CSV for spreadsheets contains all other cells unchanged", () => {
    expect(spreadsheetCsv([["a=b", "5", "'x", ""]])).toBe("a=b,5,'x,\n")
  })
})
