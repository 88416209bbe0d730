import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import Papa from "papaparse"
import { parseForm } from "../../src/practice/files.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { cellOf } from "../../src/practice/results.ts"
import { submitted } from "./filled.ts"
import { form } from "./forms.ts"

/** Sends a GET as a browser does. @param host the name of the service in the request */
const get = (address: string, host?: string) =>
  Effect.async<{ readonly status: number; readonly headers: Record<string, unknown>; readonly body: string }>(
    (resume) => {
      const url = new URL(address)
      request({
        host: url.hostname,
        port: url.port,
        path: url.pathname + url.search,
        headers: { host: host ?? url.host },
      }, (answer) => {
        let body = ""
        answer.setEncoding("utf8")
        answer.on("data", (chunk: string) => (body += chunk))
        answer.on(
          "end",
          () => resume(Effect.succeed({ status: answer.statusCode ?? 0, headers: answer.headers, body })),
        )
      }).end()
    },
  )

it.scopedLive("the results CSV has a line for each submission, with every cell that was sent", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0 })
    const ids = yield* submitted(practice)
    const { body, headers, status } = yield* get(`${practice.results}/f1/csv`)
    expect(status).toBe(200)
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8")
    expect(headers["content-disposition"]).toBe(`attachment; filename="f1-results.csv"`)
    const [titles, ...lines] = Papa.parse<Array<string>>(body, { skipEmptyLines: true }).data
    expect(titles).toEqual([
      "Submission ID",
      "Submission time",
      "Last updated",
      "Name",
      "Colour",
      "Sum",
      "Booking",
      "Fee",
      "legacy_id",
      "undeclared",
      "Login",
    ])
    expect(lines.map(([id]) => id)).toEqual(ids)
    expect(lines[0]?.slice(1)).toEqual([
      "2020-02-03T02:05:06.000Z",
      "2020-02-03T02:05:06.000Z",
      'Ada "the first", Countess\r\n=1+1',
      "r",
      "",
      "",
      JSON.stringify({ paymentId: "x", totalAmount: 12.5 }),
      "007",
      "",
      "ada@example.org",
    ])
    expect(lines[1]?.slice(8)).toEqual(["", "yes", ""])
  }))

it.scopedLive("the results page filters rows, and shows them page by page", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0 })
    yield* submitted(practice, 240)
    const rows = (query: string) =>
      Effect.map(
        get(`${practice.results}/f1/rows?${query}`),
        ({ body }) => JSON.parse(body) as { rows: ReadonlyArray<ReadonlyArray<string>>; fitting: number; all: number },
      )
    const first = yield* rows("")
    expect([first.rows.length, first.fitting, first.all]).toEqual([100, 242, 242])
    const last = yield* rows("page=2")
    expect(last.rows.length).toBe(42)
    expect(last.rows.at(-1)?.[3]).toBe("person 239")
    const found = yield* rows("filter=PERSON%20123")
    expect(found.rows.map((row) => row[3])).toEqual(["person 123"])
    expect([found.fitting, found.all]).toEqual([1, 242])
    const forms = yield* get(`${practice.results}?forms`)
    expect(JSON.parse(forms.body)).toEqual([{ id: "f1", name: "Contacts", submissions: 242 }])
  }))

const pages = ["", "/f1", "/f1/csv", "/f1/rows", "?forms"]

it.scopedLive("the results page and its download show nothing without the token of this process", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0 })
    const other = yield* serve({ forms: [form], port: 0 })
    yield* submitted(practice)
    const { origin } = new URL(practice.baseUrl)
    const token = practice.results.slice(`${origin}/results/`.length)
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(other.results).not.toContain(token)
    for (const page of pages) {
      expect((yield* get(practice.results + page)).status, page).toBe(200)
      for (const guess of ["", "/", `/${token.slice(1)}`, `/${token}0`, "/f1", `/${"0".repeat(32)}`]) {
        const refused = yield* get(`${origin}/results${guess}${page}`)
        expect([guess, refused.status]).toEqual([guess, 403])
        expect(refused.body).not.toMatch(/Ada|Contacts|Submission ID/)
      }
    }
    const root = yield* get(`${origin}/`)
    expect(root.body).not.toMatch(/f1|Contacts/)
    expect(root.body).not.toContain(token)
    for (const path of ["/none", "/f1/other", "/f1/csv/more"]) {
      expect((yield* get(practice.results + path)).status, path).toBe(404)
    }
    const page = yield* get(practice.results)
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'")
    expect(page.headers["content-security-policy"]).not.toContain("unsafe")
    // Requests under the interface's path need the API key. The token is not accepted instead.
    expect((yield* get(`${practice.baseUrl}/forms/f1`)).status).toBe(400)
  }))

it.scopedLive("any request with a different host's name gets an empty answer", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0 })
    yield* submitted(practice)
    const { origin, port } = new URL(practice.baseUrl)
    const addresses = [`${origin}/`, `${practice.baseUrl}/forms/f1`, ...pages.map((page) => practice.results + page)]
    for (const address of addresses) {
      expect((yield* get(address, `localhost:${port}`)).status, address).not.toBe(421)
      for (
        const host of [
          "rebound.example",
          `rebound.example:${port}`,
          "127.0.0.1",
          `127.0.0.1:${Number(port) + 1}`,
          "localhost",
        ]
      ) {
        const refused = yield* get(address, host)
        expect([host, refused.status, refused.body]).toEqual([host, 421, ""])
      }
    }
  }))

it.effect("questions with the same name have separate columns in the results, in the form's order", () =>
  Effect.gen(function*() {
    const { resultsTable } = yield* Effect.promise(() => import("../../src/practice/results.ts"))
    const twins = yield* parseForm(
      "twins.yaml",
      "id: t\nname: T\nquestions: [{ id: a, name: Why? }, { id: b, name: Why? }]\n",
    )
    const json = JSON.stringify({
      submissionId: "s1",
      submissionTime: "t1",
      lastUpdatedAt: "t2",
      questions: [{ id: "a", value: "first" }, { id: "b", value: ["x", "y"] }],
      calculations: [],
      urlParameters: [],
      scheduling: [],
      payments: [],
    })
    expect(resultsTable(twins, [{ id: "s1", time: 0, json }])).toEqual({
      titles: ["Submission ID", "Submission time", "Last updated", "Why?", "Why?"],
      rows: [["s1", "t1", "t2", "first", "x, y"]],
    })
  }))

it("the results table shows every kind of value as text", () => {
  expect(cellOf(null)).toBe("")
  expect(cellOf("as it is\n")).toBe("as it is\n")
  expect(cellOf(12.5)).toBe("12.5")
  expect(cellOf(false)).toBe("false")
  expect(cellOf(["a", "b, c"])).toBe("a, b, c")
  expect(cellOf([{ url: "https://x/1", filename: "1" }, { url: "https://x/2", filename: "2" }])).toBe(
    "https://x/1, https://x/2",
  )
  expect(cellOf({ city: "Öhringen", zipCode: "74613" })).toBe('{"city":"Öhringen","zipCode":"74613"}')
})
