import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import type { BrowserContext, Page } from "playwright-core"
import { launch } from "../browser/browser.ts"
import { formWith } from "../fakeForms.ts"
import { random } from "../random.ts"
import { onlySeconds } from "./measured.ts"
import { embedded, writeConfig } from "./project.ts"
import { seed, type Target } from "./Target.ts"

const [rows, columns, questions] = [1_000_000, 300, 60]

const titles = Array.from({ length: columns }, (_, at) => at === 0 ? "No" : `Column ${at + 1}`)

const form = formWith({
  id: "wide",
  name: "Wide",
  questions: titles.slice(1, questions + 1).map((name, at) => ({
    id: `q${at}`,
    name: `Answer of ${name}`,
    type: "ShortAnswer",
    options: undefined,
  })),
})

/** Writes a CSV file of 1.6 GB. Drawing each cell would take minutes, so the rows repeat except for their number. */
const writeWide = async (file: string): Promise<void> => {
  const next = random(seed)
  const words = ["red", "green", "12", "7.5", "2020-01-02", "yes", "no", "a@example.org", "some words", ""]
  const drawn = Array.from({ length: 64 }, () => titles.slice(1).map(() => words[Math.floor(next() * 10)]).join(","))
  const out = createWriteStream(file)
  let text = `${titles.join(",")}\n`
  for (let row = 1; row <= rows; row++) {
    text += `${row},${drawn[row % drawn.length]}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, "drain")
    text = ""
  }
  out.end(text)
  await once(out, "close")
}

/** Notes the longest time in milliseconds in which the page drew nothing. */
const watch = `(() => {
  let last = performance.now()
  window.longest = 0
  const draw = (now) => {
    window.longest = Math.max(window.longest, now - last)
    last = now
    requestAnimationFrame(draw)
  }
  requestAnimationFrame(draw)
})()`

/** Waits until the map's columns and questions can be used. */
const isOpened = async (page: Page): Promise<void> => {
  await page.getByRole("list", { name: "Columns" }).getByRole("button", { name: /^No/ }).waitFor()
  await page.getByRole("list", { name: "Questions" }).getByRole("button", { name: /^Answer of Column 2 / }).waitFor()
}

/** Opens the studio's link, and waits for the survey of all rows. The page stays open, so the studio keeps the survey. Returns the map's address. */
const surveyed = async (context: BrowserContext, stdout: Readable): Promise<string> => {
  const [line] = await once(createInterface({ input: stdout }), "line")
  const { link } = JSON.parse(String(line)) as { readonly link: string }
  const map = `${new URL(link).origin}/#/map/wide`
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.goto(map)
  await page.getByText("1,000,000 rows", { exact: true }).waitFor()
  return map
}

/** The studio in Chromium. */
export const studio: Target = {
  name: "studio",
  title: "map of a file of 1M rows × 300 columns opened after its survey",
  beside: "2 s",
  by: "times",
  of: "seconds",
  atMost: 1,
  open: async (root) => {
    writeConfig(root, { service: embedded, form })
    const entries = form.questions.map(({ name }, at) => `    - { name: ${name}, from: ${titles[at + 1]} }\n`)
    writeFileSync(
      join(root, "pipelines", "wide.yaml"),
      `pipeline: wide\nsource: { file: ../source.csv, rowKey: [No] }\nmapping:\n  questions:\n${entries.join("")}`
        + `sink: { service: bench, form: ${form.id} }\n`,
    )
    await writeWide(join(root, "source.csv"))
    // The copy of the built command that other benchmarks use has no demonstration project, which the studio looks for.
    const server = spawn(process.execPath, [resolve("dist", "main.js"), "studio", "--no-open", "--json"], { cwd: root })
    const browser = await launch()
    const close = () => {
      void browser.close()
      server.kill("SIGINT")
    }
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    context.setDefaultTimeout(1_200_000)
    const map = await surveyed(context, server.stdout).catch((cause: unknown) => {
      close()
      throw cause
    })
    return {
      ours: async () => {
        const page = await context.newPage()
        const startedAt = performance.now()
        await page.goto(map)
        await isOpened(page)
        const seconds = (performance.now() - startedAt) / 1_000
        await page.evaluate(watch)
        for (let turn = 0; turn < 30; turn++) {
          await page.getByRole("group", { name: "Columns and questions" }).hover()
          await page.mouse.wheel(0, 600)
        }
        await page.getByRole("textbox", { name: "Search" }).pressSequentially("Column 2", { delay: 30 })
        const longest = Number(await page.evaluate("window.longest"))
        process.stderr.write(
          `opened in ${seconds.toFixed(2)} s, then drew nothing for at most ${longest.toFixed(0)} ms\n`,
        )
        if (longest > 200) throw new Error(`the page drew nothing for ${longest.toFixed(0)} ms`)
        await page.close()
        return onlySeconds(seconds)
      },
      beside: async () => onlySeconds(2),
      close,
    }
  },
}
