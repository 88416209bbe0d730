import { Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Json } from "../../../src/domain/json.ts"
import { loadProject } from "../../../src/project/loadProject.ts"
import type { Pull } from "../../../src/project/pull.ts"
import { pager } from "../../../src/source/pull/pages.ts"
import { PullProgress } from "../../../src/source/Source.ts"
import { readAll } from "../opening.ts"
import { type FakeTools, type Received, records, startTools } from "./fakeTools.ts"
import { pullProject } from "./pullProject.ts"

let tools: FakeTools & { readonly stop: () => void }
const { failure, leftBehind, load, now, open, pulled, root, run, temporary } = pullProject(() => tools.base)
beforeAll(async () => {
  tools = await startTools()
})
afterAll(() => tools.stop())
beforeEach(() => {
  tools.store = records(1, 2_500)
  tools.meddle = () => undefined
  tools.received.length = 0
})

const secret = "{ env: TOOL_TOKEN }"

/** Each way to divide an answer into pages, and each way to sign in. */
const pagings = {
  link: {
    auth: `{ header: { name: Authorization, prefix: Token, value: ${secret} } }`,
    source: `request: { path: /kobo, query: { limit: 1000, sort: '{"_id":1}' } }
  page: { link: /next, total: /count }
  records: /results`,
    pages: 3,
  },
  offset: {
    auth: `{ query: { apiKey: ${secret} } }`,
    source: `request: { path: /jotform, query: { limit: 1000, offset: "{offset}" } }
  page: { offset: 0 }
  success: { /responseCode: [200] }
  records: /content`,
    // The last record, an empty page, and the last record again.
    pages: 6,
  },
  cursor: {
    auth: `{ bearer: ${secret} }`,
    source: `request: { path: /airtable, json: { pageSize: 100, offset: "{cursor}" } }
  page: { cursor: /offset }
  records: /records`,
    pages: 25,
  },
  "cursor in a header": {
    auth: `{ header: { name: Authorization, prefix: Zoho-oauthtoken, value: ${secret} } }`,
    source: `request: { path: /zoho, query: { max_records: 1000 }, headers: { record_cursor: "{cursor}" } }
  page: { cursor: { header: record_cursor } }
  records: /data`,
    pages: 3,
  },
  number: {
    auth: `{ bearer: ${secret} }`,
    source: `request: { path: /tally, query: { limit: 500, page: "{number}" } }
  page: { number: 1, end: { at: /hasMore, is: false } }
  records: /submissions`,
    pages: 5,
  },
  last: {
    auth: `{ basic: { user: import, password: ${secret} } }`,
    source: `request: { path: /after, query: { after: "{cursor}" } }
  page: { last: /id }`,
    pages: 8,
  },
  "a single answer": {
    auth: `{ field: { token: ${secret} } }`,
    source: `request: { path: /redcap, form: { content: record, format: csv } }`,
    pages: 1,
  },
} as const

const all = (last: number) => records(1, last).map(({ id, name }) => `${id} ${name}`)

describe.each(Object.entries(pagings))("a source whose pages are found by %s", (_, paging) => {
  it("has every record once, in order", async () => {
    const { files, opened, rows } = await pulled(paging)
    expect(rows).toEqual(all(2_500))
    expect(tools.received).toHaveLength(paging.pages)
    expect(files.map(({ file }) => file.file)).toEqual([`tool (${new URL(tools.base).host})`])
    expect(opened.changedAt).toBeUndefined()
  })

  it("has records that arrive between pages, at the end", async () => {
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = records(1, 2_507)
      return undefined
    }
    const { rows } = await pulled(paging)
    expect(rows).toEqual(all(paging.pages === 1 ? 2_500 : 2_507))
  })

  it("is refused with its own message if the token has expired", async () => {
    const error = await failure({ ...paging, auth: paging.auth.replace("TOOL_TOKEN", "OLD_TOKEN") })
    const expected = paging.auth.includes("apiKey")
      ? "reports a failure: /responseCode is 401, not 200"
      : paging.auth.includes("field")
      ? "refused access (403)"
      : "refused the sign-in (401): the secret in OLD_TOKEN is wrong or has expired"
    expect(error.message).toContain(expected)
    expect(error._tag).toBe("ConnectionUnusable")
  })

  it("does not follow a redirect", async () => {
    tools.meddle = ({ url }) =>
      url.pathname === "/elsewhere"
        ? { body: [] }
        : { status: 302, headers: { location: "https://elsewhere.example/secretpath" } }
    expect((await failure(paging)).message).toContain("redirects to elsewhere.example. Redirects are not followed")
    expect(tools.received).toHaveLength(1)
  })
})

// The other kinds of pages use the same requests, and each test waits for two seconds.
it.each(["link", "a single answer"] as const)(
  "a pull by %s waits as long as a 429 asks, and repeats a request whose answer was cut short",
  async (name) => {
    const paging = pagings[name]
    let started = 0
    tools.meddle = (_, count) => {
      if (count === 1) started = now()
      if (count === 1) return { status: 429, headers: { "retry-after": "1" } }
      if (count === 2) expect(now() - started).toBeGreaterThan(950)
      return count === 2 ? "cut" : undefined
    }
    expect((await pulled(paging)).rows).toEqual(all(2_500))
    expect(tools.received).toHaveLength(paging.pages + 2)
  },
)

const { cursor, last, link, number, offset } = pagings

describe("a pull", () => {
  it("is stored in a file that only its owner can access, read twice, and removed", async () => {
    const before = leftBehind()
    await run(Effect.gen(function*() {
      const opened = yield* open(link.auth, link.source)
      const [folder] = leftBehind().filter((name) => !before.includes(name))
      expect(statSync(`${temporary}/${folder}`).mode & 0o077).toBe(0)
      expect(statSync(`${temporary}/${folder}/fetched`).mode & 0o177).toBe(0)
      expect(readFileSync(`${temporary}/${folder}/fetched`, "utf8").split("\n")[0]).toBe(`{"_id":1,"name":"Person 1"}`)
      const first = yield* readAll(opened)
      const files = yield* opened.files
      expect((yield* readAll(opened, files.map(({ fingerprint }) => fingerprint))).rows).toEqual(first.rows)
      expect(opened.taken).toContainEqual({ what: "pulled", value: "2,500 records in 3 pages" })
    }))
    expect(leftBehind()).toEqual(before)
    expect(tools.received).toHaveLength(3)
  })

  it("shows how many records were pulled, or how many bytes of a single answer", async () => {
    const shown: Array<ReadonlyArray<unknown>> = []
    const showing = (work: ReturnType<typeof open>) =>
      run(Effect.provideService(work, PullProgress, (...progress) => Effect.sync(() => void shown.push(progress))))
    await showing(open(link.auth, link.source))
    expect(shown).toEqual([["pull", 1_000, 2_500], ["pull", 2_000, 2_500], ["pull", 2_500, 2_500]])
    shown.length = 0
    const single = pagings["a single answer"]
    await showing(open(single.auth, single.source))
    const bytes = ["id,name", ...all(2_500).map((row) => row.replace(" ", ",")), ""].join("\n").length
    expect(shown.at(-1)).toEqual(["download", bytes])
  })

  it("keeps the digits of long numbers", async () => {
    tools.meddle = () => ({ body: '{"results": [{"id": 12345678901234567890}], "next": null, "count": 1}' })
    expect((await pulled(link)).rows).toEqual(["12345678901234567890"])
  })

  it("has a column for each member, however late the first record is that has it", async () => {
    const results = Array.from({ length: 9_000 }, (_, id) => ({
      id,
      text: "x".repeat(1_000),
      ...(id === 8_999 && { late: "found" }),
    }))
    tools.meddle = () => ({ body: { results, next: null, count: 9_000 } })
    const { files, opened, rows } = await pulled(link)
    expect(opened.columns.map(({ name }) => name)).toEqual(["id", "text", "late"])
    expect(rows.at(-1)).toMatch(/^8999 x+ found$/)
    expect(files[0]?.file.unread).toBeUndefined()
  })

  it.each([
    [
      "a cursor that repeats",
      cursor,
      () => ({ body: { records: [{ id: Math.random() }], offset: "itr/1" } }),
      "repeats a page",
    ],
    ["a page that repeats", offset, () => ({ body: { responseCode: 200, content: [{ id: 1 }] } }), "repeats a page"],
    ["a page without its list", offset, () => ({ body: { responseCode: 200, rows: [] } }), "It has a list at /rows."],
    [
      "a page whose empty list is omitted",
      offset,
      () => ({ body: { responseCode: 200 } }),
      "Correct `source.records`. If the tool omits an empty list, run again when there are records.",
    ],
    [
      "a page in a compression that nobody asked for",
      link,
      () => ({ headers: { "content-encoding": "zstd" }, body: "secretpath" }),
      'sent an answer compressed as "zstd"',
    ],
    [
      "a page in a different encoding",
      link,
      () => ({ body: Buffer.from('{"results": [{"id": 1, "name": "Zoë"}]}', "latin1") }),
      "sent a page that is not JSON in UTF-8",
    ],
    [
      "a page without its list after others",
      number,
      ({ url }: Received) => ({
        body: { hasMore: true, ...(url.searchParams.get("page") === "1" && { submissions: [{ id: 1 }] }) },
      }),
      "sent page 2 without a list of records at /submissions, unlike the pages before it. Nothing was imported.",
    ],
    ["a part of an answer", link, () => ({ status: 206 }), "answered 206 instead of 200"],
    ["a page that is not JSON", link, () => ({ body: "<html>secretpath</html>" }), "sent a page that is not JSON"],
    [
      "a page without the end's place",
      number,
      () => ({ body: { submissions: [{ id: 1 }] } }),
      "sent a page without /hasMore",
    ],
    [
      "an empty page that is not the last",
      number,
      () => ({ body: { submissions: [], hasMore: true } }),
      "although /hasMore says that it is not the last one",
    ],
    ["a record without the cursor's member", last, () => ({ body: [{ name: "x" }] }), "sent a record without /id"],
    [
      "a total that is too large",
      link,
      () => ({ body: { results: [{ id: 1 }], count: 3 } }),
      "has 3 records according to /count, but sent 1",
    ],
    [
      "a total that is not a number",
      link,
      () => ({ body: { results: [{ id: 1 }] } }),
      "sent a page without a number at /count",
    ],
    [
      "a total that is not known",
      link,
      () => ({ body: { results: [{ id: 1 }], count: -1 } }),
      "without a number at /count",
    ],
    [
      "a record whose id is a text on a later page, so that another one is missing",
      { ...number, source: number.source.replace("number: 1", "number: 1, total: /total, id: /id") },
      ({ url }: Received) => ({
        body: {
          submissions: url.searchParams.get("page") === "1" ? [{ id: 1 }, { id: 2 }] : [{ id: "2" }],
          hasMore: url.searchParams.get("page") === "1",
          total: 3,
        },
      }),
      "has 3 records according to /total, but sent 2.",
    ],
    [
      "a next page on another host",
      link,
      () => ({ body: { results: [{ id: 1 }], count: 2, next: "https://elsewhere.example/secretpath" } }),
      "sent an address on https://elsewhere.example for its next page",
    ],
    [
      "a page whose records change their content, but not their ids",
      { ...number, source: number.source.replace("number: 1", "number: 1, id: /id") },
      () => ({ body: { submissions: [{ id: 1, photo: Math.random() }], hasMore: true } }),
      "repeats a page",
    ],
    [
      "more records than the total",
      { ...number, source: number.source.replace("number: 1", "number: 1, total: /total") },
      () => ({ body: { submissions: [{ id: 1, photo: Math.random() }], hasMore: true, total: 5 } }),
      "has 5 records according to /total, but sent 6",
    ],
    [
      "an object with two members of the same name",
      link,
      () => ({ body: '{"results": [{"id": 1, "name": "Ada", "name": "Bo"}], "next": null, "count": 1}' }),
      "sent a page with an object that has two members of the same name",
    ],
    [
      "half of a character in a table",
      link,
      () => ({ body: String.raw`{"results": [["id", "name"], ["1", "A\ud800"]], "next": null, "count": 2}` }),
      "sent a cell with half of a character",
    ],
    ["no records", link, () => ({ body: { results: [], count: 0, next: null } }), "has no records. Check the filters"],
    ["an unknown path", link, () => ({ status: 404 }), "has nothing at the path of the request (404)"],
    ["a refused request", link, () => ({ status: 400, body: "secretpath" }), "refused the request (400)"],
  ])("fails on %s", async (_, paging, sent, message) => {
    tools.meddle = sent
    const error = await failure(paging)
    expect(error.message).toContain(message)
    expect(error._tag).toBe("SourceError")
  })

  it("fails if records were deleted while it was read, because others may have moved", async () => {
    tools.meddle = ({ url }, count) => {
      const start = Number(url.searchParams.get("offset"))
      return { body: { responseCode: 200, total: 10 - count, content: records(start + 1, start + 3) } }
    }
    const counted = { ...offset, source: offset.source.replace("offset: 0", "offset: 0, total: /total") }
    expect((await failure(counted)).message).toMatch(/\/total was 5, then 4.* All pages were requested 3 times\.$/)
  })

  it("stops at a wait of hours, which means that a quota is used up", async () => {
    tools.meddle = () => ({ status: 429, headers: { "retry-after": "7200" } })
    const error = await failure(link)
    expect(error.message).toContain("asks for a wait of 120 minutes, so a quota is used up")
    expect(error._tag).toBe("ConnectionUnusable")
    expect(tools.received).toHaveLength(1)
  })

  it("measures a date in Retry-After by the tool's clock", async () => {
    const date = (seconds: number) => new Date(Date.UTC(2050, 0, 1) + seconds * 1000).toUTCString()
    const started = now()
    tools.meddle = (_, count) =>
      count === 1 ? { status: 429, headers: { date: date(0), "retry-after": date(2) } } : undefined
    expect((await pulled(link)).rows).toHaveLength(2_500)
    expect(now() - started).toBeGreaterThan(1_950)
  })

  it("requests the address of the next page as the tool wrote it", async () => {
    tools.meddle = ({ url }) => ({
      body: {
        results: [{ id: url.search }],
        count: 2,
        ...(url.search.includes("a+b") ? {} : { next: "/kobo?at=a+b%2Bc%20d" }),
      },
    })
    expect((await pulled(link)).rows).toEqual(["?limit=1000&sort=%7B%22_id%22%3A1%7D", "?at=a+b%2Bc%20d"])
  })

  it("stops at a quota that is less than the rest of the pull, and not at one that is enough or has no limit", async () => {
    const counted = { ...link, source: link.source.replace("limit: 1000", "limit: 500") }
    const quota = { more: ", quota: { header: X-Left }" }
    const leaving = (left: string) => {
      tools.received.length = 0
      tools.meddle = ({ url }) => ({
        headers: { "x-left": left },
        body: {
          count: 2_500,
          results: records(
            Number(url.searchParams.get("start") ?? 0) + 1,
            Number(url.searchParams.get("start") ?? 0) + 500,
          ),
          next: url.searchParams.get("start") === "2000"
            ? null
            : `${url.origin}/kobo?start=${Number(url.searchParams.get("start") ?? 0) + 500}`,
        },
      })
    }
    leaving("3")
    const error = await failure(counted, quota)
    expect(error.message).toContain(
      "has 3 requests left in its quota, but the rest of the pull needs at least 4 requests. Nothing was imported.",
    )
    expect(error._tag).toBe("ConnectionUnusable")
    expect(tools.received).toHaveLength(1)
    for (const left of ["4", "-1", "many"]) {
      leaving(left)
      expect((await pulled(counted, quota)).rows).toEqual(all(2_500))
    }
  })

  it("finds the quota in a page, and stops at 0 if there is no total", async () => {
    const left = (count: number) => {
      tools.meddle = ({ url }) => {
        const from = Number(url.searchParams.get("offset"))
        return {
          body: { responseCode: 200, content: records(from + 1, Math.min(from + 1000, 2_500)), "limit-left": count },
        }
      }
    }
    left(0)
    const error = await failure(offset, { more: ", quota: /limit-left" })
    expect(error.message).toContain(
      "has 0 requests left in its quota, but the rest of the pull needs at least 1 request.",
    )
    left(1)
    expect((await pulled(offset, { more: ", quota: /limit-left" })).rows).toEqual(all(2_500))
  })

  it("waits as long as the connection says after a 429 that doesn't say", async () => {
    tools.meddle = (_, count) => count === 1 ? { status: 429 } : undefined
    const started = now()
    expect((await pulled(link, { more: ", pause: 1 second" })).rows).toHaveLength(2_500)
    expect(now() - started).toBeGreaterThan(950)
  })

  it("keeps to the account's rate, even with other pulls at the same time", async () => {
    const started = now()
    const slow = open(link.auth, link.source, { rate: 5 })
    await run(Effect.all([slow, slow], { concurrency: 2 }))
    expect(tools.received).toHaveLength(6)
    expect(now() - started).toBeGreaterThan(950)
  })

  it("starts again if the total falls because a record is deleted between its pages", async () => {
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = records(2, 2_500)
      return undefined
    }
    const { opened, rows } = await pulled(link)
    expect(rows).toEqual(all(2_500).slice(1))
    const value = "2,499 records in 3 pages, pulled 2 times because records moved"
    expect(opened.taken).toContainEqual({ what: "pulled", value })
    expect(tools.received).toHaveLength(5)
  })

  it("finds a record that moved to the next page twice, so that none is lost", async () => {
    tools.store = records(1, 900).toReversed()
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = records(1, 901).toReversed()
      return undefined
    }
    const { rows } = await pulled({ ...offset, source: offset.source.replace("limit: 1000", "limit: 300") })
    expect(rows).toHaveLength(901)
    expect(new Set(rows)).toEqual(new Set(all(900)))
  })

  it.each([
    ["the same content", 1, "Person 1"],
    ["different content", 1, "Person 1 (edited)"],
  ])("notices that a record was skipped because another one moved to the end, with %s", async (_, id, name) => {
    const source = `request: { path: /kobo, query: { limit: 1000 } }
  page: { link: /next, total: /count }
  records: /results`
    tools.meddle = ({ url }, count) => {
      if (count === 2) tools.store = [...records(2, 2_500), { id, name }]
      // The column of the row key.
      const start = Number(url.searchParams.get("start") ?? 0)
      const next = start + 1000 < tools.store.length ? `${url.origin}/kobo?start=${start + 1000}` : null
      return { body: { count: tools.store.length, next, results: tools.store.slice(start, start + 1000) } }
    }
    const reading = Effect.flatMap(open(pagings.link.auth, source), readAll)
    expect((await run(Effect.flip(reading))).message).toContain(
      "has 2,500 records according to /count, but sent 2,499 different ones: 1 record has the row key of an earlier record",
    )
    // Without such a move, the numbers are the same.
    tools.meddle = () => ({ body: { count: 3, next: null, results: records(1, 3) } })
    expect((await run(reading)).rows).toHaveLength(3)
  })

  it("notices that a record was skipped because another one moved to the end, if `id` names what identifies a record", async () => {
    const { auth } = pagings.link
    const source = `request: { path: /kobo, query: { limit: 1000 } }
  page: { link: /next, total: /count, id: /_id }
  records: /results`
    tools.meddle = (_, count) => {
      // An edit moves the first record to the end, and the one after the first page to that page.
      if (count % 3 === 2) {
        const [first, ...others] = tools.store
        tools.store = [...others, { id: first?.id ?? 0, name: `Person (edited ${count})` }]
      }
      return undefined
    }
    expect((await failure({ auth, source })).message).toMatch(
      /has 2,500 records according to \/count, but sent 2,499\. Nothing was imported\./,
    )
  })

  it("stores a record once that is on two pages, if `id` names what identifies a record", async () => {
    const { auth } = pagings.link
    const source = (id: string) =>
      `request: { path: /kobo, query: { limit: 1000 } }
  page: { link: /next, total: /count, id: ${id} }
  records: /results`
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = [...records(2_501, 2_501), ...records(1, 2_500)]
      return undefined
    }
    // The new record is at the beginning, so it is missing from the first attempt.
    const { rows } = await pulled({ auth, source: source("/_id") })
    expect(rows.toSorted()).toEqual(all(2_501).toSorted())
    expect((await failure({ auth, source: source("/uuid") })).message).toContain("sent a record without /uuid")
  })

  it("repeats the last second of a page, for a tool that can only select records from a time on", async () => {
    // Three records a second, and pages of 100 records.
    const start = Date.UTC(2026, 0, 1)
    tools.store = records(1, 250).map((record) => ({ ...record, at: start + Math.floor(record.id / 3) * 1000 }))
    const source = `request: { path: /dated, query: { limit: 100, since: "{cursor}" } }
  page: { last: /updated_at, id: /id, total: { remaining: /total }, end: { at: /pages, is: [0, 1] } }
  records: /items`
    const { rows } = await pulled({ auth: pagings.number.auth, source })
    expect(rows.map((row) => Number(row.split(" ")[0]))).toEqual(tools.store.map(({ id }) => id))
    expect(tools.received).toHaveLength(3)
  })

  it("reads a header once that each page of cells repeats, and refuses it if pages are found by `{offset}`", async () => {
    const cells = [["id", "name"], ["1", "Ada"], ["2", "Bo"], ["3", "Cy"]]
    tools.meddle = ({ url }) => {
      const from = Number(url.searchParams.get("page") ?? 0) * 2 + Number(url.searchParams.get("offset") ?? 0)
      return { body: { rows: [cells[0], ...cells.slice(1 + from, 3 + from)] } }
    }
    const source = `request: { path: /cells, query: { page: "{number}" } }
  page: { number: 0 }
  records: /rows`
    expect((await pulled({ auth: link.auth, source })).rows).toEqual(["1 Ada", "2 Bo", "3 Cy"])
    const byOffset = source.replace('page: "{number}"', 'offset: "{offset}"').replace("number: 0", "offset: 0")
    expect((await failure({ auth: link.auth, source: byOffset })).message).toContain("repeats its header in each page")
  })

  it.each([
    "ERROR: something secretpath",
    '{"error":"secretpath, and more"}',
    "You can't read this secretpath",
    "error - secretpath\nline 2, and more",
  ])("refuses a text instead of a table without showing it: %s", async (body) => {
    tools.meddle = () => ({ body })
    const error = await failure(pagings["a single answer"])
    expect(error.message).toContain("sent a text that is probably an error, although the status means success.")
    expect(error._tag).toBe("ConnectionUnusable")
  })

  it.each(["id,name\n1,Error: x\n", "error-code,id,name\n1,1,Ada\n", '[{"id":1,"error":"x","name":"Ada"}]', "id\n1\n"])(
    "reads a file that mentions errors: %s",
    async (body) => {
      tools.meddle = () => ({ body })
      expect((await pulled(pagings["a single answer"])).rows).toHaveLength(1)
    },
  )

  it.each([
    ["a name and a password", (host: string) => `http://user:tok_1@${host}/kobo`, "sent an address with a user name"],
    ["plain http", () => "http://kf.internal/kobo?tok_1", "Ask the tool's administrator to correct the server's own"],
    ["a different host", () => "https://elsewhere.example/tok_1", "Correct `base` of the connection."],
  ])("says what to do about a next page whose address has %s", async (_, next, message) => {
    const { host } = new URL(tools.base)
    tools.meddle = () => ({ body: { results: [{ id: 1 }], count: 2, next: next(host) } })
    expect((await failure(link)).message).toContain(message)
    expect(tools.received).toHaveLength(1)
  })

  it("repeats a request that is answered with 304", async () => {
    tools.meddle = (_, count) => count === 1 ? { status: 304 } : undefined
    expect((await pulled(link)).rows).toHaveLength(2_500)
  })

  it("repeats a request whose answer ends early although the connection ends cleanly", async () => {
    const whole = Buffer.from(JSON.stringify({ count: 1, next: null, results: [{ id: 1, name: "Ä" }] }))
    for (const bytes of [whole.length - 1, whole.length - 6, 1]) {
      tools.received.length = 0
      tools.meddle = (_, count) => ({ body: count === 1 ? whole.subarray(0, bytes) : whole })
      expect((await pulled(link)).rows).toEqual(["1 Ä"])
      expect(tools.received).toHaveLength(2)
    }
  })

  it.each([400, 404, 410, 422])(
    "says that the cursor has expired if a page after the first one is refused with %d",
    async (status) => {
      tools.meddle = (_, count) => count === 2 ? { status } : undefined
      const error = await failure(cursor)
      expect(error.message).toContain(
        `refused page 2 (${status}), but not the pages before it: the cursor has probably expired. Nothing was imported. Run again.`,
      )
      expect(error._tag).toBe("ConnectionUnusable")
    },
  )

  it("does not name a cursor if a later page is refused that has none, and repeats a 425", async () => {
    tools.meddle = (_, count) => count === 2 ? { status: 422 } : undefined
    expect((await failure(offset)).message).toContain("refused page 2 (422), but not the pages before it. Nothing")
    tools.received.length = 0
    tools.meddle = (_, count) => count === 2 ? { status: 425 } : undefined
    expect((await pulled(offset)).rows).toEqual(all(2_500))
  })

  it("ends after 1,000 consecutive pages without records", async () => {
    const { file } = await run(load(cursor.auth, cursor.source))
    const pages = pager(file as Pull, {})
    const take = (at: number, records: ReadonlyArray<Json> = []) =>
      pages.take({ records, offset: `itr/${at}` }, new Headers(), new URL(tools.base))
    for (let at = 1; at < 1_000; at++) take(at)
    take(1_000, [{ id: 1 }])
    for (let at = 1_001; at < 2_000; at++) take(at)
    expect(() => take(2_000)).toThrow("sent 1,000 pages in a row without records")
  })

  it("writes spaces and other characters of parameters so that every server reads them", async () => {
    const source = link.source.replace("limit: 1000", 'limit: 2500, filter: "a b+c&d"')
    expect((await pulled({ ...link, source })).rows).toHaveLength(2_500)
    expect(tools.received[0]?.url.search).toContain("filter=a%20b%2Bc%26d")
  })

  it("sends numbers and booleans of parameters as written", async () => {
    const more = "id: 0123, version: 1.10, large: 9007199254740993, all: True"
    const source = link.source.replace("limit: 1000", `limit: 2500, ${more}`)
    expect((await pulled({ ...link, source })).rows).toHaveLength(2_500)
    expect(Object.fromEntries(tools.received[0]!.url.searchParams))
      .toMatchObject({ id: "0123", version: "1.10", large: "9007199254740993", all: "True" })
  })

  it("fails if the secret is missing, before it sends a request", async () => {
    const error = await failure({ ...link, auth: link.auth.replace("TOOL_TOKEN", "NO_TOKEN") })
    expect(error.message).toContain("NO_TOKEN is not set: the secret of tool is missing.")
    expect(tools.received).toHaveLength(0)
  })

  it("repeats a request that takes too long", async () => {
    tools.meddle = (_, count) => count === 1 ? "silent" : undefined
    const opened = await run(Effect.flatMap(open(link.auth, link.source, { more: ", timeout: 500 millis" }), readAll))
    expect(opened.rows).toHaveLength(2_500)
  })
})

describe("a pipeline file", () => {
  it.each([
    [
      "a variable without a page",
      `request: { path: /x, query: { o: "{offset}" } }`,
      "`{offset}` in `request` has no value.",
    ],
    [
      "a page without its variable",
      "request: { path: /x }\n  page: { number: 1 }",
      "`request` doesn't contain `{number}`, so every page would be the first one.",
    ],
    ["a connection without a request", "format: csv", "`connection` also needs `request`"],
    [
      "two ways to page",
      'request: { path: /x, query: { o: "{offset}" } }\n  page: { offset: 0, link: /next }',
      "`link` can't be used together with `offset`",
    ],
    [
      "pages of a table",
      "request: { path: /x }\n  page: { link: /next }\n  format: csv",
      "`page` and `success` are for answers in JSON, not `csv`.",
    ],
    [
      "a secret in a header",
      "request: { path: /x, headers: { Authorization: tok_1 } }",
      "`Authorization` can't be a key of `headers`.",
    ],
    [
      "a header that can't be sent",
      'request: { path: /x, headers: { X-Name: "Zoë ✓" } }',
      "`X-Name` expects a text of Latin letters, digits and punctuation, not `Zoë ✓`.",
    ],
    [
      "the age of a pull",
      "request: { path: /x }\n  maxAge: 3 days",
      "`maxAge` can't be used together with `connection`",
    ],
  ])("with %s is refused", async (_, source, message) => {
    expect((await failure({ auth: `{ bearer: ${secret} }`, source })).message).toContain(message)
  })

  it("may have each example of the documentation", async () => {
    const text = ["pull", "requests", "presets"].map((page) =>
      readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), "utf8")
    ).join("\n")
    const blocks = [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => text)
    const connections = blocks.filter((text) => text.startsWith("connections:"))
    const sources = blocks.filter((text) => text.startsWith("source:"))
    expect(Math.min(connections.length, sources.length)).toBeGreaterThan(3)
    /** Loads a pipeline with a connection and a source as the page shows them. */
    const loaded = (connection: string, source: string) => {
      writeFileSync(
        join(root, "config/formferry.yaml"),
        `services: { practice: { practice: { forms: forms } } }\n${connection}`,
      )
      writeFileSync(
        join(root, "pipelines/people.yaml"),
        `pipeline: people\n${source}mapping: { questions: [{ name: Name, from: name }] }\nsink: { service: practice, form: f }\n`,
      )
      return run(loadProject(root))
    }
    for (const connection of connections) await loaded(connection, "source: { file: people.csv }\n")
    for (const source of sources) {
      const name = /connection: ([\w-]+)/.exec(source)?.[1]
      // The connection that the page shows above this source, or one that it doesn't show.
      const shown = blocks.slice(0, blocks.indexOf(source))
        .findLast((text) => text.startsWith("connections:") && text.includes(`  ${name}:`))
      const { pipelines } = await loaded(
        shown ?? `connections: { ${name}: { base: https://api.example.org } }\n`,
        source,
      )
      expect(pipelines.get("people")?.source.file).toMatchObject({ account: { name } })
    }
  })

  it("loses nothing with the documentation's KoboToolbox example if a record is deleted and one arrives", async () => {
    const page = readFileSync(new URL("../../../docs/requests.md", import.meta.url), "utf8")
    const [, keys = ""] = /^source:\n {2}connection: kobo\n([^]*?) {2}rowKey/m.exec(page) ?? []
    tools.meddle = (_, count) => {
      if (count === 2) tools.store = [...records(2, 2_500), ...records(2_501, 2_501)]
      return undefined
    }
    const { rows } = await pulled({ ...link, source: keys.replace("/assets/aBc123/data/", "/kobo").trim() })
    expect(rows).toEqual(expect.arrayContaining(all(2_500).slice(1)))
  })

  it("with an unknown connection is refused", async () => {
    const error = await run(Effect.gen(function*() {
      yield* load(link.auth, link.source)
      writeFileSync(
        join(root, "pipelines/people.yaml"),
        readFileSync(join(root, "pipelines/people.yaml"), "utf8").replace("connection: tool", "connection: toll"),
      )
      return yield* Effect.flip(loadProject(root))
    }))
    expect(error.message).toContain("config/formferry.yaml has no connection `toll`.")
    expect(error.message).toContain("Did you mean `tool`?")
  })

  it("with a secret in an address or a path is refused without showing it", async () => {
    const { auth, source } = link
    await failure({ auth, source: source.replace("path: /", "path: /x?key=tok_literal&") })
    await failure({ auth, source }, { more: `, base: "https://ada:tok_literal@example.org"` })
    await failure({ auth, source }, { more: `, timeout: "https://example.org/?k=tok_literal"` })
  })

  it("with a secret instead of its place is refused without showing it", async () => {
    const message = (await failure({ auth: "{ bearer: tok_literal }", source: link.source })).message
    expect(message).toContain("expects { env: NAME } or { file: PATH }")
    await failure({ auth: "{ query: { apiKey: tok_literal } }", source: link.source })
    await failure({ auth: "{ header: { name: X-Key, value: tok_literal } }", source: link.source })
  })
})
