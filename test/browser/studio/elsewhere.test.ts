// What a page shows of things that happen outside it: runs of other processes, the end of the studio, and each target of a pipeline.
import { NodeContext } from "@effect/platform-node"
import { Effect, Exit, Scope } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Papa from "papaparse"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { runPipeline } from "../../../src/jobs/run.ts"
import { loadProject } from "../../../src/project/loadProject.ts"
import { resultsExport } from "../../jobs/resultsExport.ts"
import { isLong } from "../../long.ts"
import { unattended } from "../../run/unattended.ts"
import { served } from "../../studio/opened.ts"
import { withoutBrowser } from "../browser.ts"
import { inProject, isAccessible, tabTo } from "./studioPage.ts"

const formOf = (id: string, names: ReadonlyArray<string>) =>
  stringify({ id, name: id, questions: names.map((name, at) => ({ id: `q${at}`, name, type: "ShortAnswer" })) })

const pipelineOf = (pipeline: string, file: string, from: string, sink: unknown) =>
  stringify({
    pipeline,
    source: { file, rowKey: ["No"] },
    mapping: { questions: [{ name: "Name", from }] },
    reconcile: { visibleWithin: "1 second" },
    sink,
  })

const targets = { main: { service: "live", form: "people" }, copy: { service: "live", form: "others" } }
const titles = ["No", ...Array.from({ length: 299 }, (_, at) => `Column ${at + 2}`)]

const its = inProject(() => ({
  forms: [formOf("people", ["Name"]), formOf("others", ["Name"]), formOf("wide", ["Name"])],
  // The answers to the second and fourth requests are lost, after their submissions were created.
  faults: [{ fault: "reset", when: "after", on: "create", at: [2, 4] }],
  files: {
    // The last row has too many cells, so no column is the cause of its problem.
    "people.csv": Papa.unparse([
      ["No", "Name"],
      ...Array.from({ length: 20 }, (_, at) => [at + 1, `Person ${at}`]),
      [21, "Person", "21"],
    ]),
    "moved.csv": "No,Name\n1,Ada\n",
    "pipelines/moved.yaml": pipelineOf("moved", "../moved.csv", "Name", { service: "practice", form: "people" }),
    "dumps/1.csv": "No,Name\n1,Ada\n",
    "pipelines/dumps.yaml": stringify({
      pipeline: "dumps",
      source: { file: { glob: "../dumps/*.csv", take: "newest" }, rowKey: ["No"] },
      mapping: { questions: [{ name: "Name", from: "Name" }] },
      sink: { service: "practice", form: "others" },
    }),
    "wide.csv": Papa.unparse([titles, titles.map((_, at) => `${at}`)]),
    "pipelines/several.yaml": pipelineOf("several", "../people.csv", "Name", { targets, canary: "off" }),
    "pipelines/nightly.yaml": pipelineOf("nightly", "../people.csv", "Name", { service: "practice", form: "people" }),
    "pipelines/wide.yaml": pipelineOf("wide", "../wide.csv", "Column 7", { service: "practice", form: "wide" }),
  },
}))

describe.runIf(isLong && !withoutBrowser)("the studio's page", { timeout: 300_000 }, () => {
  it("runs and settles each target of a pipeline", async () => {
    const { practice, studio } = its.project
    const { close, isQuiet, page } = await its.open()
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "several" }) })
    await card.getByText("Never ran main").waitFor()
    await card.getByText("Never ran copy").waitFor()
    await page.goto(`${studio.origin}/#/run/several`)
    const run = page.getByRole("button", { name: "Run", exact: true })
    expect(await run.isDisabled()).toBe(true)
    await page.getByRole("combobox", { name: "Target" }).selectOption("copy")
    await run.click()
    await page.getByText("20 rows will be sent to others (others).").waitFor()
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await page.getByRole("button", { name: "Send 20 rows" }).click()
    await page.getByRole("region", { name: /^Run to copy: / }).getByRole("link", { name: "Show the results" }).click()

    const cells = page.getByRole("region", { name: "1 rejected row" })
    await cells.getByRole("heading", { name: "All cells of row 21" }).waitFor()
    expect(await cells.getByRole("textbox", { name: "Name, row 21" }).inputValue()).toBe("Person")
    const doubts = page.getByRole("region", { name: "10 rows in doubt" })
    await doubts.waitFor()
    const chosen = page.getByRole("combobox", { name: "Target" })
    expect(await chosen.inputValue()).toBe("copy")
    // Nothing is in doubt at the other target.
    await chosen.selectOption("main")
    await doubts.waitFor({ state: "detached" })
    await chosen.selectOption("copy")
    await doubts.getByLabel("The export contains every submission of the form").check()
    await doubts.getByRole("textbox", { name: "How you know that" }).fill("exported after the run")
    await doubts.getByLabel("Drop an export of the form's results here").setInputFiles({
      name: "results.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(resultsExport(practice.submissions("others"))),
    })
    await page.getByText("10 rows landed, nothing is left in doubt.").waitFor()
    expect([practice.count("others"), practice.count("people")]).toEqual([20, 0])
    await isAccessible(page, "targets")
    // The state of each target, once the page has asked for it again.
    await page.goto(`${studio.origin}/#/`)
    await card.getByText("Never ran main").waitFor()
    await card.getByText("copy · others").waitFor()
    await card.getByText("Rows in doubt were settled: run again").first().waitFor()
    // A row with too many cells can be sent after a person has seen and corrected them.
    await page.goto(`${studio.origin}/#/results/several`)
    await cells.getByText("More cells than the header has, which are removed if you change the row: 21").waitFor()
    await cells.getByRole("textbox", { name: "Name, row 21" }).fill("Person, 21")
    await cells.getByRole("button", { name: "Send the fixed rows" }).click()
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await page.getByRole("button", { name: "Send 1 row" }).click()
    await page.getByRole("region", { name: /^Run of fixed rows to copy: / }).first().getByText("Complete", {
      exact: true,
    }).waitFor()
    expect(practice.submissions("others").at(-1)?.questions[0]?.value).toBe("Person, 21")
    // What was settled does not hide the rows that a later run leaves in doubt.
    const file = join(its.project.root, "people.csv")
    const source = readFileSync(file, "utf8")
    writeFileSync(file, [source, ...Array.from({ length: 10 }, (_, at) => `${at + 22},Late ${at}`)].join("\n"))
    await page.goto(`${studio.origin}/#/run/several`)
    await page.getByRole("combobox", { name: "Target" }).selectOption("copy")
    await run.click()
    await page.getByRole("textbox", { name: "Type live to confirm" }).fill("live")
    await page.getByRole("button", { name: "Send 10 rows" }).click()
    const again = page.getByRole("region", { name: /^Run to copy: / }).first()
    await again.getByText("Rows are in doubt", { exact: true }).waitFor()
    await again.getByRole("link", { name: "Show the results" }).click()
    await doubts.getByLabel("Drop an export of the form's results here").waitFor()
    expect(await page.getByText("nothing is left in doubt").count()).toBe(0)
    writeFileSync(file, source)
    await isQuiet()
    await close()
  })

  it("shows a run that a different process has started and ended", async () => {
    const { close, isQuiet, page } = await its.open()
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "nightly" }) })
    await card.getByText("Never ran").waitFor()
    await Effect.runPromise(
      Effect.gen(function*() {
        const nightly = yield* loadProject(its.project.root, { pipelines: ["nightly"] })
        yield* runPipeline(nightly, {
          ...unattended,
          pipeline: "nightly",
        })
      }).pipe(Effect.scoped, Effect.provide(NodeContext.layer)),
    )
    await card.getByText("Rows need review", { exact: true }).waitFor()
    await isQuiet()
    await close()
  })

  it("shows that a run needs a decision if no row needs review", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/run/dumps`)
    const runs = page.getByRole("region", { name: /^Run: / })
    const start = page.getByRole("button", { name: "Run", exact: true })
    await start.click()
    await runs.getByText("Complete", { exact: true }).waitFor()
    for (const day of [2, 3]) writeFileSync(join(its.project.root, `dumps/${day}.csv`), `No,Name\n${day},Ada\n`)
    await start.click()
    await runs.getByText("Needs your decision", { exact: true }).waitFor()
    await runs.first().getByRole("link", { name: "Show the results" }).click()
    await page.getByRole("region", { name: /^Run of / }).getByText("Needs your decision", { exact: true }).waitFor()
    await isQuiet()
    await close()
  })

  it("shows the source's new columns and rows to someone who comes back after changing it", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/moved`)
    await page.getByText("The whole source was counted: 1 row.").waitFor()
    writeFileSync(join(its.project.root, "moved.csv"), "Added,No,Name\n7,1,Ada\n8,2,Bob\n")
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByRole("list", { name: "Columns" }).getByRole("button", { name: /^Added/ }).waitFor()
    await page.getByText("The whole source was counted: 2 rows.").waitFor()
    await page.getByText("column left behind", { exact: true }).waitFor()
    await page.getByRole("region", { name: "Preview" }).getByRole("button", { name: /^Row 2/ }).waitFor()
    await isQuiet()
    await close()
  })

  it("says that the studio can't be reached, and continues when it answers again", async () => {
    const start = async (port: number) => {
      const scope = Effect.runSync(Scope.make())
      const studio = await Effect.runPromise(
        served(its.project.root, { port }).pipe(Effect.provide(NodeContext.layer), Scope.extend(scope)),
      )
      return { ...studio, end: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
    }
    const first = await start(0)
    const { close, page } = await its.open({}, first)
    await page.goto(`${first.origin}/#/run/several`)
    await page.getByRole("combobox", { name: "Target" }).selectOption("main")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.getByText("20 rows will be sent").waitFor()
    // A text that is not saved.
    const map = await page.context().newPage()
    await map.goto(`${first.origin}/#/map/nightly`)
    await map.getByRole("textbox", { name: "Text of pipelines/nightly.yaml" }).focus()
    await map.keyboard.press("Control+End")
    await map.keyboard.insertText("# mine\n")
    const unsaved = map.getByText("Not saved")
    await unsaved.waitFor()
    const list = await page.context().newPage()
    await list.goto(`${first.origin}/#/`)
    const card = list.getByRole("listitem").filter({ has: list.getByRole("heading", { name: "several" }) })
    await card.getByText("In progress", { exact: true }).first().waitFor()
    await first.end()
    await card.getByText("Not reachable").waitFor()
    expect(await card.getByText("In progress", { exact: true }).count()).toBe(0)
    await page.getByRole("alert").getByText("The studio can't be reached.").waitFor()
    await page.getByRole("region", { name: /^Run to main: / }).getByText("Not reachable").waitFor()
    expect(await page.getByText("Waiting for you").count()).toBe(0)
    await isAccessible(page, "unreachable")

    // A restarted studio knows no earlier session until someone opens its link.
    const second = await start(Number(new URL(first.origin).port))
    const refused = page.getByText("This page has no session.")
    await refused.waitFor()
    expect(await refused.innerText()).toMatch(/ Start it again\.$/)
    await page.getByText("The studio can't be reached.").waitFor({ state: "detached" })
    const other = await page.context().newPage()
    await other.goto(second.newLink())
    await page.getByText("The studio can't be reached.").waitFor({ state: "detached" })
    await page.getByText("Nothing has been started here yet.").waitFor()
    expect(await page.getByRole("combobox", { name: "Target" }).inputValue()).toBe("main")
    await map.getByRole("button", { name: "Save", exact: true }).click()
    await unsaved.waitFor({ state: "hidden" })
    const saved = readFileSync(join(its.project.root, "pipelines", "nightly.yaml"), "utf8")
    expect(saved.endsWith("# mine\n")).toBe(true)
    await close()
    await second.end()
  })

  it("passes 300 columns with one Tab, and moves between them with arrow keys, Home and End", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${its.project.studio.origin}/#/map/wide`)
    const columns = page.getByRole("list", { name: "Columns" })
    const focused = () => page.evaluate("document.activeElement.closest('li')?.getAttribute('aria-posinset')")
    await tabTo(page, columns.getByRole("button", { name: /^No/ }))
    for (const [key, place] of [["ArrowDown", "2"], ["End", "300"], ["ArrowDown", "300"], ["ArrowUp", "299"]]) {
      await page.keyboard.press(key!)
      await expect.poll(focused).toBe(place)
    }
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.closest('ul').ariaLabel")).toBe("Questions")
    await page.keyboard.press("Shift+Tab")
    await expect.poll(focused).toBe("299")
    await page.keyboard.press("Home")
    await expect.poll(focused).toBe("1")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "No", exact: true }).waitFor()
    await isQuiet()
    await close()
  })
})
