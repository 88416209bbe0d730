import { Effect } from "effect"
import { readFileSync } from "node:fs"
import Papa from "papaparse"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checkProject, checkStatus } from "../../../src/jobs/check.ts"
import { resultsExport } from "../../jobs/resultsExport.ts"
import { isLong } from "../../long.ts"
import { platform } from "../../project/projectFolder.ts"
import { launch, withoutBrowser } from "../browser.ts"
import { createPipeline, isAccessible, openStudio, type Started, startProject } from "./studioPage.ts"

const sample = readFileSync("samples/surveymonkey/538-StarWars.first200.csv", "latin1")
/** One answer was mistyped. The respondent's other answers are right. */
const source = Buffer.from(sample.replace(/(?<=\r?\n3292719380,.*),Male,/, ",Mael,"), "latin1")
// The names of two questions don't suggest a column.
const form = readFileSync("samples/forms/star-wars.yaml", "utf8").replace("name: Region", "name: Where from?")

const ages: Readonly<Record<string, string>> = {
  "18-29": "18 to 29",
  "30-44": "30 to 44",
  "45-60": "45 to 60",
  "> 60": "Over 60",
}

/** Reads the file independently. Returns the answers that the form must finally contain for each respondent. */
const expected = Papa.parse<ReadonlyArray<string>>(sample).data.slice(2).filter(({ length }) => length > 1).map(
  (row) => {
    const seen = row.slice(3, 9).flatMap((cell, at) => cell === "" ? [] : [String(at + 1)])
    const [shot = "", , , , gender = "", age = "", , education = "", region = ""] = row.slice(29)
    const views = Object.fromEntries([["Han Solo", row[15]], ["Yoda", row[28]]].flatMap(([name, cell = ""]) => {
      const value = { Very: 2, Somewhat: 1, Neither: 0, Unfamiliar: undefined }[cell.split(" ")[0] ?? ""]
      return value === undefined ? [] : [[name, value === 0 ? "0" : `${/^\w+ unfav/.test(cell) ? "-" : "+"}${value}`]]
    }))
    return JSON.stringify({
      seen,
      shot: shot.startsWith("I don't") ? "Does not know" : shot,
      gender,
      age: ages[age] ?? "",
      education,
      region,
      views,
    })
  },
).toSorted()

const stored = (practice: Started["practice"]) =>
  practice.submissions("sW6fIlMs14").map(({ questions }) => {
    const of = new Map(questions.map(({ id, value }) => [id, value]))
    const views = of.get("views") as Readonly<Record<string, string>> | undefined
    return JSON.stringify({
      seen: of.get("seen") ?? [],
      ...Object.fromEntries(["shot", "gender", "age", "education", "region"].map((id) => [id, of.get(id) ?? ""])),
      views: Object.fromEntries(
        ["Han Solo", "Yoda"].flatMap((name) => views?.[name] === undefined ? [] : [[name, views[name]]]),
      ),
    })
  }).toSorted()

/** Questions whose cells are not options, one of these cells, its option, and how many of the other cells have a likely option. */
const choices = [
  ["Age", "18-29", "18 to 29", 3],
  ["Characters", "Unfamiliar (N/A)", "No answer", 5],
  ["Which character shot first", "I don't understand this question", "Does not know", 0],
] as const

let browser: Browser | undefined
let project: Started
beforeAll(async () => {
  if (withoutBrowser) return
  browser = await launch()
  project = await startProject({
    forms: [form],
    // The answer to one request is lost, after its submissions were created.
    faults: [{ fault: "reset", when: "after", on: "create", at: [4] }],
    isDemo: true,
  })
})
afterAll(async () => {
  await browser?.close()
  await project?.close()
})

const question = (page: Page, name: string) =>
  page.getByRole("list", { name: "Questions" }).getByRole("button", { name: new RegExp(`^${name}`) })

describe.runIf(isLong && !withoutBrowser)("the studio in Chromium", { timeout: 300_000 }, () => {
  it("imports an export of SurveyMonkey, fixes a rejected row and settles rows in doubt, and the form has every row once", async () => {
    const { practice, root } = project
    const { close, isQuiet, page } = await openStudio(browser, project)
    await page.getByText("This is the sample project.").waitFor()
    await isAccessible(page, "empty")

    // A file is dropped.
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob("${source.toString("base64")}"), (character) => character.charCodeAt(0))
      transfer.items.add(new File([bytes], "Star Wars (export).csv"))
      return transfer
    })()`)
    await page.getByText("Drop a file with answers here").dispatchEvent("drop", { dataTransfer: dropped })
    await page.getByText("Stored: Star Wars (export).csv").waitFor()
    expect(await page.getByRole("textbox", { name: "Name of the pipeline" }).inputValue()).toBe("star-wars-export")
    await createPipeline(page, { name: "wars", service: "live", form: "sW6fIlMs14" })
    await page.getByText("200 rows · an export of SurveyMonkey").waitFor()

    // A suggestion is accepted: its entry no longer says that nobody has reviewed it.
    await page.getByRole("button", { name: "Accept the suggestion for Gender" }).click()
    await question(page, "Gender Mapped").waitFor()
    // One is corrected: another column is chosen, and then the right one is dragged to it.
    await question(page, "Education").click()
    await page.getByRole("combobox", { name: "Other columns" }).selectOption({ label: "Location (Census Region)" })
    await page.getByRole("button", { name: "Use this" }).click()
    await question(page, "Education Mapped").waitFor()
    const column = page.getByRole("list", { name: "Columns" }).getByRole("listitem")
    await column.filter({ hasText: "Education" }).dragTo(question(page, "Education"))
    await column.filter({ hasText: "Location" }).dragTo(question(page, "Where from"))
    await question(page, "Where from.*Mapped").waitFor()

    // Cells that are not options are matched with one.
    const search = page.getByRole("textbox", { name: "Search" })
    for (const [name, cell, option, likely] of choices) {
      await search.fill(name)
      await question(page, name).click()
      await page.getByRole("button", { name: "Use this" }).click()
      await page.getByRole("combobox", { name: `Option for ${cell}` }).selectOption({ label: option })
      const accept = page.getByRole("button", { name: `Accept ${likely} likely` })
      if (likely > 0) await accept.click()
      await accept.waitFor({ state: "hidden" })
    }
    await isAccessible(page, "question")
    await search.fill("")
    await page.getByRole("button", { name: "Back to the list" }).click()
    await page.getByText("Nothing is open.").waitFor()

    // The figures and the preview follow.
    const figures = page.getByLabel("What this draft sends")
    await expect.poll(() => figures.innerText(), { timeout: 60_000 }).toMatch(/can be sent\s+199\s+invalid\s+1\s/)
    await page.getByText("All 200 rows counted.").waitFor()
    const preview = page.getByRole("region", { name: "Preview" })
    await expect.poll(() => preview.getByRole("row", { name: /^Age/ }).innerText()).toMatch(/18-29\s+18 to 29/)
    await page.getByRole("button", { name: "Row 6", exact: true }).click()
    await preview.getByText(/contains "Mael"; expected one of: Female, Male/).first().waitFor()
    await isAccessible(page, "map")

    // The text is edited in the editor, and the entry's comment stays.
    const editor = page.getByRole("textbox", { name: "Text of pipelines/wars.yaml" })
    await editor.click()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("nonsense: 1\n")
    await page.getByText("1 error").waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText("1 error").waitFor({ state: "hidden" })
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    const text = readFileSync(`${root}/pipelines/wars.yaml`, "utf8")
    expect(text).toContain("# Made by formferry init")
    expect(text).not.toContain("nonsense")
    expect(checkStatus(await Effect.runPromise(Effect.provide(checkProject(root, ["wars"]), platform)))).toBe(0)

    await page.getByRole("link", { name: "Check and run" }).click()
    await page.getByRole("button", { name: "Check", exact: true }).click()
    await page.getByRole("region", { name: /^Check/ }).getByText("199 of 200 rows are ready").waitFor()
    await page.getByRole("button", { name: "Rehearse" }).click()
    await page.getByRole("region", { name: /^Rehearse/ }).getByText("Rows need review", { exact: true }).waitFor()
    expect(practice.count("sW6fIlMs14")).toBe(0)

    // The run asks for the service's name, shows its progress, and continues after the page is closed.
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.getByText("199 rows will be sent to Star Wars survey").waitFor()
    await isAccessible(page, "confirm")
    const send = page.getByRole("button", { name: "Send 199 rows" })
    expect(await send.isDisabled()).toBe(true)
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await send.click()
    await page.getByRole("progressbar").waitFor()
    await page.reload()
    const ran = page.getByRole("region", { name: /^Run: / })
    await ran.getByText("Rows are in doubt", { exact: true }).waitFor({ timeout: 60_000 })
    await isAccessible(page, "run")
    expect(practice.count("sW6fIlMs14")).toBe(199)

    // Rows in doubt are looked up in an export of the form's results.
    await ran.getByRole("link", { name: "Show the results" }).click()
    const doubts = page.getByRole("region", { name: "10 rows in doubt" })
    await doubts.waitFor()
    await isAccessible(page, "results")
    await doubts.getByLabel("Drop an export of the form's results here").setInputFiles({
      name: "results.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(resultsExport(practice.submissions("sW6fIlMs14"))),
    })
    await page.getByText("10 rows arrived, 0 did not, 0 still in doubt.").waitFor()

    // The rejected row is fixed in place and sent.
    const rejected = page.getByRole("region", { name: "1 rejected row" })
    await rejected.getByRole("textbox", { name: "Gender, row 6" }).fill("Male")
    await rejected.getByText("1 cell changed").waitFor()
    await rejected.getByRole("button", { name: "Send the fixed rows" }).click()
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await page.getByRole("button", { name: "Send 1 row" }).click()
    await page.getByRole("region", { name: /^Run: / }).first().getByText("Complete", { exact: true }).waitFor({
      timeout: 60_000,
    })
    expect(stored(practice)).toEqual(expected)

    await page.getByRole("link", { name: "formferry studio" }).click()
    await page.getByRole("img", { name: /^The last runs\./ }).waitFor()
    await isAccessible(page, "home")
    await isQuiet()
    await close()
  })
})
