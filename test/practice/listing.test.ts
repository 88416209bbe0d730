import { describe, expect, it, vi } from "vitest"
import { listing } from "../../src/practice/listing.ts"
import type { StoredSubmission } from "../../src/practice/store.ts"

/** Returns a submission with a text as its only answer, made on a day of January 2024. */
const at = (id: string, day: number, text = ""): StoredSubmission => {
  const questions = [{ id: "q1", name: "Name", type: "ShortAnswer", value: text }]
  return {
    id,
    time: Date.UTC(2024, 0, day),
    json: JSON.stringify({ submissionId: id, questions, urlParameters: [{ id: "u1", value: `u-${id}` }] }),
  }
}

const four = [at("a", 1, "Ada"), at("b", 2, 'Grace "G"'), at("c", 2, "Linus"), at("d", 3, "ÄDA")]

/** Returns a page of a list: the ids on it, and its other members. */
const asked = (query: string, all: ReadonlyArray<StoredSubmission> = four, isListed?: (id: string) => boolean) => {
  const { body, status } = listing(all, new URLSearchParams(query), isListed, ({ json }) => json)
  const { responses, ...others } = JSON.parse(body) as {
    readonly responses?: ReadonlyArray<{ readonly submissionId: string }>
    readonly totalResponses?: number
    readonly message?: string
  }
  return { status, ids: responses?.map(({ submissionId }) => submissionId).join(""), ...others }
}

describe("the practice service's list of submissions", () => {
  it("the list has the oldest submissions first, and submissions of the same time in order of creation", () => {
    expect(asked("")).toEqual({ status: 200, ids: "abcd", totalResponses: 4, pageCount: 1 })
  })

  it("the list has the newest submissions first if the query asks for it", () => {
    expect(asked("sort=desc").ids).toBe("dbca")
  })

  it("the pages of a list together contain each submission once, in order", () => {
    const many = Array.from({ length: 500 }, (_, index) => at(`s${String(index).padStart(3, "0")}`, 1 + (index >> 6)))
    for (const sort of ["asc", "desc"]) {
      const pages = [0, 150, 300, 450].map((offset) => asked(`limit=150&offset=${offset}&sort=${sort}`, many).ids)
      const sorted = many.toSorted((a, b) => (sort === "asc" ? 1 : -1) * (a.time - b.time))
      expect(pages.join("")).toBe(sorted.map(({ id }) => id).join(""))
    }
  })

  it("each page states the total and the number of pages", () => {
    expect(asked("limit=3&offset=3&sort=asc")).toEqual({ status: 200, ids: "d", totalResponses: 4, pageCount: 2 })
  })

  it("a page has at most 50 submissions by default", () => {
    const many = Array.from({ length: 60 }, (_, index) => at("x", 1 + index))
    expect(asked("", many)).toMatchObject({ ids: "x".repeat(50), totalResponses: 60, pageCount: 2 })
  })

  it("an offset after the last submission gives an empty page", () => {
    expect(asked("offset=4")).toMatchObject({ status: 200, ids: "", totalResponses: 4 })
  })

  it("afterDate and beforeDate exclude submissions of exactly that time", () => {
    expect(asked("sort=asc&afterDate=2024-01-01T00:00:00Z").ids).toBe("bcd")
    expect(asked("sort=asc&beforeDate=2024-01-03T01:00:00%2B01:00").ids).toBe("abc")
    expect(asked("afterDate=2024-01-01T00:00:00.000Z&beforeDate=2024-01-03T00:00:00.000Z")).toMatchObject({
      ids: "bc",
      totalResponses: 2,
    })
  })

  it("there are no submissions in progress", () => {
    expect(asked("status=in_progress")).toEqual({ status: 200, ids: "", totalResponses: 0, pageCount: 0 })
    expect(asked("status=finished").totalResponses).toBe(4)
  })

  it("the search finds answers and URL parameters that contain its text, ignoring case", () => {
    expect(asked("search=gRACE").ids).toBe("b")
    expect(asked("search=%22g%22").ids).toBe("b")
    expect(asked("search=%C3%A4da").ids).toBe("d")
    expect(asked("search=u-c").ids).toBe("c")
  })

  it("the search ignores names, types and ids", () => {
    expect(asked("search=ShortAnswer")).toMatchObject({ ids: "", totalResponses: 0 })
  })

  it("a hidden submission is neither listed nor counted", () => {
    expect(asked("", four, (id) => id !== "b")).toMatchObject({ ids: "acd", totalResponses: 3 })
  })

  it("a search parses each submission once, and a list without a search parses none", () => {
    const fresh = four.map((submission) => ({ ...submission }))
    const parse = vi.spyOn(JSON, "parse")
    const parsed = (query: string) => {
      parse.mockClear()
      listing(fresh, new URLSearchParams(query), undefined, ({ json }) => json)
      return parse.mock.calls.length
    }
    const counts = ["", "search=a", "search=b"].map(parsed)
    parse.mockRestore()
    expect(counts).toEqual([0, 4, 0])
  })

  it("an invalid parameter is refused with its name and without its value", () => {
    for (
      const [name, value] of [
        ["limit", "0"],
        ["limit", "151"],
        ["limit", "ten"],
        ["limit", "1.5"],
        ["limit", ""],
        ["offset", "-1"],
        ["afterDate", "2024-01-01"],
        ["afterDate", "2024-13-01T00:00:00Z"],
        ["beforeDate", "2024-01-01T00:00:00"],
        ["beforeDate", "yesterday"],
        ["status", "done"],
        ["sort", "up"],
      ] as const
    ) {
      const { message = "", status } = asked(new URLSearchParams([[name, value]]).toString())
      expect([name, value, status]).toEqual([name, value, 400])
      expect(JSON.parse(message)).toEqual([
        { code: "invalid_string", path: [name], message: expect.stringMatching(/^Invalid parameter: expected /) },
      ])
    }
  })

  it("all invalid parameters are refused together", () => {
    expect(JSON.parse(asked("limit=0&sort=up").message ?? "")).toHaveLength(2)
  })
})
