import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { filenameOf, files } from "../../src/kinds/files.ts"
import { compiled, conforms } from "./conformance.ts"

const file = (url: string, filename: string) => ({ url, filename })

conforms({
  kind: files,
  options: [{ split: "," }, {}, { split: "\n" }],
  sends: [
    ["https://example.org/a.pdf", [file("https://example.org/a.pdf", "a.pdf")]],
    ["https://example.org/a,b.pdf, https://example.org/%C3%A4.png?x=1,2", [
      file("https://example.org/a,b.pdf", "a,b.pdf"),
      file("https://example.org/%C3%A4.png?x=1,2", "ä.png"),
    ]],
    [new JsonCell(["https://example.org/a", { url: "https://example.org/b", filename: "B" }]), [
      file("https://example.org/a", "a"),
      file("https://example.org/b", "B"),
    ]],
  ],
  equivalent: [
    [[file("https://example.org", "a")], [file("https://example.org/", "a")]],
    [[file("https://example.org/", "a")], [{ ...file("https://example.org/", "a"), size: 3 }]],
  ],
  changed: [
    [[file("https://example.org/a", "a")], [file("https://example.org/b", "a")]],
    [[file("https://example.org/a", "a")], [file("https://example.org/a", "b")]],
    [[file("https://example.org/a", "a")], []],
    [[file("https://example.org/a", "a")], ["https://example.org/a"]],
  ],
})

describe("the files kind", () => {
  it("pairs addresses with filenames, and guesses missing filenames", () => {
    const parse = compiled(files, { split: ";" }, { input: { _tag: "Parts", parts: ["url", "filename"] } })
    expect(parse(["https://e.org/1;https://e.org/2", "a.png; b.png"])).toEqual([
      file("https://e.org/1", "a.png"),
      file("https://e.org/2", "b.png"),
    ])
    expect(parse(["https://e.org/1", null])).toEqual([file("https://e.org/1", "1")])
    expect(parse([null, null])).toBeUndefined()
    expect(parse([null, "a.png"])).toMatchObject({ code: "not-a-url", cell: 0 })
    expect(parse(["https://e.org/1;https://e.org/2", "a.png"])).toMatchObject({ code: "not-a-url" })
  })

  it("refuses a text that is not a web address, and names it", () => {
    expect(compiled(files, { split: "," })(["https://e.org/a, https://"])).toMatchObject({
      code: "not-a-url",
      piece: "https://",
    })
    expect(compiled(files)(["a.pdf"])).toMatchObject({ code: "not-a-url", piece: "a.pdf" })
    expect(compiled(files)([new JsonCell({ name: "a" })])).toMatchObject({ code: "not-a-url" })
  })

  it.each([
    ["https://example.org", "file"],
    ["https://example.org/", "file"],
    ["https://example.org/a/b/", "b"],
    ["https://example.org/a?b=/c.pdf", "a"],
    ["https://example.org/%E0%A4%A", "%E0%A4%A"],
  ])("guesses the filename of %s", (url, filename) => {
    expect(filenameOf(url)).toBe(filename)
  })
})
