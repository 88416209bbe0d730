import { readFileSync } from "node:fs"
import { join } from "node:path"
import Papa from "papaparse"
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { type Running, start } from "../../acceptance/formferry.ts"
import { isLong } from "../../long.ts"
import { withoutBrowser } from "../browser.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { inProject } from "./studioPage.ts"

let schedule: Running | undefined
const its = inProject(() => ({
  forms: ["day", "night"].map((id) => people.replace("id: people", `id: ${id}`)),
  files: {
    "rows.csv": Papa.unparse(rows.slice(0, -1)),
    "pipelines/day.yaml": stringify(pipelineOf("day", "../rows.csv", { form: "day" })),
    "pipelines/night.yaml": stringify({
      ...pipelineOf("night", "../rows.csv", { form: "night", service: "slow" }),
      schedule: { cron: "* * * * * *", zone: "Europe/Berlin" },
    }),
  },
}))
afterAll(() => {
  schedule?.signal("SIGKILL")
})

/** Adds a line to a draft's text, and saves it. */
const append = async (page: Page, line: string) => {
  await page.getByRole("textbox", { name: "Text of pipelines/day.yaml" }).focus()
  await page.keyboard.press("Control+End")
  await page.keyboard.insertText(`${line}\n`)
  await page.getByRole("button", { name: "Save", exact: true }).click()
}

describe.runIf(isLong && !withoutBrowser)("several pages and processes in one project", { timeout: 300_000 }, () => {
  it("lose no draft, share the studio's runs, and neither disturb a schedule nor send a row twice", async () => {
    const { practice, root, studio } = its.project
    const first = await its.open()
    const second = await first.page.context().newPage()
    // Another link starts a second session, and the first one continues.
    const other = await its.open()
    const pages = [first.page, second, other.page] as const
    const goto = (view: string) => Promise.all(pages.map((page) => page.goto(`${studio.origin}/#/${view}`)))

    // Each page has its own draft, and no save removes another one's change without a question.
    const file = () => readFileSync(join(root, "pipelines", "day.yaml"), "utf8")
    await goto("map/day")
    const before = file()
    await append(first.page, "# first")
    await expect.poll(file).toBe(`${before}# first\n`)
    const conflict = "was changed in the meantime. Nothing was written."
    for (const [page, line] of [[second, "# second"], [other.page, "# other"]] as const) {
      await append(page, line)
      await page.getByText(conflict).waitFor()
    }
    expect(file()).toBe(`${before}# first\n`)
    await second.getByRole("button", { name: "Overwrite it with this draft" }).click()
    await expect.poll(file).toBe(`${before}# second\n`)
    const discard = async () => {
      await other.page.getByRole("button", { name: "Discard this draft" }).click()
      // The page shows the file's text from now on.
      await other.page.getByText(conflict).waitFor({ state: "hidden" })
    }
    await discard()
    await append(other.page, "# again")
    await other.page.getByText(conflict).waitFor()
    await discard()
    await append(other.page, "# again")
    await expect.poll(file).toBe(`${before}# second\n# again\n`)

    // The schedule's run is shown, and a second one of the same pipeline is refused.
    schedule = start(["schedule"], { cwd: root })
    await expect.poll(() => practice.count("night"), { timeout: 60_000 }).toBeGreaterThan(0)
    await other.page.goto(`${studio.origin}/#/`)
    await other.page.reload()
    const night = other.page.getByRole("listitem").filter({ hasText: "night" })
    await night.getByText("In progress", { exact: true }).waitFor()
    await night.getByText(/^Next run: /).waitFor()
    await other.page.goto(`${studio.origin}/#/run/night`)
    await other.page.getByRole("button", { name: "Run", exact: true }).click()
    await other.page.getByText(/^Another run of night is in progress\./).waitFor()

    // A run is asked for in one page, confirmed in the second browser, and shown in all.
    await goto("run/day")
    await first.page.getByRole("button", { name: "Run", exact: true }).click()
    await second.getByText("20 rows will be sent to People (day).").waitFor()
    await other.page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await other.page.getByRole("button", { name: "Send 20 rows" }).click()
    for (const page of pages) {
      await page.getByRole("region", { name: /^Run: / }).getByText("Complete", { exact: true }).waitFor()
    }
    await other.isQuiet()
    await first.close()
    await other.page.reload()
    await other.page.getByRole("region", { name: /^Run: / }).getByText("Complete", { exact: true }).waitFor()
    await other.close()

    // The schedule finishes its run, and later runs of it find nothing to send.
    const ends = () => schedule?.stdout().match(/night/g)?.length ?? 0
    await expect.poll(() => practice.count("night"), { timeout: 60_000 }).toBe(20)
    const seen = ends()
    await expect.poll(ends, { timeout: 60_000 }).toBeGreaterThan(seen + 2)
    schedule.signal("SIGTERM")
    const { status, stdout } = await schedule.ended
    expect(status, stdout).toBe(143)
    for (const form of ["day", "night"]) {
      const names = practice.submissions(form).map(({ questions }) => questions.find(({ id }) => id === "name")?.value)
      expect(names.toSorted()).toEqual(rows.slice(1, -1).map(([, name]) => name).toSorted())
    }
  })
})
