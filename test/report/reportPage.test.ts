import fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { html, webLink } from "../../src/report/html/markup.ts"
import { reportPage } from "../../src/report/html/reportPage.ts"
import { exampleReport } from "./exampleReport.ts"

const files = [{ name: "rejected.csv", rows: 2 }, { name: "differences.csv", rows: 1 }]

/** A report that holds `text` wherever a run could bring a text in. */
const hostile = (text: string) => {
  const report = exampleReport()
  return exampleReport({
    pipeline: text,
    run: text,
    form: { service: text, id: text, name: text },
    startedAt: text,
    because: [text],
    next: text,
    ledger: { id: text, lastIntent: 1 },
    sources: report.sources.map((source) => ({
      ...source,
      file: text,
      format: text,
      taken: [{ what: text, value: text }],
    })),
    problems: report.problems.map((group) => ({
      ...group,
      column: text,
      question: text,
      examples: [{ row: 1, value: text, message: text }, { row: 2, value: text, message: "" }],
    })),
    differences: report.differences.map((one) => ({
      ...one,
      key: text,
      submissionId: text,
      question: text,
      name: text,
      sent: text,
      returned: [text],
      editLink: text,
    })),
    discarded: [{ type: text, count: 1 }],
    questions: report.questions.map((question) => ({ ...question, id: text, name: text, kind: text })),
    warnings: [text],
    versions: { formferry: text, node: text },
    fingerprints: { mapping: text, form: text },
  })
}

/** Names of the tags in a page, and of their attributes. */
const tagsOf = (page: string) =>
  [...page.matchAll(/<([a-z!/][^\s>]*)((?:[^>"]|"[^"]*")*)>/gi)].map(([, name, rest]) =>
    `${name} ${[...(rest ?? "").matchAll(/([a-z:-]+)="/gi)].map(([, attribute]) => attribute).join(" ")}`
  )

describe("report.html", () => {
  it("says how the run ended, the balance, problems, differences, files and settings", () => {
    const page = reportPage(exampleReport(), files)
    for (
      const text of [
        "Rows need a person",
        "2 rows are invalid and were not sent.",
        "1,006",
        "the balance holds",
        "not-a-date",
        "31.02.1990",
        "+49 30 123",
        'href="https://forms.example/edit/sub5"',
        'href="rejected.csv"',
        "windows-1252",
        "Hologram",
        "The file ends without a line end.",
        "1m 5s",
        "led-1",
      ]
    ) expect(page).toContain(text)
  })

  it("says so when the balance does not hold", () => {
    expect(reportPage(exampleReport({ balance: { holds: false } }), files)).toContain("the balance does not hold")
  })

  it("has the same tags and attributes whatever a run brings in", () => {
    const plain = tagsOf(reportPage(hostile("plain"), files))
    expect(plain.length).toBeGreaterThan(100)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom(
            "<script>alert(1)</script>",
            '"><img src=x onerror=alert(1)>',
            "' onmouseover='x",
            "</title><svg/onload=x>",
            "</style><style>*{}",
            "javascript:alert(1)",
            "<!--",
            "]]>",
            "&lt;b&gt;",
            "`",
            "\u202Eevil",
            "\u0000<b",
            "data:text/html,<b>",
          ),
          fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "/", "=", "`", "a", " ", "\n") }),
        ).filter((text) => text !== ""),
        (text) => {
          expect(tagsOf(reportPage(hostile(text), files))).toEqual(plain)
        },
      ),
      { seed: 11, numRuns: 150 },
    )
  })

  it("lets nothing run or load: a policy that names its own styles by digest, no inline styles, no address but links", () => {
    const page = reportPage(exampleReport(), files)
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ""
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'none'")
    expect(policy).toContain(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    expect(policy).not.toContain("unsafe")
    expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"))
    expect(page).not.toMatch(/ style=| on[a-z]+=|<script|<link|<img|url\(|@import/i)
  })

  it("is readable in light, in dark and on paper", () => {
    const page = reportPage(exampleReport(), files)
    expect(page).toContain("prefers-color-scheme: dark")
    expect(page).toContain("@media print")
  })

  it("shows all of the page's differences and points to the file for the rest", () => {
    expect(reportPage(exampleReport(), [{ name: "differences.csv", rows: 5000 }])).toContain(
      "The first 1 of 5,000 differences.",
    )
  })
})

describe("markup", () => {
  it("escapes values, not markup, and leaves out what is not there", () => {
    expect(html`<p title="${'"'}">${"<"}${html`<b>${"&"}</b>`}${undefined}${false}${[1, "'"]}</p>`.text)
      .toBe('<p title="&quot;">&lt;<b>&amp;</b>1&#39;</p>')
  })

  it("links to the web only", () => {
    expect(webLink("https://a.example/?x=1&y=2", "edit").text).toContain('href="https://a.example/?x=1&amp;y=2"')
    for (const address of ["javascript:alert(1)", " https://x", "data:text/html,x", "//x", "file:///etc"]) {
      expect(webLink(address, "edit").text).not.toContain("href")
    }
  })
})
