import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Papa from "papaparse"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { resultsExport } from "../../jobs/resultsExport.ts"
import { isLong } from "../../long.ts"
import { pageOf } from "../../studio/opened.ts"
import { withoutBrowser } from "../browser.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { createPipeline, inProject, isAccessible, tabTo } from "./studioPage.ts"

const csv = Papa.unparse([...rows.slice(0, -1), rows.slice(-1).flat().with(1, "Bad\nluck")])
const pipelines = {
  doubt: pipelineOf("doubt", "../rows.csv"),
  differs: pipelineOf("differs", "../valid.csv", { form: "others" }),
  slow: pipelineOf("slow", "../many.csv", { service: "slow", form: "third" }),
  wrong: { ...pipelineOf("wrong", "../rows.csv"), mapping: { questions: [{ name: "Nickname", from: "Alias" }] } },
}

const its = inProject(() => ({
  forms: ["people", "others", "third"].map((id) => people.replace("id: people", `id: ${id}`)),
  files: {
    "rows.csv": csv,
    "valid.csv": Papa.unparse(rows.slice(0, -1)),
    "many.csv": Papa.unparse([
      rows[0],
      ...Array.from({ length: 20 }, (_, at) => rows.slice(1, -1).map(([no, ...row]) => [`${at}-${no}`, ...row]))
        .flat(),
    ]),
    ...Object.fromEntries(
      Object.entries(pipelines).map(([name, pipeline]) => [`pipelines/${name}.yaml`, stringify(pipeline)]),
    ),
  },
  faults: [
    { fault: "reset", when: "after", on: "create", at: [2] },
    { fault: "trim-answers", length: 3, at: [3] },
  ],
}), {
  prepare: async (project) => {
    const { call, follow } = await pageOf(project.studio)
    for (const [pipeline, exitCode] of [["doubt", 4], ["differs", 3]] as const) {
      const { id } = await call("runs", "start", { pipeline, mode: "run" })
      await follow(id, ({ state }) => state._tag === "Asking")
      await call("runs", "answer", { job: id, service: "live" })
      expect((await follow(id)).at(-1)?.state).toMatchObject({ exitCode })
    }
  },
})

describe.runIf(isLong && !withoutBrowser)("the studio's states in Chromium", { timeout: 300_000 }, () => {
  it("are accessible while a pipeline is made: its file, open decisions, mistakes and a conflict", async () => {
    const { close, isQuiet, leaving, page } = await its.open()
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: "made.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(csv),
    })
    await page.getByText("Stored: made.csv").waitFor()
    await isAccessible(page, "new")
    await createPipeline(page, { name: "made", service: "live", form: "people" })
    await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Date of birth/ }).click()
    await page.getByText("Which reading is correct?").waitFor()
    await isAccessible(page, "dates")
    await page.getByRole("list", { name: "Columns" }).getByRole("button", { name: /^Team/ }).click()
    await page.getByRole("button", { name: "Leave behind on purpose" }).waitFor()
    await isAccessible(page, "column")
    await page.getByRole("textbox", { name: "Text of pipelines/made.yaml" }).focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("nonsense: 1\nmore: 2\n")
    await page.getByText("2 errors").waitFor()
    // The mistakes are also marked in the text.
    expect(await page.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["nonsense: 1", "more: 2"])
    await page.getByRole("region", { name: "Preview" }).getByText("the last text that could be read").waitFor()
    // The figures are those of the last text that could be read, and marked as such.
    await page.getByText("These figures are those of the last text that could be counted.").waitFor()
    expect(await page.getByLabel("What this draft sends").innerText()).toMatch(/open questions\s+2$/)
    await isAccessible(page, "mistakes")
    const file = join(its.project.root, "pipelines", "made.yaml")
    writeFileSync(file, `${readFileSync(file, "utf8")}# theirs\n`)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("was changed in the meantime. Nothing was written.").waitFor()
    await page.getByText("Show the file's text").click()
    await isAccessible(page, "conflict")
    // The text was not saved.
    await page.reload()
    expect(leaving).toHaveLength(1)
    await isQuiet()
    await close()
  })

  it("are accessible while a run is in progress, after it was stopped, and after a check that found mistakes", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/run/wrong`)
    await page.getByRole("button", { name: "Check", exact: true }).click()
    await page.getByRole("region", { name: /^Check/ }).getByRole("listitem").first().waitFor()
    await isAccessible(page, "wrong")
    // Warnings don't prevent a run, but the check doesn't say that nothing is wrong.
    await page.goto(`${its.project.studio.origin}/#/run/doubt`)
    await page.getByRole("button", { name: "Check", exact: true }).click()
    const checked = page.getByRole("region", { name: /^Check: / })
    await checked.getByText("1 can't be sent: see above").waitFor()
    await checked.getByText(/^Can run: \d+ warnings?$/).waitFor()
    await page.goto(`${its.project.studio.origin}/#/run/slow`)
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.getByRole("progressbar").waitFor()
    await expect.poll(() => its.project.practice.count("third"), { timeout: 60_000 }).toBeGreaterThan(0)
    await page.getByText(/requests a second, of at most 2\. .*requests? in flight/).waitFor()
    await page.getByText(/\d a second\. About .* left\./).waitFor()
    await isAccessible(page, "progress")
    await page.goto(`${its.project.studio.origin}/#/`)
    await page.getByRole("listitem").filter({ hasText: "slow" }).getByText("In progress", { exact: true }).waitFor()
    await isAccessible(page, "running")
    await page.goto(`${its.project.studio.origin}/#/run/slow`)
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByText("Interrupted", { exact: true }).waitFor()
    await isAccessible(page, "stopped")
    await isQuiet()
    await close()
  })

  it("are accessible in the results: changed cells, a refused export and differences, whose links edit the submission", async () => {
    const { close, isQuiet, leaving, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/results/doubt`)
    await page.getByRole("button", { name: "Show all cells of row 21" }).click()
    // The field of a cell with line breaks keeps them.
    const lines = page.getByRole("textbox", { name: "Name, row 21" })
    expect(await lines.inputValue()).toBe("Bad\nluck")
    await lines.fill("Worse\nluck")
    await page.getByRole("button", { name: "Save the fixes" }).click()
    await page.getByText("1 cell changed").waitFor({ state: "detached" })
    const [run = ""] = readdirSync(join(its.project.root, "reports", "doubt")).filter((name) => name !== "latest")
    const fixed = readFileSync(join(its.project.root, "reports", "doubt", run, "rejected-fixed.csv"), "utf8")
    expect(Papa.parse<Array<string>>(fixed).data[1]).toContain("Worse\nluck")
    await page.getByRole("textbox", { name: "Mail, row 21" }).first().fill("bad@example.org")
    await page.getByText("1 cell changed").waitFor()
    // The changed cell is kept while another view is shown.
    await page.goto(`${its.project.studio.origin}/#/run/doubt`)
    await page.getByText("1 cell changed").waitFor({ state: "detached" })
    await page.goto(`${its.project.studio.origin}/#/results/doubt`)
    await page.getByText("1 cell changed").waitFor()
    const two = await page.evaluateHandle(`(() => {
      const two = new DataTransfer()
      for (const name of ["a.csv", "b.csv"]) two.items.add(new File(["No"], name))
      return two
    })()`)
    await page.getByLabel("Drop an export of the form's results here").dispatchEvent("drop", { dataTransfer: two })
    await page.getByRole("alert").getByText("No file was read: drop one file at a time.").waitFor()
    await page.getByRole("checkbox", { name: "The export contains every submission of the form" }).check()
    await page.getByRole("textbox", { name: /^How you know that/ }).fill("The form's page shows as many.")
    await page.getByLabel("Drop an export of the form's results here").setInputFiles({
      name: "other.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("No,Name\n1,Ada\n"),
    })
    await page.getByRole("alert").getByText("other.csv").waitFor()
    // A browser reports the same file again only if none is chosen.
    expect(await page.getByLabel("Drop an export of the form's results here").inputValue()).toBe("")
    await isAccessible(page, "settle")
    // The export lacks a row in doubt, and a row that the ledger knows.
    const lacking = new Set<unknown>(["Person 5", "Person 20"])
    expect(await page.getByText("No file was read").count()).toBe(0)
    await page.getByRole("checkbox", { name: "The export contains every submission of the form" }).uncheck()
    await page.getByLabel("Drop an export of the form's results here").setInputFiles({
      name: "results.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(resultsExport(its.project.practice.submissions("people"), (name) => lacking.has(name))),
    })
    await page.getByText("9 rows landed, 1 row still in doubt.").waitFor()
    const left = page.getByRole("region", { name: "1 row in doubt" })
    expect(await left.innerText()).toContain("Download all of the form's results again")
    expect(await left.getByRole("row").last().innerText()).toContain("it lacks 1 of the submissions in the ledger")
    await isAccessible(page, "settled")

    const { call, follow } = await pageOf(its.project.studio)
    const { id } = await call("runs", "start", { pipeline: "doubt", mode: "rehearsal" })
    await follow(id)
    await page.reload()
    // The changed cell was not saved.
    expect(leaving).toHaveLength(1)
    const rejected = page.getByRole("region", { name: "1 rejected row" })
    await rejected.getByText("A rehearsal sends nothing").waitFor()
    expect(await rejected.getByRole("textbox").count()).toBe(0)
    expect(await page.getByRole("button", { name: /^(Save the fixes|Send the fixed rows)$/ }).count()).toBe(0)
    await isAccessible(page, "rehearsed")

    await page.goto(`${its.project.studio.origin}/#/results/differs`)
    const differences = page.getByRole("region", { name: /differences?$/ })
    await differences.waitFor()
    await isAccessible(page, "differences")
    const stored = its.project.practice.submissions("others").map(({ submissionId }) => submissionId)
    const links = await differences.getByRole("link", { name: /^Edit the submission of row/ }).all()
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) {
      const address = await link.getAttribute("href")
      expect(address).toMatch(new RegExp(`^${new URL(its.project.practice.baseUrl).origin}/edit/`))
      expect(stored).toContain(address?.split("/").at(-1))
      expect(await link.getAttribute("rel")).toBe("noreferrer noopener")
    }
    await isQuiet()
    await close()
  })

  it("let a person remove an entry that names its question, map the question again, and join two columns", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/slow`)
    const questions = page.getByRole("list", { name: "Questions" })
    await questions.getByRole("button", { name: /^Mail Mapped/ }).click()
    await page.getByRole("button", { name: "Remove the entry" }).click()
    await questions.getByRole("button", { name: /^Mail (?!Mapped)/ }).waitFor()
    await page.getByRole("button", { name: "Use this" }).click()
    await questions.getByRole("button", { name: /^Mail Mapped/ }).waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    const text = readFileSync(join(its.project.root, "pipelines", "slow.yaml"), "utf8")
    expect(text.match(/from: Mail$/gm)).toHaveLength(1)
    await questions.getByRole("button", { name: /^Name Mapped/ }).click()
    await page.getByRole("combobox", { name: "Join with another column" }).selectOption("Team")
    await page.getByText("Name + Team").waitFor()
    await page.getByRole("button", { name: "Use this" }).click()
    await page.getByRole("region", { name: "Preview" }).getByText("Person 1 rouge").waitFor()
    await isQuiet()
    await close()
  })

  it("let the keyboard alone check, rehearse, stop a run, reach a difference, and decide about a conflict", async () => {
    const { close, isQuiet, leaving, page } = await its.open()
    const press = async (name: string | RegExp, role: "button" | "link" = "button") => {
      await tabTo(page, page.getByRole(role, { name, exact: true }).first())
      await page.keyboard.press("Enter")
    }
    const view = async (name: string, pipeline: string) => {
      await press("formferry studio", "link")
      const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: pipeline }) })
      await tabTo(
        page,
        card.getByRole("link", { name, exact: true }),
      )
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: pipeline }).waitFor()
    }
    await view("Run", "doubt")
    await press("Check")
    await page.getByRole("region", { name: /^Check: / }).getByText("1 can't be sent: see above").waitFor()
    await press("Rehearse")
    const rehearsal = page.getByRole("region", { name: /^Rehearse: / }).first()
    await rehearsal.getByRole("link", { name: "Show the results" }).waitFor()
    await view("Run", "slow")
    await press("Run")
    const run = page.getByRole("region", { name: /^Run: / }).first()
    await run.getByRole("progressbar").waitFor()
    await press("Stop")
    await run.getByText("Interrupted", { exact: true }).waitFor()
    await view("Results", "differs")
    await tabTo(page, page.getByRole("link", { name: /^Edit the submission of row/ }).first())

    await view("Map", "slow")
    const file = join(its.project.root, "pipelines", "slow.yaml")
    const before = readFileSync(file, "utf8")
    const saved = () => readFileSync(file, "utf8")
    for (
      const [decision, result] of [["Discard this draft", "# theirs\n"], ["Overwrite it with this draft", "# mine\n"]]
    ) {
      const text = await page.getByRole("textbox", { name: "Text of pipelines/slow.yaml" })
      await tabTo(page, text)
      await page.keyboard.press("Control+End")
      await page.keyboard.type("# mine\n")
      writeFileSync(file, `${before}# theirs\n`)
      await press("Save")
      await page.getByText("Show the file's text").waitFor()
      await press(decision!)
      await page.getByText("Show the file's text").waitFor({ state: "hidden" })
      await page.getByText("Not saved").waitFor({ state: "hidden" })
      expect(saved().endsWith(result!)).toBe(true)
      writeFileSync(file, before)
      await page.reload()
    }
    // No text was left unsaved.
    expect(leaving).toEqual([])
    await isQuiet()
    await close()
  })

  it("let the keyboard alone accept one suggestion, reject another, and settle rows in doubt", async () => {
    const { close, isQuiet, page } = await its.open()
    const press = async (name: string | RegExp) => {
      await tabTo(page, page.getByRole("button", { name }).first())
      await page.keyboard.press("Enter")
    }
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: "keys.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(csv),
    })
    await createPipeline(page, { name: "decided", service: "live", form: "people" })
    const questions = page.getByRole("list", { name: "Questions" })
    await questions.getByRole("button", { name: /^Name Suggested/ }).waitFor()
    await press("Accept the suggestion for Name")
    await questions.getByRole("button", { name: /^Name Mapped/ }).waitFor()
    // The pressed button is gone, but the focus stays in its tile.
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^NameMapped/)
    await press("Reject the suggestion for Mail")
    await questions.getByRole("button", { name: /^Mail (?!Suggested)/ }).waitFor()
    await press("Save")
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    const text = readFileSync(join(its.project.root, "pipelines", "decided.yaml"), "utf8")
    expect(text).toMatch(/# reviewed .*\n    - id: name\n/)
    expect(text).not.toMatch(/- id: mail\n/)
    const row = page.getByRole("region", { name: "Preview" }).getByRole("button", { name: "Row 1: ", pressed: true })
    const outline = () => row.evaluate((one) => one.ownerDocument.defaultView!.getComputedStyle(one).outlineStyle)
    expect(await outline()).toBe("none")
    await tabTo(page, row)
    expect(await outline()).toBe("solid")

    await page.goto(`${its.project.studio.origin}/#/results/doubt`)
    const choosing = page.waitForEvent("filechooser")
    await tabTo(page, page.getByLabel("Drop an export of the form's results here"))
    await page.keyboard.press("Enter")
    await (await choosing).setFiles({
      name: "results.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(resultsExport(its.project.practice.submissions("people"))),
    })
    await page.getByText(/ rows? landed, nothing is left in doubt\.$/).waitFor()
    await isQuiet()
    await close()
  })
})
