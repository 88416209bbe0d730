// Several pages of one browser share its few connections to the studio.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import Papa from "papaparse"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { listen } from "../../localServer.ts"
import { isLong } from "../../long.ts"
import { withoutBrowser } from "../browser.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { inProject } from "./studioPage.ts"

const its = inProject(() => ({
  forms: [people],
  files: {
    "rows.csv": Papa.unparse(rows),
    "large.csv": Papa.unparse([
      ["No", "Name", "Mail"],
      ...Array.from({ length: 150_000 }, (_, at) => [at, `Person ${at}`, `p${at}@example.org`]),
    ]),
    "pipelines/known.yaml": stringify(pipelineOf("known", "../rows.csv")),
    "pipelines/large.yaml": stringify(pipelineOf("large", "../large.csv")),
  },
}))

/** Returns a function that opens a view in a new tab. */
const tabs = (page: Page) => async (view: string) => {
  const tab = await page.context().newPage()
  tab.setDefaultTimeout(60_000)
  await tab.goto(`${its.project.studio.origin}/#/${view}`)
  return tab
}

describe.runIf(isLong && !withoutBrowser)("the studio's page in several tabs", { timeout: 500_000 }, () => {
  it("is answered in the seventh tab while the calls of the others wait for a service, and shows its jobs in each", async () => {
    // A service that never answers.
    const silent = createServer(() => {})
    const baseUrl = `http://127.0.0.1:${await listen(silent)}/v1/api`
    const { root } = its.project
    const service = `  silent: { baseUrl: "${baseUrl}", apiKey: { env: THE_KEY }, confirm: false }\n`
    appendFileSync(join(root, "config/formferry.yaml"), service)
    const pipeline = stringify(pipelineOf("silent", "../rows.csv", { service: "silent" }))
    writeFileSync(join(root, "pipelines/silent.yaml"), pipeline)

    const { close, page } = await its.open()
    const goto = tabs(page)
    for (const _ of Array.from({ length: 4 })) {
      const map = await goto("map/silent")
      await map.getByRole("textbox", { name: "Text of pipelines/silent.yaml" }).waitFor()
      await map.getByText("Reading the file and the form…").waitFor()
    }
    const other = await goto("run/known")
    const last = await goto("run/known")
    await last.getByRole("button", { name: "Check", exact: true }).click()
    for (const tab of [last, other]) await tab.getByRole("region", { name: /^Check: / }).getByText("20 of 21").waitFor()
    // The first tab has the connection for the news of all. When it is closed, another one connects.
    await page.close()
    await last.getByRole("button", { name: "Rehearse" }).click()
    for (const tab of [last, other]) {
      await tab.getByRole("region", { name: /^Rehearse: / }).getByText("Rows need review", { exact: true }).waitFor()
    }
    silent.closeAllConnections()
    silent.close()
    await close()
  })

  it("reads a large file for two maps, starts and stops a run meanwhile, and shows all rows in both", async () => {
    const { close, page } = await its.open()
    const goto = tabs(page)
    const maps = [await goto("map/large"), await goto("map/large")]
    for (const map of maps) await map.getByRole("list", { name: "Questions" }).waitFor()
    const run = await goto("run/large")
    await run.getByRole("button", { name: "Dry run" }).click()
    await run.getByRole("button", { name: "Stop" }).click()
    await run.getByRole("region", { name: /^Dry run: / }).getByText("Interrupted", { exact: true }).waitFor()
    for (const map of maps) {
      await map.getByText("150,000 rows", { exact: true }).waitFor({ timeout: 200_000 })
      await map.getByText("The whole source was counted: 150,000 rows.").waitFor({ timeout: 200_000 })
    }
    await close()
  })

  it("follows a pipeline to its new name, keeps the line ends of its file, and says if it is unknown whether it was saved", async () => {
    const file = join(its.project.root, "pipelines/old.yaml")
    const own = `${stringify(pipelineOf("old", "../rows.csv"))}# end\n`.replaceAll("\n", "\r\n")
    writeFileSync(file, own)
    const { close, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/old`)
    const editor = page.getByRole("textbox", { name: "Text of pipelines/old.yaml" })
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    const save = page.getByRole("button", { name: "Save", exact: true })
    expect(await save.isDisabled()).toBe(true)

    await editor.focus()
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("End")
    for (const _ of "old") await page.keyboard.press("Backspace")
    await page.keyboard.insertText("new")
    const lost = "**/api/draft/save"
    await page.route(lost, (route) => route.abort())
    await save.click()
    await page.getByRole("alert").getByText("It isn't known whether the change was made.").waitFor()
    await page.unroute(lost)
    await save.click()
    await page.getByRole("heading", { level: 1, name: "new" }).waitFor()
    expect(new URL(page.url()).hash).toBe("#/map/new")
    expect(readFileSync(file, "utf8")).toBe(own.replace("pipeline: old", "pipeline: new"))
    // The page works on under the new name.
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    await editor.focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("# more\n")
    await save.click()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    expect(readFileSync(file, "utf8")).toBe(`${own.replace("pipeline: old", "pipeline: new")}# more\r\n`)
    await close()
  })
})
