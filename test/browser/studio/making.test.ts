// A pipeline that takes time to be made from a file, and the first look at its map.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Papa from "papaparse"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { isLong } from "../../long.ts"
import { withoutBrowser } from "../browser.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { inProject, isAccessible } from "./studioPage.ts"

/** A file that is read for several seconds. */
const large = Papa.unparse([
  ["No", "Name", "Mail"],
  ...Array.from({ length: 300_000 }, (_, at) => [at, `Person ${at}`, `p${at}@example.org`]),
])

/** A form with two questions of the same name, one of which has two options with the same label. */
const twins = stringify({
  id: "twins",
  name: "Twins",
  questions: [
    { id: "pet", name: "Which?", type: "Dropdown", options: ["Cat", "Dog"] },
    {
      id: "team",
      name: "Which?",
      type: "Dropdown",
      options: [{ value: "r1", label: "Red" }, { value: "r2", label: "Red" }, { value: "b", label: "Blue" }],
    },
  ],
})

/** A form with a question that has many options. */
const towns = stringify({
  id: "towns",
  name: "Towns",
  questions: [{
    id: "town",
    name: "Town",
    type: "Dropdown",
    options: Array.from({ length: 5_000 }, (_, at) => `Town ${at}`),
  }],
})

const its = inProject(() => ({
  forms: [people, twins, towns],
  files: {
    "rows.csv": Papa.unparse(rows),
    "pipelines/known.yaml": stringify(pipelineOf("known", "../rows.csv")),
    // A cell may be called like a method of every object.
    "teams.csv": "No,Team\n1,constructor\n2,Red\n",
    "pipelines/teams.yaml": stringify({
      ...pipelineOf("teams", "../teams.csv"),
      mapping: { questions: [{ name: "Team", from: "Team" }] },
    }),
    "towns.csv": `No,Town\n${Array.from({ length: 200 }, (_, at) => `${at},Village ${at}\n`).join("")}`,
    "pipelines/towns.yaml": stringify({
      pipeline: "towns",
      source: { file: "../towns.csv", rowKey: ["No"] },
      mapping: { questions: [{ name: "Town", from: "Town" }] },
      sink: { service: "practice", form: "towns" },
    }),
    "twins.csv": "No,Pet,Team\n1,Horse,rouge\n2,Cat,Blue\n",
    "pipelines/twins.yaml": stringify({
      pipeline: "twins",
      source: { file: "../twins.csv", rowKey: ["No"] },
      mapping: { questions: [{ id: "pet", from: "Pet" }, { id: "team", from: "Team" }] },
      sink: { service: "practice", form: "twins" },
    }),
  },
}))

/** Stores the large file, and asks for a pipeline from it. */
const store = async (page: Page, name: string) => {
  await page.getByLabel("Drop a file with answers here").setInputFiles({
    name: `${name}.csv`,
    mimeType: "text/csv",
    buffer: Buffer.from(large),
  })
  await page.getByText(`Stored: ${name}.csv`).waitFor()
  await page.getByRole("button", { name: "Create the pipeline" }).click()
}

/** Stores the large file, and starts to make a pipeline from it. */
const make = async (page: Page, name: string) => {
  await store(page, name)
  await page.getByText(/^Reading the file: [1-9][\d,]* rows so far/).waitFor()
}

/** Drops a file or its name at an element. Returns whether the browser would open it in place of the page. */
const dropAt = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const { DataTransfer, DragEvent, File } = element.ownerDocument.defaultView!
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(["No\n1\n"], "rows.csv"))
    return element.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }))
  })

describe.runIf(isLong && !withoutBrowser)("a new pipeline in the studio", { timeout: 300_000 }, () => {
  it("can be cancelled while its file is read, and leaves nothing behind", async () => {
    const { close, isQuiet, page } = await its.open()
    await make(page, "cancelled")
    // A second file would end the first one's Cancel.
    expect(await page.getByLabel("Drop a file with answers here").isDisabled()).toBe(true)
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("Cancelled.").waitFor()
    const stored = () => readdirSync(join(its.project.root, "sources")).filter((name) => name.startsWith("cancelled"))
    await expect.poll(stored, { timeout: 30_000 }).toEqual([])
    expect(existsSync(join(its.project.root, "pipelines", "cancelled.yaml"))).toBe(false)
    await isAccessible(page, "cancelled")
    await isQuiet()
    await close()
  })

  it("gets a name from its file, and keeps only the copy of the last file, or none when the page is left", async () => {
    const { close, page } = await its.open()
    const names = [["A 2.csv", "a-2"], ["Übersicht.csv", "ubersicht"], ["анкета.csv", "answers"]] as const
    const stored = () =>
      readdirSync(join(its.project.root, "sources")).filter((name) => names.some(([file]) => file === name))
    for (const [name, pipeline] of names) {
      const file = { name, mimeType: "text/csv", buffer: Buffer.from("No,Name\n1,Ada\n") }
      await page.getByLabel("Drop a file with answers here").setInputFiles(file)
      await page.getByText(`Stored: ${name}`).waitFor()
      expect(stored()).toEqual([name])
      expect(await page.getByRole("textbox", { name: "Name of the pipeline" }).inputValue()).toBe(pipeline)
    }
    await page.reload()
    await expect.poll(stored).toEqual([])
    await close()
  })

  it("says that it could not be made, also to someone who looks at another view", async () => {
    const { close, page } = await its.open()
    // The call arrives only after the file was removed.
    let remove = () => {}
    const removed = new Promise<void>((resolve) => remove = resolve)
    await page.route("**/api/project/create", (route) => removed.then(() => route.continue()))
    await store(page, "broken")
    await page.getByRole("link", { name: "known" }).click()
    await page.getByRole("link", { name: "broken: reading the file" }).waitFor()
    rmSync(join(its.project.root, "sources", "broken.csv"))
    remove()
    await page.getByRole("link", { name: "broken was not created" }).click()
    await page.getByRole("alert").getByText("broken.csv").waitFor()
    expect(await page.getByRole("textbox", { name: "Name of the pipeline" }).inputValue()).toBe("broken")
    await isAccessible(page, "not-made")
    await close()
  })

  it("stays in its page if a file is dropped next to the box", async () => {
    const { close, page } = await its.open()
    expect(await dropAt(page, "h1")).toBe(false)
    await page.goto(`${its.project.studio.origin}/#/map/known`)
    await page.getByRole("list", { name: "Questions" }).waitFor()
    expect(await dropAt(page, "h1")).toBe(false)
    await close()
  })

  it("matches any cell with an option, and shows no preview of a text with mistakes", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/teams`)
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Team Mapped/ }).click()
    const option = page.getByRole("combobox", { name: "Option for constructor" })
    expect(await option.getByRole("option").first().textContent()).toBe("Choose…")
    await option.selectOption("Blue")
    await page.getByRole("region", { name: "Preview" }).getByText("Blue", { exact: true }).waitFor()
    await page.getByRole("textbox", { name: "Text of pipelines/teams.yaml" }).focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("nonsense: 1\n")
    await page.getByText("1 error").waitFor()
    const file = join(its.project.root, "pipelines", "teams.yaml")
    writeFileSync(file, `${readFileSync(file, "utf8")}nonsense: 1\n`)
    await page.reload()
    await page.getByText("There is no preview yet, because the text has errors.").waitFor()
    await page.getByText("The file and the form could not be read.").waitFor()
    expect(await page.getByLabel("What this draft sends").innerText()).toMatch(/open questions\s+…$/)
    await isQuiet()
    await close()
  })

  it("keeps the cells of questions with the same name apart, and options with the same label", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/twins`)
    const questions = page.getByRole("list", { name: "Questions" })
    await questions.getByText("1 cell is not an option").first().waitFor()
    await questions.getByRole("button", { name: /^Which\? Mapped/ }).last().click()
    const option = page.getByRole("combobox", { name: "Option for rouge" })
    await option.waitFor()
    expect(await option.getByRole("option").allTextContents()).toEqual([
      "Choose…",
      "Red (r1)",
      "Red (r2)",
      "Blue",
      "No answer",
    ])
    expect(await page.getByRole("combobox", { name: "Option for Horse" }).count()).toBe(0)
    await option.selectOption("Red (r2)")
    await page.getByRole("region", { name: "Preview" }).getByText("r2", { exact: true }).waitFor()
    await isQuiet()
    await close()
  })

  it("draws 5,000 options only for the cell that has the focus, and compares them once for each of 200 cells", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/towns`)
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Town Mapped/ }).click()
    const option = page.getByRole("combobox", { name: "Option for Village 7", exact: true })
    await option.waitFor()
    expect(await page.getByRole("option").count()).toBeLessThan(1000)
    await option.focus()
    await option.selectOption({ label: "Town 77" })
    await page.getByRole("spinbutton", { name: "Row" }).fill("8")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Preview" }).getByText("Town 77", { exact: true }).waitFor()
    await expect.poll(() => option.inputValue()).toBe("=Town 77")
    await isQuiet()
    await close()
  })

  it("shows the board, what is open, the preview and the text at 1440 x 900 without scrolling", async () => {
    const { close, isQuiet, page } = await its.open({ width: 1440 })
    await page.goto(`${its.project.studio.origin}/#/map/known`)
    const preview = page.getByRole("region", { name: "Preview" })
    await preview.getByRole("row", { name: /^Mail/ }).waitFor()
    const text = page.getByRole("textbox", { name: "Text of pipelines/known.yaml" })
    for (const part of [page.getByRole("list", { name: "Questions" }), preview.getByRole("row").nth(1), text]) {
      const box = await part.boundingBox()
      expect(box!.y + Math.min(box!.height, 60)).toBeLessThan(900)
    }
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(900)
    // The row with a problem is reached from the preview.
    await preview.getByRole("button", { name: "Row 21", exact: true }).click()
    await preview.getByText(/not-an-address/).first().waitFor()
    await preview.getByRole("spinbutton", { name: "Row" }).fill("24")
    await page.keyboard.press("Enter")
    await preview.getByText("The source has 21 rows: there is no row 24.").waitFor()
    // What can only be written in the text is reached from the question.
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Mail/ }).click()
    await page.getByText("add them to the entry in the text").waitFor()
    await page.getByRole("button", { name: /^Show line \d+ of the text/ }).click()
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("editor")
    await page.getByRole("button", { name: "Leave Date of birth unanswered on purpose" }).click()
    await page.getByText("Left unanswered").waitFor()
    await isAccessible(page, "known")
    await isQuiet()
    await close()
  })

  it("shows the place in the project file if a service has no key", async () => {
    const config = join(its.project.root, "config", "formferry.yaml")
    const before = readFileSync(config, "utf8")
    writeFileSync(
      config,
      `${before}  keyless:\n    baseUrl: ${its.project.practice.baseUrl}\n    apiKey: { env: NO_KEY }\n`,
    )
    const { close, isQuiet, page } = await its.open()
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: "few.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("No,Name\n1,Ada\n"),
    })
    await page.getByRole("combobox", { name: "Service" }).selectOption("keyless")
    const fault = page.getByRole("listitem").filter({ hasText: "config/formferry.yaml:" })
    expect(await fault.innerText()).toMatch(
      /^error config\/formferry\.yaml:\d+ NO_KEY is not set: the key of keyless is missing\. Set NO_KEY, or write it into \.env/,
    )
    await page.getByRole("button", { name: "Cancel" }).click()
    writeFileSync(config, before)
    await isQuiet()
    await close()
  })
})
