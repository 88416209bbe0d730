import axe, { type AxeResults } from "axe-core"
import { existsSync, mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

/** Possible paths of Chromium. `CHROMIUM` names a different one. */
const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

/** The path of the browser, or undefined if none was found. CI requires a browser, which .ci/run installs. */
const found = places.find((place): place is string => place !== undefined && existsSync(place))

const inCi = process.env["CI"] !== undefined && process.env["CI"] !== "" && process.env["CI"] !== "false"

/** Whether the tests are skipped because no browser was found outside CI. */
export const withoutBrowser = found === undefined && !inCi
if (withoutBrowser) {
  process.stderr.write(
    "No Chromium was found: the tests of the pages are skipped. To run them, set CHROMIUM=/path/to/chromium.\n",
  )
}

/** Starts the browser. Fails if it is missing in CI. */
export const launch = (): Promise<Browser> => {
  if (found === undefined) {
    throw new Error("No Chromium was found, and CI requires it. Set CHROMIUM=/path/to/chromium.")
  }
  return chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] })
}

/** A page, and the forbidden things that it did. */
export interface Watched {
  readonly page: Page
  /** Warnings and errors in the console, script errors, and dialogs. */
  readonly noise: Array<string>
  /** Addresses that the page requested, other than its own. */
  readonly requests: Array<string>
  /** Addresses at which the page asked whether to leave it (`beforeunload`). The answer is yes. */
  readonly leaving: Array<string>
}

/** Opens an address and watches the page. */
export const open = async (
  browser: Browser | undefined,
  address: string,
  options: { readonly dark?: boolean; readonly width?: number } = {},
): Promise<Watched> => {
  if (browser === undefined) throw new Error("The browser was not started.")
  const context = await browser.newContext({
    colorScheme: options.dark === true ? "dark" : "light",
    viewport: { width: options.width ?? 1200, height: 900 },
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const noise: Array<string> = []
  const requests: Array<string> = []
  const leaving: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") noise.push(`${message.type()}: ${message.text()}`)
  })
  page.on("pageerror", (error) => noise.push(`script: ${error.message}`))
  page.on("dialog", (dialog) => {
    // The page's own question before it is left.
    if (dialog.type() === "beforeunload") leaving.push(page.url())
    else noise.push(`dialog: ${dialog.message()}`)
    void dialog.accept()
  })
  page.on("request", (request) => {
    if (request.url() !== address) requests.push(request.url())
  })
  context.on("page", (other) => noise.push(`another page: ${other.url()}`))
  noise.length = 0
  await page.goto(address)
  return { page, noise, requests, leaving }
}

/** Returns axe's findings, one line each. `rules` limits it to these rules. */
export const accessibility = async (
  page: Page,
  rules?: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run(options),
    { resultTypes: ["violations"], ...rules && { runOnly: rules } },
  )
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.html}`))
}

/** The folder for pictures of the pages, if someone asks for them: `PICTURES=test-output npx vitest run test/browser`. */
const pictures = process.env["PICTURES"]

/** Saves a picture of a page for people to look at. */
export const picture = async (page: Page, name: string, fullPage = true): Promise<void> => {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: resolve(pictures, `${name}.png`), fullPage })
}

/** Finds elements that overflow the page at its side, except those in a scrolling box. */
export const tooWide = `(() => {
  if (document.documentElement.scrollWidth <= window.innerWidth + 1) return []
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.closest(".wide") === null && one.getBoundingClientRect().right > window.innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80))
})()`
