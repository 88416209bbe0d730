// What people do quickly, twice, or in an odd order.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import Papa from "papaparse"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { isLong } from "../../long.ts"
import { pageOf } from "../../studio/opened.ts"
import { accessibility, withoutBrowser } from "../browser.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { inProject } from "./studioPage.ts"

const wordy = { name: "Why did you choose this? ".repeat(40).trim(), option: "x".repeat(300) }
const wordyForm = stringify({
  id: "wordy",
  name: "Wordy",
  questions: [{ id: "why", name: wordy.name, type: "Dropdown", options: ["Red", wordy.option] }],
})

const its = inProject(() => ({
  forms: [people, wordyForm],
  files: {
    "rows.csv": Papa.unparse(rows),
    "pipelines/teams.yaml": stringify({
      ...pipelineOf("teams", "../rows.csv"),
      mapping: { questions: [{ name: "Team", from: "Team" }] },
    }),
    "pipelines/wordy.yaml": stringify({
      ...pipelineOf("wordy", "../rows.csv", { form: "wordy" }),
      mapping: { questions: [{ name: wordy.name, from: "Team" }] },
    }),
    "pipelines/renamed.yaml": stringify(pipelineOf("renamed", "../rows.csv")),
    "pipelines/edited.yaml": stringify(pipelineOf("edited", "../rows.csv")),
    "pipelines/lost.yaml": stringify(pipelineOf("lost", "../rows.csv")),
    "pipelines/fixed.yaml": stringify(pipelineOf("fixed", "../rows.csv")),
    "pipelines/known.yaml": stringify(pipelineOf("known", "../rows.csv", { service: "practice" })),
  },
}))

const textOf = (pipeline: string): string => readFileSync(join(its.project.root, `pipelines/${pipeline}.yaml`), "utf8")

describe.runIf(isLong && !withoutBrowser)("the studio's page", { timeout: 300_000 }, () => {
  it("keeps the newer of two quick choices for a cell, even if the older one is answered later", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/teams`)
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Team Mapped/ }).click()
    const option = page.getByRole("combobox", { name: "Option for rouge" })
    await option.waitFor()
    let held = 0
    await page.route("**/api/draft/edit", async (route) => {
      if (route.request().postData()?.includes(`"option":"Blue"`) === true && held++ === 0) await after(1000)
      await route.continue()
    })
    await option.selectOption("Blue")
    await option.selectOption("Red")
    await page.getByRole("region", { name: "Preview" }).getByText("Red", { exact: true }).waitFor()
    // A second answer to the first choice would arrive in this time.
    await after(2000)
    await expect.poll(() => option.inputValue()).toBe("=Red")
    await page.getByRole("button", { name: "Save", exact: true }).dblclick()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    expect(textOf("teams")).toContain("rouge: Red")
    // The second click did not save once more, which would find a changed file.
    expect(await page.getByRole("alert").count()).toBe(0)
    await isQuiet()
    await close()
  })

  it("shows a choice for a cell at once, until its answer is in the text or refused", async () => {
    const { close, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/teams`)
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Team Mapped/ }).click()
    const option = page.getByRole("combobox", { name: "Option for rouge" })
    await option.waitFor()
    const before = await option.inputValue()
    const shown: Array<string> = []
    let refuses = false
    for (const call of ["edit", "state"]) {
      await page.route(`**/api/draft/${call}`, async (route) => {
        await after(500)
        shown.push(await option.inputValue())
        await (refuses ? route.abort() : route.continue())
      })
    }
    await option.selectOption("Blue")
    await expect.poll(() => shown.length, { timeout: 10_000 }).toBe(2)
    await page.getByRole("button", { name: "Undo" }).click()
    await expect.poll(() => option.inputValue(), { timeout: 10_000 }).toBe(before)
    refuses = true
    await option.selectOption("Blue")
    await expect.poll(() => option.inputValue()).toBe("=Blue")
    await page.getByText("The studio does not answer.").first().waitFor()
    await expect.poll(() => option.inputValue(), { timeout: 10_000 }).toBe(before)
    expect(shown.slice(0, 2)).toEqual(["=Blue", "=Blue"])
    await close()
  })

  it("shows what answers a question with a long title and a long option", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/wordy`)
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Why/ }).first().click()
    const option = page.getByRole("combobox", { name: "Option for rouge" })
    await option.waitFor()
    const [detail, title, list] = await Promise.all(
      [page.locator("#detail"), page.locator("#detail-title"), option].map((one) => one.boundingBox()),
    )
    expect(title!.height).toBeLessThan(detail!.height / 2)
    expect(list!.x + list!.width).toBeLessThanOrEqual(detail!.x + detail!.width)
    expect(await accessibility(page)).toEqual([])
    await isQuiet()
    await close()
  })

  it("does an edit that someone starts while a save renames the pipeline", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/renamed`)
    const question = (name: RegExp) => page.getByRole("list", { name: "Questions" }).getByRole("button", { name })
    await question(/^Name Mapped/).click()
    const text = page.getByRole("textbox", { name: "pipelines/renamed.yaml" })
    await text.click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("End")
    await page.keyboard.type("2")
    await page.route("**/api/draft/save", async (route) => {
      await after(1000)
      await route.continue()
    })
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Remove the entry" }).click()
    await page.getByRole("heading", { level: 1, name: "renamed2" }).waitFor()
    await question(/^Name Not mapped/).waitFor()
    await page.getByText("Not saved").waitFor()
    await page.getByRole("link", { name: "formferry studio" }).click()
    const cards = page.getByRole("listitem").filter({ hasText: "Not saved" })
    await cards.getByRole("heading", { name: "renamed2" }).waitFor()
    expect(await cards.count()).toBe(1)
    await isQuiet()
    await close()
  })

  it("creates a pipeline if someone presses Enter in its name, and rejects a suggestion once after a double click", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: "made.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(Papa.unparse(rows)),
    })
    await page.getByRole("combobox", { name: "Form" }).waitFor()
    await page.getByRole("textbox", { name: "Name of the pipeline" }).press("Enter")
    const questions = page.getByRole("list", { name: "Questions" })
    await questions.getByRole("button", { name: "Mail Suggested" }).waitFor()
    await page.getByRole("button", { name: "Reject the suggestion for Mail" }).dblclick({ delay: 200 })
    await questions.getByRole("button", { name: "Mail Not mapped" }).waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await questions.getByRole("button", { name: "Mail Suggested" }).waitFor()
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true)
    expect(await page.getByRole("alert").count()).toBe(0)
    await isQuiet()
    await close()
  })

  it("shows the file's newer text to someone who comes back, unless the draft has edits", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/edited`)
    const text = page.getByRole("textbox", { name: "Text of pipelines/edited.yaml" })
    const comeBack = () => page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    appendFileSync(join(its.project.root, "pipelines/edited.yaml"), "# theirs\n")
    await comeBack()
    await text.getByText("# theirs").waitFor()
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    await text.focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("# mine\n")
    appendFileSync(join(its.project.root, "pipelines/edited.yaml"), "# newer\n")
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    await comeBack()
    await after(1000)
    expect(await text.innerText()).toContain("# mine")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("button", { name: "Discard this draft" }).click()
    await text.getByText("# newer").waitFor()
    expect(textOf("edited")).toMatch(/# theirs\n# newer\n$/)
    await isQuiet()
    await close()
  })

  it("reads what is missing in each view by itself after the connection was lost", async () => {
    const { close, page } = await its.open()
    await page.route("**/api/draft/**", (route) => route.abort())
    await page.goto(`${its.project.studio.origin}/#/map/lost`)
    await page.getByRole("alert").getByText("The studio does not answer.").waitFor()
    await page.unroute("**/api/draft/**")
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    await page.getByRole("alert").waitFor({ state: "detached" })
    await close()
  })

  it("counts again if the form was changed, and says that the figures are old if the text no longer fits it", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/known`)
    await page.getByText("The whole source was counted: 21 rows.").waitFor()
    writeFileSync(join(its.project.root, "forms/0.yaml"), people.replace("name: Mail", "name: Address"))
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Address/ }).waitFor()
    await page.getByText("These figures are those of the last text that could be counted.").waitFor()
    await isQuiet()
    await close()
  })

  it("shows a conflict until the newer rows are read", async () => {
    const { call, follow } = await pageOf(its.project.studio)
    const { id } = await call("runs", "start", { pipeline: "fixed", mode: "run" })
    await follow(id, ({ state }) => state._tag === "Asking")
    await call("runs", "answer", { job: id, service: "live" })
    await follow(id)
    const { close, page } = await its.open()
    const other = await page.context().newPage()
    for (const [tab, mail] of [[page, "first@example.org"], [other, "second@example.org"]] as const) {
      await tab.goto(`${its.project.studio.origin}/#/results/fixed`)
      await tab.getByRole("textbox", { name: "Mail, row 21" }).fill(mail)
    }
    const save = { name: "Save the fixes" }
    await page.getByRole("button", save).click()
    await page.getByText("1 cell changed").waitFor({ state: "detached" })
    await other.getByRole("button", save).click()
    await other.getByRole("alert").getByText("rejected-fixed.csv was changed in the meantime.").waitFor()
    await other.getByRole("button", { name: "Read the file again" }).click()
    await other.getByRole("alert").waitFor({ state: "detached" })
    await other.getByRole("button", save).click()
    const mail = other.getByRole("textbox", { name: "Mail, row 21" })
    await expect.poll(() => mail.inputValue()).toBe("second@example.org")
    await other.getByText("1 cell changed").waitFor({ state: "detached" })
    await close()
  })
})
