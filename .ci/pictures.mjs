// Makes the pictures in the README, which show a report page, a terminal and the studio. Uses the sample contacts, some of them with mistakes. CHROMIUM=/path names the browser. `npm run pictures` builds first.
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { chromium } from "playwright-core"
import { bundled } from "./bundled.mjs"

const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const pictures = resolve("docs/pictures")
const folder = realpathSync(mkdtempSync(join(tmpdir(), "formferry-pictures-")))
// The picture of the studio shows this name.
const project = join(folder, "formferry-demo")

const classes = { 1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow" }

const asHtml = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/\p{Cc}\[(\d+)m/gu, (_, code) => code in classes ? `<span class="${classes[code]}">` : "</span>")

const page = (content) =>
  `<style>
body { margin: 0; padding: 16px 20px; background: #16191f; color: #d7dae0; width: max-content }
pre { margin: 0; font: 13px/1.35 "DejaVu Sans Mono", monospace }
.prompt { color: #fff } .bold { font-weight: bold; color: #fff } .dim { color: #8b929e }
.green { color: #7ec98f } .yellow { color: #e2c172 } .red { color: #ec8080 }
</style><pre>${content}</pre>`

try {
  const { pictured, recorded } = await bundled("test/demo/pictured.ts")
  const shown = pictured(project)
  const browser = await chromium.launch({
    executablePath: browsers.find((path) => path !== undefined && existsSync(path)),
    args: ["--no-sandbox", "--disable-gpu"],
  })
  const tab = await browser.newPage({ viewport: { width: 1100, height: 920 }, colorScheme: "light" })
  await tab.goto(pathToFileURL(shown.page).href)
  await tab.evaluate((path) => {
    document.body.innerHTML = document.body.innerHTML.replaceAll(`${path}/`, "")
  }, project)
  await tab.screenshot({ path: join(pictures, "report.png") })
  // The terminal needs a separate page, because the report's content security policy allows only the report's styles.
  const screen = await browser.newPage({ viewport: { width: 1000, height: 100 } })
  await screen.setContent(page(`<b class="prompt">${shown.typed}</b>\n${asHtml(shown.terminal)}`))
  await screen.locator("body").screenshot({ path: join(pictures, "terminal.png") })
  const studio = spawn(process.execPath, [resolve("dist/main.js"), "studio", "--no-open"], { cwd: project })
  const link = await new Promise((found) => {
    let said = ""
    const look = (text) => {
      said += text
      const [address] = /http:\S+/.exec(said) ?? []
      if (address !== undefined) found(address)
    }
    studio.stdout.on("data", look)
    studio.stderr.on("data", look)
  })
  const map = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" })
  await map.goto(link)
  await map.getByRole("link", { name: shown.suggested }).click()
  await map.getByText(/^The whole source was counted/).waitFor()
  await map.getByRole("textbox", { name: /^Text of/ }).waitFor()
  await map.screenshot({ path: join(pictures, "studio.png") })
  await browser.close()
  studio.kill("SIGINT")
  await new Promise((ended) => studio.on("exit", ended))
  writeFileSync(recorded, shown.text)
} finally {
  rmSync(folder, { recursive: true })
}
