import { NodeContext } from "@effect/platform-node"
import { Effect, Exit, Redacted, Scope } from "effect"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { parseForm } from "../../../src/practice/files.ts"
import { serve } from "../../../src/practice/PracticeService.ts"
import { isLong } from "../../long.ts"
import { type Fault, planned } from "../../practice/faults.ts"
import { projectFolder } from "../../project/projectFolder.ts"
import { served } from "../../studio/opened.ts"
import { accessibility, launch, open, picture, tooWide, withoutBrowser } from "../browser.ts"

const key = "practice_key_of_the_test"

interface Setting {
  /** Form files, as YAML. */
  readonly forms: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly faults?: ReadonlyArray<Fault>
}

/**
 * Serves the studio of a new project, whose service `live` is the practice service over HTTP and must be confirmed.
 * `slow` is the same service with few requests and without a confirmation, and `practice` has the same forms.
 */
const startProject = async ({ faults = [], files = {}, forms }: Setting) => {
  const scope = Effect.runSync(Scope.make())
  const started = await Effect.runPromise(
    Effect.gen(function*() {
      const practice = yield* serve({
        forms: yield* Effect.forEach(forms, (text, at) => parseForm(`${at}.yaml`, text)),
        port: 0,
        apiKey: Redacted.make(key),
        faults: planned({ seed: 1, faults }),
      })
      const root = yield* projectFolder({
        "config/formferry.yaml": `services:
  live:
    baseUrl: ${practice.baseUrl}
    apiKey: { env: THE_KEY }
    requestsPerSecond: 200
  slow:
    baseUrl: ${practice.baseUrl}
    apiKey: { env: THE_KEY }
    requestsPerSecond: 2
    confirm: false
  practice:
    practice: { forms: ../forms, store: ../store }
`,
        ".env": `THE_KEY=${key}\n`,
        ...Object.fromEntries(forms.map((text, at) => [`forms/${at}.yaml`, text])),
        ...files,
      })
      return { practice, root, studio: yield* served(root, { maxUpload: 1024 ** 3 }) }
    }).pipe(Effect.provide(NodeContext.layer), Scope.extend(scope)),
  )
  return { ...started, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

type Started = Awaited<ReturnType<typeof startProject>>
type Studio = Pick<Started["studio"], "origin" | "newLink">

/**
 * Starts a browser and a project before the tests of a file, and ends both after them.
 *
 * @param setting a function, because large files are made only if the tests run
 * @param prepare what else is done before the tests
 */
export const inProject = (
  setting: () => Setting,
  { isShort = false, prepare = () => {} }: {
    /** Whether some tests also run without LONG. */
    readonly isShort?: boolean
    readonly prepare?: (project: Started) => void | Promise<void>
  } = {},
) => {
  let browser: Browser | undefined
  let project: Started | undefined
  const started = () => {
    if (project === undefined) throw new Error("The project was not started.")
    return project
  }
  beforeAll(async () => {
    if (withoutBrowser || !(isLong || isShort)) return
    browser = await launch()
    project = await startProject(setting())
    await prepare(project)
  })
  afterAll(async () => {
    await browser?.close()
    await project?.close()
  })
  return {
    get project() {
      return started()
    },
    /** Opens a studio of the project, by default its first one. */
    open: (options: Parameters<typeof openStudio>[2] = {}, studio: Studio = started().studio) =>
      openStudio(browser, { studio }, options),
  }
}

/** Opens the studio with a new link, and waits for its first view. */
export const openStudio = async (
  browser: Browser | undefined,
  { studio }: { readonly studio: Studio },
  options: { dark?: boolean; width?: number } = {},
) => {
  const watched = await open(browser, studio.newLink(), options)
  const { leaving, noise, page, requests } = watched
  page.setDefaultTimeout(60_000)
  await page.getByRole("heading", { level: 1 }).waitFor()
  return {
    page,
    leaving,
    /** Expects that the page reported no error, sent requests only to the studio, and ran no script of a file or form. */
    isQuiet: async () => {
      // The browser also reports each call that the studio refuses.
      expect(noise.filter((text) => !/status of 422/.test(text))).toEqual([])
      expect(requests.filter((address) => !address.startsWith(studio.origin))).toEqual([])
      expect(await page.evaluate("window.attacked")).toBeUndefined()
      expect(await page.locator("img, iframe, object, embed").count()).toBe(0)
    },
    close: () => page.context().close(),
  }
}

/** The themes and widths in which views are examined. Themes differ only in colours, so the second one is examined only for contrast, in one width. */
const looks = [["light", 1440], ["dark", 360], ["light", 320], ["light", 800]] as const

/** The other themes and widths of which pictures are taken. */
const otherLooks = [["light", 360], ["dark", 800], ["dark", 1440]] as const

/** Expects that axe finds nothing in a view, light and dark, and that it fits the width of a phone. */
export const isAccessible = async (page: Page, name: string) => {
  const all = process.env["PICTURES"] === undefined ? looks : [...looks, ...otherLooks]
  for (const [colorScheme, width] of isLong ? all : looks.slice(0, 2)) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    expect(await accessibility(page, colorScheme === "dark" ? ["color-contrast"] : undefined)).toEqual([])
    expect(await page.evaluate(tooWide)).toEqual([])
    await picture(page, `studio-${name}-${width}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1200, height: 900 })
}

/** Creates a pipeline from a file that someone chooses, and waits until its mapping is shown. */
export const createPipeline = async (page: Page, made: { name: string; service: string; form: string }) => {
  await page.getByRole("textbox", { name: "Name of the pipeline" }).fill(made.name)
  await page.getByRole("combobox", { name: "Service" }).selectOption(made.service)
  await page.getByRole("combobox", { name: "Form" }).selectOption(made.form)
  await page.getByRole("button", { name: "Create the pipeline" }).click()
  await page.getByRole("list", { name: "Questions" }).waitFor()
}

/** Moves the focus with the keyboard until the element has it. Tab passes a list of tiles at once, and arrow keys move in it. */
export const tabTo = async (page: Page, target: Locator) => {
  await target.waitFor()
  for (let pressed = 0; pressed < 150; pressed++) {
    const key = await target.evaluate((one) => {
      if (one.matches(":focus")) return undefined
      const now = one.ownerDocument.activeElement
      const tile = one.closest(".tile")
      if (tile === null || now?.closest("ul") !== tile.parentElement) return "Tab"
      const isLater = (now.compareDocumentPosition(one) & 4) !== 0
      return now.closest(".tile") === tile ? (isLater ? "ArrowRight" : "ArrowLeft") : isLater ? "ArrowDown" : "ArrowUp"
    })
    if (key === undefined) return
    await page.keyboard.press(key)
  }
  const [focused, found] = await target.evaluate((one) =>
    [one.ownerDocument.activeElement, one].map((element) => element?.outerHTML.slice(0, 300) ?? "nothing")
  )
  throw new Error(`The keyboard never reaches ${target}, which is ${found}. It stays at ${focused}.`)
}
