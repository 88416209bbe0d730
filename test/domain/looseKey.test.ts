import { expect, it } from "@effect/vitest"
import { looseKey } from "../../src/domain/looseKey.ts"

const alike = (one: string, other: string): boolean => {
  const { stored } = looseKey(one)
  return looseKey(other).sought.some((text) => stored.includes(text))
}

it.each([
  ["C-1", "C-000001"],
  ["c 000001", "C-1"],
  ["C000001", "C-000001"],
  ["007", "7"],
  ["7", "7.0"],
  ["1000", "1e3"],
  ["1,000", "1000"],
  ["1.50", "1,5"],
  ["K 12.345", "k12345"],
  ["Straße 1", "STRASSE-1"],
  ["0.5", ".5"],
  ["GRO\u1e9e", "groß"],
  ["\u0130zmir", "izmir"],
  ["M\u00fcller", "Mu\u0308ller"],
  ["\uff11\uff12", "12"],
  ["a\u200bb", "ab"],
  [JSON.stringify(["A-1", "02"]), JSON.stringify(["a1", "2"])],
])("%s and %s count as alike, in either order", (one, other) => {
  expect([alike(one, other), alike(other, one)]).toEqual([true, true])
})

it.each([
  ["C-1", "C-2"],
  ["1-12", "11-2"],
  ["2024-01-11", "2024-11-01"],
  ["100", "1"],
  ["1.0", "10"],
  ["0", "1"],
  ["1.5", "2.5"],
  [".5", "5"],
  ["-", "--"],
  ["é", "e"],
  [JSON.stringify(["1", "23"]), JSON.stringify(["12", "3"])],
])("%s and %s count as different, in either order", (one, other) => {
  expect([alike(one, other), alike(other, one)]).toEqual([false, false])
})
