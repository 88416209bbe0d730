import { expect, it } from "vitest"
import { browserAsNeeded } from "./browser.ts"

it("in CI there is a Chromium, so that no page goes unseen", () => {
  expect(browserAsNeeded).toBe(true)
})
