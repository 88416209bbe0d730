import { expect, it } from "vitest"
import { browserAsNeeded } from "./browser.ts"

it("CI has a Chromium, so that every page is tested", () => {
  expect(browserAsNeeded).toBe(true)
})
