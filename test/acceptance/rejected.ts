// What a person does with the rows that the last run rejected.
import { expect } from "@effect/vitest"
import { join } from "node:path"
import type { Bench } from "./contacts.ts"

/** Runs the command that the last run suggested, unchanged. */
export const importFixed = (at: Bench, lastLine: string) => {
  expect(lastLine).toMatch(/^formferry run contacts --source \S+rejected\.csv$/)
  return at.inProcess(...lastLine.split(" ").slice(1))
}

/** Changes the last run's rejected.csv. */
export const fix = (at: Bench, ...changes: ReadonlyArray<readonly [RegExp | string, string]>) => {
  const file = join("reports/contacts/latest", "rejected.csv")
  for (const [before, after] of changes) {
    expect(at.read(file).search(before)).toBeGreaterThanOrEqual(0)
    at.write(file, at.read(file).replace(before, after))
  }
}
