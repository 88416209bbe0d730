import { Effect, Exit, Scope } from "effect"
import { readFileSync } from "node:fs"
import Papa from "papaparse"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { serve } from "../../src/practice/PracticeService.ts"
import { isLong } from "../long.ts"
import { submitted } from "../practice/filled.ts"
import { form } from "../practice/forms.ts"
import { accessibility, launch, open, picture, withoutBrowser } from "./browser.ts"

let browser: Browser | undefined
let results = ""
const scope = Effect.runSync(Scope.make())
beforeAll(async () => {
  if (withoutBrowser) return
  browser = await launch()
  results = await Effect.runPromise(
    Effect.gen(function*() {
      const practice = yield* serve({ forms: [form, { ...form, id: "f2", name: "Nobody answered" }], port: 0 })
      yield* submitted(practice, 150)
      return practice.results
    }).pipe(Scope.extend(scope)),
  )
})
afterAll(async () => {
  await browser?.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const ready = (page: Page, times: number) => page.waitForSelector(`html[data-ready="${times}"]`, { state: "attached" })

describe.skipIf(withoutBrowser)("the practice service's results page in Chromium", { timeout: 180_000 }, () => {
  it.each(isLong ? [false, true] : [true])(
    "shows, filters and downloads submissions, and never runs a script in them (dark: %s)",
    async (dark) => {
      const { noise, page, requests } = await open(browser, `${results}/f1`, { dark })
      await ready(page, 1)
      expect(await page.textContent("#status")).toBe("1 to 100 of 152 submissions")
      expect(await page.textContent("h1")).toBe("Contacts")
      expect(await page.locator("thead th").allTextContents()).toContain("legacy_id")
      expect(await page.locator("tbody tr").count()).toBe(100)
      expect(await page.locator("tbody tr").nth(1).textContent()).toContain("<script>window.attacked = 1</script>")
      expect(await page.evaluate("window.attacked")).toBeUndefined()
      await picture(page, `results-${dark ? "dark" : "light"}`, false)
      expect(await accessibility(page)).toEqual([])

      await page.click("#next")
      await ready(page, 2)
      expect(await page.textContent("#status")).toBe("101 to 152 of 152 submissions")
      await page.fill("#filter", "person 14")
      await ready(page, 3)
      // Persons 14 and 140 to 149 match.
      expect(await page.textContent("#status")).toBe("1 to 11 of 11 that fit, of 152")

      const downloading = page.waitForEvent("download")
      await page.click("#download")
      const download = await downloading
      expect(download.suggestedFilename()).toBe("f1-results.csv")
      const csv = readFileSync(await download.path(), "utf8")
      expect(Papa.parse(csv, { skipEmptyLines: true }).data).toHaveLength(153)

      await page.selectOption("#form", "f2")
      await ready(page, 4)
      expect(await page.textContent("#status")).toBe("0 to 0 of 0 submissions")
      expect(page.url()).toBe(`${results}/f2`)
      expect(noise).toEqual([])
      expect(requests.filter((address) => !address.startsWith(results))).toEqual([])
      await page.context().close()
    },
  )

  it("shows nothing if it is opened without its token", async () => {
    for (
      const address of [results.replace(/[^/]+$/, "f1"), results.replace(/.$/, (last) => (last === "0" ? "1" : "0"))]
    ) {
      const { page } = await open(browser, address)
      expect(await page.textContent("body")).toContain("Open the results page with the link that formferry shows")
      expect(await page.content()).not.toMatch(/person|Contacts/)
      await page.context().close()
    }
  })
})
