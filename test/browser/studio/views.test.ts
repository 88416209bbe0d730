import { NodeContext } from "@effect/platform-node"
import { Effect, Exit, Scope } from "effect"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import Papa from "papaparse"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { linkFile } from "../../../src/jobs/report.ts"
import { listen } from "../../localServer.ts"
import { isLong } from "../../long.ts"
import { pageOf } from "../../studio/opened.ts"
import { withoutBrowser } from "../browser.ts"
import { attacks } from "../reports.ts"
import { people, pipelineOf, rows } from "./people.ts"
import { createPipeline, inProject, isAccessible, tabTo } from "./studioPage.ts"

/** Texts without line breaks and control characters, which a form file can contain. */
const hostile = attacks.filter((text) => /^[ -~]{1,120}$/.test(text))
const hostileForm = stringify({
  id: "hostile",
  name: hostile[0],
  questions: hostile.map((name, at) => ({
    id: `q${at}`,
    name,
    type: at === 1 ? "Dropdown" : "ShortAnswer",
    ...at === 1 && { options: hostile.slice(0, 3) },
  })),
})
/** The last title changes the direction of text. */
const hostileRows = Papa.unparse([
  [...hostile, "\u202Etitle"],
  ...attacks.map((_, at) => hostile.map((_, column) => attacks[(at + column) % attacks.length])),
])
/** Characters that are invisible or change the direction of text. */
const unseen = /[\u202A-\u202E\u2066-\u2069\u200B]/

/** A file with 300 columns, and a form with questions for some of them. */
const many = Array.from({ length: 300 }, (_, at) => `Question ${at + 1}`)
const wideForm = stringify({
  id: "wide",
  name: "Wide",
  questions: many.slice(-24).map((name, at) => ({ id: `q${at}`, name, type: "ShortAnswer" })),
})
const wideRows = Papa.unparse([many, ...Array.from({ length: 50 }, (_, row) => many.map((_, at) => `${row} ${at}`))])

const mails = Array.from({ length: 6 }, (_, at) => `Mail ${at + 1}`)
const mailsForm = stringify({
  id: "mails",
  name: "Mails",
  questions: mails.map((name, at) => ({ id: `q${at}`, name, type: "EmailInput" })),
})

const its = inProject(() => ({ forms: [people, hostileForm, wideForm, mailsForm] }), {
  isShort: true,
  prepare: async (project) => {
    mkdirSync(join(project.root, "pipelines"))
  },
})

describe.skipIf(withoutBrowser)("the studio's views in Chromium", { timeout: 300_000 }, () => {
  it.runIf(isLong)("import a file with the keyboard alone", async () => {
    const { practice, root } = its.project
    const { close, isQuiet, page } = await its.open()
    const press = async (name: string | RegExp, role: "button" | "link" | "radio" = "button", key = "Enter") => {
      await tabTo(page, page.getByRole(role, { name }).first())
      await page.keyboard.press(key)
    }
    const type = async (name: string, text: string) => {
      await tabTo(page, page.getByRole("textbox", { name }))
      await page.keyboard.press("Control+a")
      await page.keyboard.type(text)
    }
    const open = async (question: string) => {
      await tabTo(
        page,
        page.getByRole("list", { name: "Questions" }).getByRole("button", { name: new RegExp(`^${question}`) }),
      )
      await page.keyboard.press("Enter")
    }
    const choosing = page.waitForEvent("filechooser")
    await tabTo(page, page.getByLabel("Drop a file with answers here"))
    await page.keyboard.press("Enter")
    await (await choosing).setFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(Papa.unparse(rows)),
    })
    await type("Name of the pipeline", "keys")
    await press("Create the pipeline")

    // The second key comes when the last tile is drawn as the stop of Tab, but does not have the focus yet.
    await page.getByRole("list", { name: "Questions" }).waitFor()
    await page.evaluate(`(async () => {
      const before = [...document.querySelectorAll("[aria-label=Questions] .pick")].at(-2)
      before.focus()
      await new Promise(requestAnimationFrame)
      for (const _ of [1, 2]) {
        before.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }))
        for (let turn = 0; turn < 9; turn++) await undefined
      }
    })()`)
    await expect.poll(() =>
      page.evaluate(`document.activeElement === [...document.querySelectorAll("[aria-label=Questions] .pick")].at(-1)`)
    ).toBe(true)

    // Another column is chosen for a question, and then the right one again.
    for (const column of ["Team", "Name"]) {
      await open("Name")
      await tabTo(page, page.getByRole("combobox", { name: "Other columns" }))
      await page.keyboard.type(column)
      await page.keyboard.press("Tab")
      await press("Use this")
      await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: `Name Mapped` }).waitFor()
      await press("Back to the list")
    }
    // Only a person can decide what a date means. The parsed cells show it.
    await open("Date of birth")
    await page.getByText("Which reading is correct?").waitFor()
    await page.getByText(/1990-04-03/).waitFor()
    await press(/d{1,2}\/M{1,2}\/yyyy/, "radio", "Space")
    await press("Use this")
    await press("Back to the list")
    // The chosen format stays chosen, so there is nothing to use.
    await open("Date of birth")
    await page.getByRole("radio", { name: /^d{1,2}\/M{1,2}\/yyyy/, checked: true }).waitFor()
    expect(await page.getByRole("button", { name: "Use this" }).count()).toBe(0)
    await press("Back to the list")
    await open("Team")
    await press("Use this")
    await tabTo(page, page.getByRole("combobox", { name: "Option for rouge" }))
    await page.keyboard.type("Red")
    await page.keyboard.press("Tab")
    await press("Back to the list")
    // Tab leaves the editor, so the focus isn't trapped.
    await tabTo(page, page.getByRole("textbox", { name: "Text of pipelines/keys.yaml" }))
    await tabTo(page, page.getByRole("button", { name: "Undo" }))
    const key = page.getByRole("radio", { name: /^No/ })
    if (await key.isVisible()) {
      await press(/^No/, "radio", "Space")
      await press("Use as the row key")
    }
    await page.getByText("Nothing is open.").waitFor()
    await press("Save")
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    await press("Check and run", "link")
    await press(/^Run$/)
    await type("Type live to confirm", "live")
    await press("Send 20 rows")
    await press("Show the results", "link")
    await type("Mail, row 21", "bad@example.org")
    await press("Send the fixed rows")
    await page.getByText("1 row will be sent").waitFor()
    await type("Type live to confirm", "live")
    await press("Send 1 row")
    await expect.poll(() => practice.count("people"), { timeout: 60_000 }).toBe(21)
    const born = practice.submissions("people").map(({ questions }) => questions.map(({ value }) => value).join(" "))
      .toSorted()
    expect(born[0]).toBe("Bad bad@example.org 1990-06-05 Blue")
    expect(born[1]).toBe("Person 1 p1@example.org 1990-04-03 Red")
    expect(readFileSync(join(root, "pipelines/keys.yaml"), "utf8")).toMatch(/format: d/)
    await isQuiet()
    await close()
  })

  it.runIf(isLong)("show hostile names, cells, titles and messages as text", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: `"><img src=x onerror="window.attacked=1">.csv`,
      mimeType: "text/csv",
      buffer: Buffer.from(hostileRows),
    })
    await createPipeline(page, { name: "hostile", service: "live", form: "hostile" })
    const tiles = page.getByRole("list", { name: "Questions" }).getByRole("listitem")
    expect(await tiles.count()).toBe(hostile.length)
    for (const text of hostile) {
      expect(await page.getByRole("list", { name: "Questions" }).textContent()).toContain(text)
    }
    for (const at of [0, 1, 2]) {
      await tiles.nth(at).getByRole("button").first().click()
      await page.getByRole("button", { name: "Back to the list" }).waitFor()
      expect(await page.getByRole("combobox", { name: "Other columns" }).textContent()).toContain("<U+202E>title")
      expect(await page.locator("main").textContent()).not.toMatch(unseen)
      await page.getByRole("list", { name: "Columns" }).getByRole("listitem").nth(at).getByRole("button").first()
        .click()
    }
    await page.getByRole("button", { name: "Back to the list" }).click()
    await page.getByRole("radio", { name: "All cells of the row" }).check()
    await page.getByRole("button", { name: "Use as the row key" }).click()
    await page.getByRole("region", { name: "Preview" }).getByRole("row").nth(3).waitFor()
    expect(await page.locator("main").textContent()).not.toMatch(unseen)
    await isAccessible(page, "hostile-map")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Not saved").waitFor({ state: "hidden" })
    await page.getByRole("link", { name: "Check and run" }).click()
    await page.getByRole("button", { name: "Dry run" }).click()
    await page.getByRole("link", { name: "Show the results" }).click()
    await page.getByText("This is a dry run: every row was read and validated, and nothing was sent.").waitFor()
    await isAccessible(page, "hostile-results")

    // A service that repeats the key, and whose message is a script.
    const rude = createServer(({ headers }, answer) => {
      answer.writeHead(401, { "content-type": "application/json" })
      answer.end(JSON.stringify({ message: `${headers.authorization} is wrong. ${hostile.slice(0, 4).join(" ")}` }))
    })
    const { root, studio } = its.project
    const address = `http://127.0.0.1:${await listen(rude)}/v1/api`
    appendFileSync(
      join(root, "config", "formferry.yaml"),
      `  rude: { baseUrl: "${address}", apiKey: { env: THE_KEY }, confirm: false }\n`,
    )
    writeFileSync(join(root, "rows.csv"), Papa.unparse(rows))
    writeFileSync(
      join(root, "pipelines", "rude.yaml"),
      stringify(pipelineOf("rude", "../rows.csv", { service: "rude" })),
    )
    await page.goto(`${studio.origin}/#/run/rude`)
    await page.getByRole("button", { name: "Run", exact: true }).click()
    const ended = page.getByRole("region", { name: /^Run: / })
    await ended.getByText(`Bearer <the API key> is wrong. ${hostile.slice(0, 4).join(" ")}`).waitFor()
    await page.goto(`${studio.origin}/#/map/rude`)
    await page.getByRole("alert").getByText(hostile[1] ?? "").first().waitFor()
    expect(await page.content()).not.toContain("practice_key_of_the_test")
    rude.close()
    await isQuiet()
    await close()
  })

  it("say once that there is no pipeline with a mistyped name, and offer nothing for it", async () => {
    const { close, isQuiet, page } = await its.open()
    for (const view of ["map", "run", "results"]) {
      await page.goto(`${its.project.studio.origin}/#/${view}/%`)
      await page.getByRole("alert").getByText("There is no pipeline `%`.").waitFor()
      // Other parts of the view would appear later.
      await page.waitForTimeout(500)
      await expect.poll(() => page.getByRole("alert").count()).toBe(1)
      expect([view, await page.getByRole("main").getByRole("button").count()]).toEqual([view, 0])
    }
    await isQuiet()
    await close()
  })

  it("show why a row was rejected in a readable width, even if many of its columns are wrong", async () => {
    const { root, studio } = its.project
    writeFileSync(join(root, "mails.csv"), Papa.unparse([["No", ...mails], ["1", ...mails]]))
    writeFileSync(
      join(root, "pipelines", "mails.yaml"),
      stringify({
        pipeline: "mails",
        source: { file: "../mails.csv", rowKey: ["No"] },
        mapping: { questions: mails.map((name) => ({ name, from: name })) },
        sink: { service: "practice", form: "mails" },
      }),
    )
    const { call, follow } = await pageOf(studio)
    await follow((await call("runs", "start", { pipeline: "mails", mode: "dry-run" })).id)
    const { close, isQuiet, page } = await its.open()
    // A dry run has results, although the ledger contains nothing of it.
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "mails" }) })
    await card.getByText("Never ran").waitFor()
    await card.getByRole("link", { name: "Results" }).click()
    const why = page.getByRole("region", { name: "1 rejected row" }).getByRole("cell", { name: /expected an email/ })
    expect((await why.boundingBox())?.width).toBeGreaterThan(150)
    await isQuiet()
    await close()
  })

  it("call previewed rows as a run does, also those that were changed after their import or repeat a key", async () => {
    const { root, studio } = its.project
    const file = (...lines: ReadonlyArray<string>) => writeFileSync(join(root, "again.csv"), lines.join("\n"))
    file("No,Name,Mail", "1,Ann,ann@example.org", "2,Bob,bob@example.org")
    writeFileSync(
      join(root, "pipelines", "imported.yaml"),
      stringify(pipelineOf("imported", "../again.csv", { service: "practice" })),
    )
    const { call, follow } = await pageOf(studio)
    await follow((await call("runs", "start", { pipeline: "imported", mode: "run" })).id)
    file("No,Name,Mail", "1,Ann,ann@example.org", "2,Bill,bob@example.org", "1,Ann,other@example.org", "3,Cy,nowhere")
    const { close, isQuiet, page } = await its.open()
    await page.goto(`${studio.origin}/#/map/imported`)
    const preview = page.getByRole("region", { name: "Preview" })
    for (const name of ["Row 1: Valid", "Row 2: Changed", "Row 3: Duplicate", "Row 4: Invalid"]) {
      await preview.getByRole("button", { name }).click()
      await preview.getByText(name.slice("Row 1: ".length), { exact: true }).waitFor()
    }
    // After a reconciliation, a page without a run's id shows it. It read no row.
    await page.goto(`${studio.origin}/#/results/imported`)
    const heading = page.getByRole("heading", { level: 2 }).first()
    await heading.getByText(/^Run of /).waitFor()
    await follow((await call("runs", "start", { pipeline: "imported", mode: "dry-run" })).id)
    await heading.getByText(/^Dry run of /).waitFor()
    // The shown cells get the focus.
    await page.getByRole("button", { name: "Show all cells of row 4" }).click()
    await page.getByRole("heading", { name: "All cells of row 4" }).and(page.locator(":focus")).waitFor()
    await page.getByRole("button", { name: "Show all cells of row 4", expanded: true }).waitFor()
    await isQuiet()
    await close()
  })

  it("open from the file that the command opens in the browser", async () => {
    const scope = Effect.runSync(Scope.make())
    const { newLink, origin } = its.project.studio
    const file = await linkFile(newLink()).pipe(
      Effect.provide(NodeContext.layer),
      Scope.extend(scope),
      Effect.runPromise,
    )
    const { close, isQuiet, page } = await its.open({}, { origin, newLink: () => pathToFileURL(file).href })
    expect(new URL(page.url()).origin).toBe(origin)
    // The session continues.
    await page.reload()
    await page.getByRole("heading", { level: 1 }).waitFor()
    await isQuiet()
    await close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("draw only the columns and questions that are seen", async () => {
    const { close, isQuiet, page } = await its.open()
    await page.getByLabel("Drop a file with answers here").setInputFiles({
      name: "wide.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(wideRows),
    })
    await createPipeline(page, { name: "wide", service: "live", form: "wide" })
    await page.getByText("300 columns", { exact: true }).waitFor()
    const tiles = page.getByRole("list", { name: "Columns" }).getByRole("listitem")
    expect(await tiles.count()).toBeLessThan(60)
    expect(await page.getByRole("list", { name: "Questions" }).getByRole("listitem").count()).toBeLessThan(60)
    await page.getByRole("group", { name: "Columns and questions" }).evaluate((box) =>
      box.scrollTo(0, box.scrollHeight)
    )
    await tiles.filter({ hasText: "Question 300" }).waitFor()
    expect(await tiles.count()).toBeLessThan(60)
    expect(await tiles.last().getAttribute("aria-posinset")).toBe("300")
    await page.getByRole("textbox", { name: "Search" }).fill("Question 17")
    await expect.poll(() => tiles.count()).toBe(11)
    await isQuiet()
    await close()
  })

  it.runIf(isLong)(
    "show the first of 1,000,000 rows immediately, mark the figures as provisional, and then count all rows",
    async () => {
      const { close, isQuiet, page } = await its.open()
      const long = [
        "No,Name,Mail",
        ...Array.from({ length: 1_000_000 }, (_, at) => `${at},Person ${at},p${at}@example.org`),
      ]
      writeFileSync(join(its.project.root, "long.csv"), long.join("\n"))
      writeFileSync(
        join(its.project.root, "pipelines", "long.yaml"),
        stringify(pipelineOf("long", "../long.csv")),
      )
      await page.goto(`${its.project.studio.origin}/#/map/long`)
      await page.getByText("The source is being counted: 10,000 rows so far.").waitFor()
      await page.getByText("The whole source was counted: 1,000,000 rows.").waitFor({ timeout: 240_000 })
      await isQuiet()
      await close()
    },
  )

  it("keep what someone typed before the pipeline's file was read again", async () => {
    const { close, isQuiet, page } = await its.open()
    const file = join(its.project.root, "pipelines", "again.yaml")
    const ours = stringify(pipelineOf("again", "../rows.csv"))
    writeFileSync(join(its.project.root, "rows.csv"), Papa.unparse(rows))
    writeFileSync(file, ours)
    await page.goto(`${its.project.studio.origin}/#/map/again`)
    const editor = page.getByRole("textbox", { name: "Text of pipelines/again.yaml" })
    await editor.waitFor()
    await page.getByRole("link", { name: "Run", exact: true }).click()
    await editor.waitFor({ state: "detached" })
    // The answer is held in the page. Playwright's own events about an answer that a test gives are sometimes lost.
    await page.evaluate(`{
      const ask = fetch
      window.fetch = async (address, init) => {
        const answer = await ask(address, init)
        if (address === "/api/draft/open") await new Promise((resolve) => window.answerNow = resolve)
        return answer
      }
    }`)
    await page.getByRole("link", { name: "Map", exact: true }).click()
    await expect.poll(() => page.evaluate("typeof answerNow"), { timeout: 30_000 }).toBe("function")
    await editor.focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("# mine\n")
    await page.getByText("Not saved").waitFor()
    // The page takes the answer before it has drawn twice.
    await page.evaluate(
      "answerNow(), new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
    )
    await page.getByRole("button", { name: "Save", exact: true }).click({ timeout: 5000 })
    await expect.poll(() => readFileSync(file, "utf8"), { timeout: 30_000 }).toBe(`${ours}# mine\n`)
    await isQuiet()
    await close()
  })

  it("complete the keys of a pipeline, and keep a draft if its file was changed by someone else", async () => {
    const { close, page } = await its.open()
    const file = join(its.project.root, "pipelines", "conflict.yaml")
    const ours = stringify(pipelineOf("conflict", "../rows.csv"))
    writeFileSync(join(its.project.root, "rows.csv"), Papa.unparse(rows))
    writeFileSync(file, ours)
    await page.goto(`${its.project.studio.origin}/#/map/conflict`)
    const editor = page.getByRole("textbox", { name: "Text of pipelines/conflict.yaml" })
    await editor.focus()
    await page.keyboard.press("Control+End")
    await page.keyboard.insertText("# mine\nexa")
    await page.keyboard.press("Control+Space")
    await page.getByRole("option", { name: /^examples/ }).click()
    writeFileSync(file, "pipeline: conflict\n# theirs\n")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("was changed in the meantime. Nothing was written.").waitFor()
    expect(readFileSync(file, "utf8")).toContain("# theirs")
    await page.getByRole("button", { name: "Overwrite it with this draft" }).click()
    await expect.poll(() => readFileSync(file, "utf8")).toBe(`${ours}# mine
examples: `)
    await close()
  })
})
