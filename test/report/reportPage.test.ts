import fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { RunReport } from "../../src/domain/report.ts"
import { html, webLink } from "../../src/report/html/markup.ts"
import { entryText, reportPage } from "../../src/report/html/reportPage.ts"
import { exampleReport } from "./exampleReport.ts"

const pageOf = (report: RunReport, written = files, attention = { total: 3, shown: 3, listed: new Set<string>() }) => {
  const { before, after } = reportPage(report, written, attention)
  return before + after
}

const files = [{ name: "rejected.csv", rows: 2, holds: "" }, { name: "differences.csv", rows: 1, holds: "" }]

/** Returns a report with `text` in every place that may contain text from a file or a service. */
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
    findings: report.findings.map((finding) => ({
      ...finding,
      question: text,
      name: text,
      pattern: text,
      note: text,
      tolerated: text,
      examples: finding.examples.map((one) => ({
        ...one,
        key: text,
        submissionId: text,
        sent: text,
        returned: [text],
        editLink: text,
      })),
    })),
    normalised: report.normalised.map(() => ({
      question: text,
      name: text,
      what: text,
      count: 1,
      example: { row: 1, submissionId: text, sent: text, returned: [text] },
    })),
    inDoubt: [{ reason: text, count: 1, acknowledged: 0, fresh: 1, firstSentAt: text, lastSentAt: text }],
    settled: [{
      at: text,
      by: text,
      because: text,
      file: { name: text, sha256: text, isComplete: true },
      landed: 1,
      notLanded: 1,
    }],
    discarded: [{ type: text, count: 1 }],
    questions: report.questions.map((question) => ({ ...question, id: text, name: text, kind: text })),
    mapping: report.mapping?.map((one) => ({
      ...one,
      columns: one.columns.map(() => text),
      question: text,
      name: text,
      values: one.values.map(() => ({ cell: text, answer: text })),
    })),
    samples: report.samples?.map((one) => ({
      ...one,
      key: text,
      submissionId: text,
      columns: one.columns.map(() => text),
      cells: one.cells.map(() => text),
      question: text,
      name: text,
      sent: text,
      returned: [text],
    })),
    zone: text,
    warnings: [text],
    versions: { formferry: text, node: text },
    fingerprints: { mapping: text, form: text },
  })
}

/** Returns the names of a page's tags and of their attributes. */
const tagsOf = (page: string) =>
  [...page.matchAll(/<([a-z!/][^\s>]*)((?:[^>"]|"[^"]*")*)>/gi)].map(([, name, rest]) =>
    `${name} ${[...(rest ?? "").matchAll(/([a-z:-]+)="/gi)].map(([, attribute]) => attribute).join(" ")}`
  )

describe("report.html", () => {
  it("the page shows how the run ended, its balance, problems, differences, files and settings", () => {
    const page = pageOf(exampleReport(), files)
    for (
      const text of [
        "Rows need review",
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

  it("the page shows the mapping, its translations, and rows side by side", () => {
    const page = pageOf(exampleReport())
    const part = (id: string) => new RegExp(`<section id="${id}"[^]*?</section>`).exec(page)?.[0] ?? ""
    const text = (markup: string) => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
    expect(text(part("mapping"))).toContain(
      "Sex Sex M → Male unknown → nothing and 60 more DOB Date of birth ",
    )
    expect(text(part("samples"))).toContain("row 4, key K-00004 , submission sub4 source sent returned")
    expect(text(part("samples"))).toContain(
      "DOB 31.12.1990 Date of birth 1990-12-31 same 1990-12-31 Country code +49 Phone 30 123 Phone +4930123",
    )
    const [sample] = exampleReport().samples ?? []
    const dry = pageOf(exampleReport({
      mode: "dry-run",
      samples: sample && [{ ...sample, submissionId: undefined, returned: undefined, verdict: undefined }],
    }))
    expect(dry).toContain('<th scope="col">sent</th></tr>')
    // Long titles are truncated, and long lists are folded.
    const long = "x".repeat(800)
    const values = Array.from({ length: 50 }, (_, at) => ({ cell: `c${at}`, answer: `a${at}` }))
    const folded = pageOf(exampleReport({
      samples: [],
      mapping: [{ columns: [long], question: "q", name: long, values, translated: 1_050 }],
    }))
    expect(folded).not.toContain("x".repeat(161))
    expect(folded).toContain("<details><summary>and 1,044 more</summary>")
    expect(folded).toContain("and 1,000 more")
    expect(folded).not.toContain('id="samples"')
  })

  it("the page shows times in the pipeline's zone, and steps that add up", () => {
    const page = pageOf(exampleReport())
    expect(page).toContain("Sat 2025-03-01 03:00 +01:00")
    expect(page).toContain("1m 5s (survey 3s, canary 2s, import 1m)")
    expect(page).toContain("Europe/Berlin")
    expect(page).not.toMatch(/T\d\d:\d\d:\d\d/)
    expect(pageOf(exampleReport({ phases: [], zone: "UTC" }))).toContain("<dd>1m 5s</dd>")
  })

  it("the page reports an incorrect balance", () => {
    expect(pageOf(exampleReport({ balance: { holds: false } }), files)).toContain("the counts do not add up")
  })

  it("the page has the same tags and attributes for any values of a run", () => {
    const plain = tagsOf(pageOf(hostile("plain"), files))
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
          expect(tagsOf(pageOf(hostile(text), files))).toEqual(plain)
        },
      ),
      { seed: 11, numRuns: 150 },
    )
  })

  it("the page's policy allows only its own script and styles, and its markup loads nothing", () => {
    const page = pageOf(exampleReport(), files)
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ""
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? ""
    expect(policy).toContain("default-src 'none'")
    const script = /<script>([^]*?)<\/script>/.exec(page)?.[1] ?? ""
    expect(script).toContain("attention-data")
    expect(policy).toContain(`script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`)
    expect(policy).toContain(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    expect(policy).not.toContain("unsafe")
    expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"))
    // Apart from the script that the policy allows, there is only data, which no browser runs.
    expect([...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="application/json" id="attention-data">',
      "<script>",
    ])
    expect(page.replace(script, "")).not.toMatch(/ style=| on[a-z]+=|<link|<img|url\(|@import/i)
  })

  it("the table of rows shows each word in the tone that it has elsewhere, and a tolerated difference as calm", () => {
    const tones: unknown = JSON.parse(/const tones = (.*);/.exec(pageOf(exampleReport(), files))?.[1] ?? "")
    expect(tones).toMatchObject({
      invalid: "warn",
      refused: "bad",
      unread: "warn",
      different: "bad",
      "different, tolerated": "calm",
    })
  })

  it("the page has styles for light and dark screens and for print", () => {
    const page = pageOf(exampleReport(), files)
    expect(page).toContain("prefers-color-scheme: dark")
    expect(page).toContain("@media print")
  })

  it("the page counts all differences, and links to their file", () => {
    const page = pageOf(exampleReport(), [{ name: "differences.csv", rows: 5000, holds: "" }])
    expect(page).toContain("5,000 differences in 1 finding")
    expect(page).toContain('href="differences.csv"')
  })

  it("the page states the result in one sentence", () => {
    expect(pageOf(exampleReport())).toContain(
      "Of 1,012 rows that were read, 1,006 were imported (1,005 verified and 1 differing); the others: 3 skipped on purpose, 1 duplicate and 2 invalid.",
    )
  })

  it("the page marks a rehearsal, dry run or reconciliation at the top and in the title", () => {
    const rehearsal = pageOf(exampleReport({ mode: "rehearsal" }))
    expect(rehearsal).toContain("<title>REHEARSAL: contacts")
    expect(rehearsal.indexOf("Nothing was sent to the form")).toBeLessThan(rehearsal.indexOf("<h1>"))
    expect(pageOf(exampleReport())).not.toContain("REHEARSAL")
  })

  it("the page lists its contents", () => {
    expect(pageOf(exampleReport())).toContain("<strong>Personal data.</strong>")
    expect(pageOf(exampleReport({ values: "masked" }))).toContain("<strong>Masked.</strong>")
  })

  it("the page contains data that can't end its script element, for any values", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("<", "/", "script", ">", "!", "-", "\u2028", '"', "\\", "&") }),
        (text) => {
          const entry = {
            row: 1,
            key: text,
            what: text,
            where: text,
            detail: text,
            submissionId: text,
            editLink: text,
          }
          const written = entryText(entry)
          expect(written).not.toContain("<")
          expect(JSON.parse(written)).toEqual(Object.values(entry))
        },
      ),
      { seed: 12, numRuns: 200 },
    )
  })
})

describe("the page's markup", () => {
  it("markup escapes values but not tags, and omits absent content", () => {
    expect(html`<p title="${'"'}">${"<"}${html`<b>${"&"}</b>`}${undefined}${false}${[1, "'"]}</p>`.text)
      .toBe('<p title="&quot;">&lt;<b>&amp;</b>1&#39;</p>')
  })

  it("markup links only to web addresses", () => {
    expect(webLink("https://a.example/?x=1&y=2", "edit").text).toContain('href="https://a.example/?x=1&amp;y=2"')
    for (const address of ["javascript:alert(1)", " https://x", "data:text/html,x", "//x", "file:///etc"]) {
      expect(webLink(address, "edit").text).not.toContain("href")
    }
  })
})
