import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { visible } from "../../src/domain/visible.ts"
import { isLong } from "../long.ts"
import { exampleReport } from "../report/exampleReport.ts"
import { accessibility, launch, open, picture, tooWide, type Watched, withoutBrowser } from "./browser.ts"
import { realReports } from "./realRuns.ts"
import { attacks, manyRows, writeReport } from "./reports.ts"

let browser: Browser | undefined
beforeAll(async () => {
  if (!withoutBrowser) browser = await launch()
})
afterAll(async () => {
  await browser?.close()
})

/** Expects that the page logged nothing, requested nothing, and ran no forbidden script. */
const isQuiet = async ({ noise, page, requests }: Watched) => {
  expect(noise).toEqual([])
  expect(requests).toEqual([])
  expect(await page.evaluate("window.attacked")).toBeUndefined()
}

/** Returns the duration of the slowest interaction in the page, layout included, in milliseconds. */
const slowest = (page: Page, steps: ReadonlyArray<string>): Promise<number> =>
  page.evaluate(
    `(() => {
      const search = document.getElementById("attention-search")
      const what = document.getElementById("attention-what")
      const type = (text) => { search.value = text; search.dispatchEvent(new Event("input")) }
      const choose = (index) => { what.selectedIndex = index; what.dispatchEvent(new Event("change")) }
      const sort = (column) => document.querySelectorAll("#attention-table .sort")[column].click()
      const turn = (to) => document.getElementById("attention-" + to).click()
      const times = [${
      steps.map((step) =>
        `(() => {
        const before = performance.now()
        ${step}
        document.body.getBoundingClientRect().height
        return performance.now() - before
      })()`
      ).join(",")
    }]
      return Math.max(...times)
    })()`,
  )

/**
 * Measures newly opened pages, so that one-time work is counted. Other work on the machine can only add time, so the
 * best of up to four pages counts.
 */
const slowestOfFresh = async (page: Page): Promise<number> => {
  let best = Infinity
  for (let round = 0; round < 4 && best >= limit; round++) {
    await page.reload()
    best = Math.min(best, await slowest(page, interactions))
  }
  return best
}

/** Pages that two tests open. Each is written only once. */
const written = new Map<string, Promise<string>>()
const pageOf = (name: string, content: () => Parameters<typeof writeReport>[0]): Promise<string> => {
  const known = written.get(name) ?? writeReport(content())
  written.set(name, known)
  return known
}

/** The maximum time of a filter or sort, in milliseconds. */
const limit = 200

const interactions = [
  `type("k-000")`,
  `type("k-0001 not a date")`,
  `sort(0)`,
  `sort(1)`,
  `sort(1)`,
  `sort(4)`,
  `type("")`,
  `sort(3)`,
  `choose(1)`,
  `choose(0)`,
  `sort(2)`,
  `sort(5)`,
  `turn("last")`,
  `turn("previous")`,
  `type("no such thing anywhere")`,
  `type("")`,
]

describe.skipIf(withoutBrowser)("report.html in Chromium", { timeout: 180_000 }, () => {
  it.runIf(isLong)(
    "shows a clean run and its rehearsal accessibly and without console messages, and marks the rehearsal",
    () =>
      realReports(async ({ rehearsal, run }) => {
        for (const dark of [false, true]) {
          const watched = await open(browser, run, { dark })
          await isQuiet(watched)
          expect(await accessibility(watched.page)).toEqual([])
          expect(await watched.page.locator("#rows, .mark").count()).toBe(0)
          expect(await watched.page.textContent("header .sentence")).toBe(
            "Of 100 rows that were read, 100 were imported (all 100 are verified).",
          )
          expect(await watched.page.locator("svg.chart").count()).toBe(2)
          await picture(watched.page, `clean-${dark ? "dark" : "light"}`)
          // Three rows are shown next to each other, even on a phone, and only the first is open.
          expect(
            await watched.page.locator("#samples details").evaluateAll((all) =>
              all.map((one) => one.matches("[open]"))
            ),
          )
            .toEqual([true, false, false])
          expect(await watched.page.locator("#samples details").first().locator("th").allTextContents())
            .toEqual(["source", "sent", "returned"])
          await watched.page.setViewportSize({ width: 380, height: 900 })
          await watched.page.locator("#samples summary").last().click()
          expect(await watched.page.evaluate(tooWide)).toEqual([])
          expect(
            await watched.page.locator("#mapping .wide, #samples .wide").evaluateAll((all) =>
              all.filter((one) => one.scrollWidth > one.clientWidth + 1).length
            ),
          ).toBe(0)
          expect(await accessibility(watched.page)).toEqual([])
          await picture(watched.page, `clean-${dark ? "dark" : "light"}-phone`)
          await watched.page.context().close()

          const rehearsed = await open(browser, rehearsal, { dark })
          await isQuiet(rehearsed)
          expect(await accessibility(rehearsed.page)).toEqual([])
          expect(await rehearsed.page.title()).toContain("REHEARSAL")
          expect(await rehearsed.page.textContent(".mark")).toContain("Nothing was sent to the form")
          await picture(rehearsed.page, `rehearsal-${dark ? "dark" : "light"}`)
          await rehearsed.page.context().close()
        }
      }),
  )

  it.runIf(isLong)("filters and sorts 12,000 rows within 200 ms, and is accessible in dark mode", async () => {
    const address = await writeReport(manyRows(12_000))
    const watched = await open(browser, address)
    const { page } = watched
    expect(await page.textContent("#attention-status")).toBe("1 to 100 of 12,000")
    const took = await slowestOfFresh(page)
    process.stderr.write(`12,000 rows: filtering and sorting took ${took.toFixed(0)} ms at most\n`)
    expect(took).toBeLessThan(limit)

    await page.fill("#attention-search", "k-000010")
    expect(await page.textContent("#attention-status")).toMatch(/^1 to \d+ of \d+ that match, of 12,000$/)
    const found = await page.locator("#attention-table tbody tr").allTextContents()
    expect(found.length).toBeGreaterThan(0)
    expect(found.every((text) => text.includes("K-000010"))).toBe(true)
    await page.click("#attention-clear")

    await page.click("#attention-table th:nth-child(1) button")
    const rows = (await page.locator("#attention-table tbody tr td:first-child").allTextContents())
      .map((text) => Number(text.replaceAll(",", "")))
    expect(rows).toEqual(rows.toSorted((a, b) => a - b))
    expect(await page.getAttribute("#attention-table th:nth-child(1)", "aria-sort")).toBe("ascending")
    await page.click("#attention-table th:nth-child(1) button")
    expect(await page.getAttribute("#attention-table th:nth-child(1)", "aria-sort")).toBe("descending")

    // A finding links to all of its rows, and each row links to the page that edits its submission.
    await page.click("#differences a[data-where=Phone]")
    expect(await page.textContent("#attention-status")).toContain("of 2,000 that match")
    expect(await page.locator("#attention-table tbody a[href^='https://forms.example/edit/']").count()).toBe(100)
    await isQuiet(watched)
    await page.context().close()

    for (const dark of [false, true]) {
      const shown = await open(browser, address, { dark })
      await shown.page.click("#differences a[data-where=Phone]")
      expect(await accessibility(shown.page)).toEqual([])
      await picture(shown.page, `attention-${dark ? "dark" : "light"}`)
      await shown.page.locator("#rows").scrollIntoViewIfNeeded()
      await picture(shown.page, `attention-${dark ? "dark" : "light"}-table`, false)
      await isQuiet(shown)
      await shown.page.context().close()
    }
  })

  it.runIf(isLong)("opens with 50,000 rows and reacts without freezing", async () => {
    const address = await writeReport(manyRows(60_000))
    const before = performance.now()
    const watched = await open(browser, address)
    await watched.page.waitForSelector("#attention:not([hidden])")
    const opened = performance.now() - before
    expect(await watched.page.textContent("#attention-status")).toBe("1 to 100 of 50,000")
    expect(await watched.page.textContent("#rows p")).toContain("60,000 entries. This page contains the first 50,000")
    const took = await slowest(watched.page, interactions)
    process.stderr.write(
      `50,000 rows: open in ${opened.toFixed(0)} ms, filtering and sorting took ${took.toFixed(0)} ms at most\n`,
    )
    expect(opened).toBeLessThan(10_000)
    expect(took).toBeLessThan(1_000)
    await isQuiet(watched)
    await watched.page.context().close()
  })

  it("is accessible, and hides its controls in print", async () => {
    const watched = await open(browser, await writeReport(manyRows(40)))
    expect(await accessibility(watched.page)).toEqual([])
    await watched.page.emulateMedia({ media: "print" })
    expect(await watched.page.locator(".controls, nav").evaluateAll((all) => all.map((one) => one.checkVisibility())))
      .toEqual([false, false])
    await isQuiet(watched)
    await picture(watched.page, "print")
    await watched.page.context().close()
  })

  it.each(isLong ? [false, true] : [true])(
    "shows hostile rows without running, loading or hiding anything (narrow: %s)",
    async (narrow) => {
      const watched = await open(browser, await pageOf("hostile", hostile), narrow ? { width: 380 } : {})
      const { page } = watched
      await isQuiet(watched)
      // Every text is readable, and none became markup.
      expect(await page.locator("#attention-table tbody tr").count()).toBe(attacks.length * 3)
      expect(await page.locator("img, iframe, object, embed, form, svg script, [onerror], [onmouseover]").count()).toBe(
        0,
      )
      const text = await page.textContent("body")
      for (const attack of attacks.filter((one) => /^[ -~]{1,100}$/.test(one))) expect(text).toContain(attack)
      // Invisible characters, and those that change the writing direction, are shown as symbols.
      const unseen = [...text ?? ""].filter((character) => character !== "\n" && visible(character) !== character)
      expect(unseen).toEqual([])
      const links = await page.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""))
      expect(links.filter((href) => !/^(#|https:\/\/|[a-z-]+\.(csv|json)$)/.test(href))).toEqual([])
      // Filtered and sorted tables contain the same texts.
      for (const column of [0, 1, 2, 3, 4, 5]) await page.locator("#attention-table .sort").nth(column).click()
      await page.fill("#attention-search", "<script>")
      await isQuiet(watched)
      await page.fill("#attention-search", "")
      // With these long texts, this takes most of the test's time.
      if (isLong) expect(await accessibility(page)).toEqual([])
      expect(await page.evaluate(tooWide)).toEqual([])
      for (const place of ["balance", "differences", "rows", "mapping", "samples", "questions"]) {
        await page.evaluate(`document.getElementById("${place}").scrollIntoView()`)
        await picture(page, `hostile${narrow ? "-narrow" : ""}-${place}`, false)
      }
      await page.context().close()
    },
  )
})

const hostile = (): Parameters<typeof writeReport>[0] => {
  const example = exampleReport()
  const some = attacks.join(" ")
  return {
    columns: attacks,
    report: {
      pipeline: attacks[0]!,
      run: attacks[3]!,
      form: { service: attacks[1]!, id: attacks[2]!, name: attacks[7]! },
      because: attacks,
      next: attacks[5]!,
      warnings: attacks,
      problems: attacks.map((text) => ({
        code: "not-a-date",
        column: text,
        question: text,
        count: 3,
        examples: [{ row: 1, value: text, message: text }],
      })),
      questions: attacks.map((text) => ({ id: text, name: text, kind: "text", answered: 5, verdicts: { same: 5 } })),
      discarded: attacks.map((type) => ({ type, count: 1 })),
      inDoubt: attacks.map((reason) => ({
        reason,
        count: 1,
        acknowledged: 0,
        fresh: 1,
        firstSentAt: example.startedAt,
        lastSentAt: example.finishedAt,
      })),
      normalised: attacks.map((text) => ({
        question: text,
        name: text,
        what: text,
        count: 1,
        example: { row: 1, submissionId: text, sent: text, returned: { [text]: text } },
      })),
      mapping: attacks.map((text) => ({
        columns: attacks.slice(0, 3),
        question: text,
        name: text,
        values: attacks.map((cell) => ({ cell, answer: text })),
        translated: 1_000,
      })),
      samples: attacks.slice(0, 3).flatMap((key, row) =>
        attacks.map((text) => ({
          row,
          key,
          submissionId: text,
          columns: [text, text],
          cells: [text, ""],
          question: text,
          name: text,
          sent: text,
          returned: { [text]: text },
          verdict: "different" as const,
        }))
      ),
      zone: some,
      sources: attacks.slice(0, 5).map((text) => ({
        file: text,
        format: text,
        bytes: 1,
        sha256: text,
        rows: 2,
        taken: [{ what: text, value: text }],
      })),
      fingerprints: { mapping: some, form: some },
      versions: { formferry: some, node: some },
    },
    rejected: attacks.map((text, index) => ({
      id: "r1",
      row: index + 1,
      key: text,
      fate: "invalid",
      problems: [{ code: "not-a-date", column: text, question: text, value: text, message: text }],
      cells: attacks,
      needsReview: true,
    })),
    inDoubt: attacks.map((text, index) => ({
      row: index + 100,
      key: text,
      batch: 1,
      sentAt: example.startedAt,
      reason: text,
      cells: attacks,
    })),
    differences: attacks.map((text, index) => ({
      row: index + 200,
      key: text,
      submissionId: text,
      question: text,
      name: text,
      verdict: "different",
      sent: text,
      returned: { [text]: [text] },
      editLink: text,
    })),
  }
}
