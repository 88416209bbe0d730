import { describe, expect, it } from "vitest"
import { url } from "../../src/kinds/url.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: url,
  options: [{}, { schemes: ["https"] }, { schemes: ["mailto", "ftp"] }],
  sends: [
    ["https://example.org", "https://example.org"],
    ["HTTP://Example.org/A?b=c,d#e", "HTTP://Example.org/A?b=c,d#e"],
    ["http://localhost:8080/x", "http://localhost:8080/x"],
    ["https://müller.de/ä", "https://müller.de/ä"],
  ],
  equivalent: [
    ["https://example.org", "https://example.org/"],
    ["https://EXAMPLE.org/a", "https://example.org/a"],
    ["https://example.org/ä", "https://example.org/%C3%A4"],
    ["https://example.org:443/", "https://example.org/"],
  ],
  changed: [
    ["https://example.org/a", "https://example.org/a/"],
    ["https://example.org/a", "https://example.org/A"],
    ["https://example.org/a", "http://example.org/a"],
    ["https://example.org/a", "https://example.org/a?b"],
    ["not an address", "not an address "],
  ],
})

describe("the url kind", () => {
  it.each([
    "www.example.org",
    "example.org",
    "ftp://example.org",
    "https://",
    "https://a b.org",
    "javascript:alert(1)",
    "https://example..org",
    "/a/b",
    "https://example.org/a\u200b",
    "https://exam\u00adple.org",
  ])(
    "the url kind refuses %s",
    (cell) => {
      expect(compiled(url)([cell])).toMatchObject({ code: "not-a-url" })
    },
  )

  it("the url kind accepts only the schemes that the pipeline names", () => {
    const parse = compiled(url, { schemes: ["mailto", "ftp"] })
    expect(parse(["mailto:ada@example.org"])).toBe("mailto:ada@example.org")
    expect(parse(["ftp://example.org/a"])).toBe("ftp://example.org/a")
    expect(parse(["https://example.org"])).toMatchObject({ code: "not-a-url" })
  })
})
