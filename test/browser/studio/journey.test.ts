import { NodeContext } from "@effect/platform-node"
import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Submission } from "../../../src/domain/submission.ts"
import { parseForm } from "../../../src/practice/files.ts"
import { type HttpPractice, serve } from "../../../src/practice/PracticeService.ts"
import { apiKey, formferry, type Running, start, until } from "../../acceptance/formferry.ts"
import { resultsExport } from "../../jobs/resultsExport.ts"
import { isLong } from "../../long.ts"
import { planned } from "../../practice/faults.ts"
import { launch, withoutBrowser } from "../browser.ts"
import { createPipeline, isAccessible, openStudio } from "./studioPage.ts"

const sample = readFileSync("samples/surveymonkey/538-StarWars.first200.csv", "latin1")
/** One answer was mistyped. The respondent's other answers are right. */
const source = Buffer.from(sample.replace(/(?<=\r?\n3292719380,.*),Male,/, ",Mael,"), "latin1")
// The names of two questions don't suggest a column.
const form = readFileSync("samples/forms/star-wars.yaml", "utf8").replace("name: Region", "name: Where from?")

/** The answers that each respondent's submission must finally contain, by question. Python has read the sample for them. */
const expected: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  readFileSync("test/demo/answers/star-wars.json", "utf8"),
)

/** Returns a submission's answers by question, and its URL parameters by their names after an @. */
const answersOf = ({ questions, urlParameters }: Submission) =>
  Object.fromEntries([
    ...questions.map(({ id, value }) => [id, value] as const),
    ...urlParameters.map(({ name, value }) => [`@${name}`, value] as const),
  ].filter(([, value]) => value !== null))

/** Questions whose cells are not options, one of these cells, its option, and how many of the other cells have a likely option. */
const choices = [
  ["Age", "18-29", "18 to 29", 3],
  ["Characters", "Unfamiliar (N/A)", "No answer", 5],
  ["Which character shot first", "I don't understand this question", "Does not know", 0],
] as const

let browser: Browser | undefined
let practice: HttpPractice
let studio: Running
let at: { readonly folder: string; readonly link: string }
const scope = Effect.runSync(Scope.make())
beforeAll(async () => {
  if (withoutBrowser || !isLong) return
  browser = await launch()
  // The answer to one request is lost, after its submissions were created.
  const faults = planned({ seed: 1, faults: [{ fault: "reset", when: "after", on: "create", at: [4] }] })
  practice = await Effect.flatMap(
    parseForm("form.yaml", form),
    (parsed) => serve({ forms: [parsed], port: 0, apiKey: Redacted.make(apiKey), faults }),
  ).pipe(Effect.provide(NodeContext.layer), Scope.extend(scope), Effect.runPromise)
  const temporary = mkdtempSync(join(tmpdir(), "formferry-journey-"))
  studio = start(["studio", "--demo", "--json"], { cwd: temporary, env: { TMPDIR: temporary } })
  await Effect.runPromise(until(() => studio.stdout().includes("\n")))
  at = JSON.parse(studio.stdout())
  // The sample project gets a service whose writes must be confirmed.
  const config = join(at.folder, "config", "formferry.yaml")
  const live = `live: { baseUrl: "${practice.baseUrl}", apiKey: { env: FORM_SERVICE_API_KEY }, requestsPerSecond: 200 }`
  writeFileSync(config, readFileSync(config, "utf8").replace("services:\n", `services:\n  ${live}\n`))
})
afterAll(async () => {
  await browser?.close()
  studio?.signal("SIGKILL")
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const question = (page: Page, name: string) =>
  page.getByRole("list", { name: "Questions" }).getByRole("button", { name: new RegExp(`^${name}`) })

describe.runIf(isLong && !withoutBrowser)("the studio in Chromium", { timeout: 300_000 }, () => {
  it("imports an export of SurveyMonkey, fixes a rejected row and settles rows in doubt, and the form has every row once", async () => {
    const { origin } = new URL(at.link)
    const { close, isQuiet, page } = await openStudio(browser, { studio: { origin, newLink: () => at.link } })
    await page.getByText("This is the sample project.").waitFor()
    await page.getByRole("link", { name: "star-wars" }).waitFor()
    await isAccessible(page, "demo")

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
    // What is left is a mistake in a cell, which is fixed after the run.
    await page.getByRole("region", { name: "What is open" }).getByText("1 cell is not an option").first().waitFor()
    expect(await page.getByText("Nothing is open.").count()).toBe(0)

    // The figures and the preview follow.
    const figures = page.getByLabel("What this draft sends")
    await expect.poll(() => figures.innerText(), { timeout: 60_000 }).toMatch(/would be sent\s+199\s+invalid\s+1\s/)
    await page.getByText("The whole source was counted: 200 rows.").waitFor()
    const preview = page.getByRole("region", { name: "Preview" })
    await expect.poll(() => preview.getByRole("row", { name: /^Age/ }).innerText()).toMatch(/18-29\s+18 to 29/)
    await page.getByRole("button", { name: "Row 6", exact: true }).click()
    await preview.getByText(/contains "Mael"; expected one of: Female, Male/).first().waitFor()
    await isAccessible(page, "map")

    // The text is edited in the editor, and the entry's comment stays.
    const editor = page.getByRole("textbox", { name: "Text of pipelines/wars.yaml" })
    await editor.focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("nonsense: 1\n")
    await page.getByText("1 error").waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText("1 error").waitFor({ state: "hidden" })
    // Each submission gets its respondent's id.
    await editor.focus()
    await page.keyboard.press("Control+Home")
    await editor.getByText("mapping:", { exact: true }).click()
    await page.keyboard.press("End")
    await page.keyboard.insertText("\n  urlParameters: [{ name: respondent, from: RespondentID }]")
    await page.getByText("The whole source was counted: 200 rows.").waitFor()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    const text = readFileSync(join(at.folder, "pipelines", "wars.yaml"), "utf8")
    expect(text).toContain("# Made by formferry init")
    expect(text).not.toContain("nonsense")
    const checked = await Effect.runPromise(formferry(["check", "wars"], { cwd: at.folder }))
    expect([checked.status, checked.stdout], checked.stderr).toEqual([0, expect.stringContaining("199 of 200 rows")])

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
    await page.getByText("10 rows landed, nothing is left in doubt.").waitFor()

    // The rejected row is fixed in place and sent.
    const rejected = page.getByRole("region", { name: "1 rejected row" })
    await rejected.getByRole("textbox", { name: "Gender, row 6" }).fill("Male")
    await rejected.getByText("1 cell changed").waitFor()
    await rejected.getByRole("button", { name: "Send the fixed rows" }).click()
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await page.getByRole("button", { name: "Send 1 row" }).click()
    await page.getByRole("region", { name: /^Run of fixed rows: / }).getByText("Complete", { exact: true }).waitFor({
      timeout: 60_000,
    })
    const stored = practice.submissions("sW6fIlMs14").map(answersOf)
    expect(stored).toHaveLength(200)
    expect(Object.fromEntries(stored.map((answers) => [answers["@respondent"], answers]))).toEqual(expected)

    await page.getByRole("link", { name: "formferry studio" }).click()
    await page.getByRole("img", { name: /^The last runs\./ }).waitFor()
    await isAccessible(page, "home")
    await isQuiet()
    await close()
    studio.signal("SIGINT")
    expect((await studio.ended).status).toBe(0)
  })
})
