import { expect, it } from "vitest"
import { browserAsNeeded } from "./browser.ts"

it("Chromium is installed in CI, so that every page is tested", () => {
  expect(browserAsNeeded).toBe(true)
})
