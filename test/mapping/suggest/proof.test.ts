import { describe, expect, it } from "vitest"
import { targetOf } from "../../../src/mapping/suggest/fit.ts"
import { likeness, meaningOf } from "../../../src/mapping/suggest/meaning.ts"
import { isProven } from "../../../src/mapping/suggest/proof.ts"
import type { Unit } from "../../../src/mapping/suggest/Suggestion.ts"

const proves = (column: string, question: string, type: string) => {
  const meaning = meaningOf(column)
  const unit: Unit = { _tag: "Block", title: column, known: true, content: "ticks", members: [], meaning }
  const target = targetOf({ id: "q1", name: question, type, options: undefined })
  return isProven(unit, target, likeness(meaning, target.meaning, () => 1), undefined)
}

describe("A title", () => {
  it.each([
    ["Born", "Date of the accident", "DatePicker"],
    ["Born", "Preferred appointment date", "DatePicker"],
    ["Born", "Passport expires", "DatePicker"],
    ["Date of visit", "Date of the accident", "DatePicker"],
    ["Email", "Your supervisor's email", "EmailInput"],
    ["Number of children", "Number of tickets", "NumberInput"],
    ["Q3", "How many guests will come?", "NumberInput"],
    ["Q3", "Your sports club", "ShortAnswer"],
  ])("doesn't prove that %s answers a different question of its kind, %s", (column, question, type) => {
    expect(proves(column, question, type)).toBe(false)
  })

  it.each([
    ["Born", "Date of birth", "DatePicker"],
    ["Date", "Date of the accident", "DatePicker"],
    ["E-Mail-Adresse", "Your email", "EmailInput"],
    ["Visitors", "How many visitors came?", "NumberInput"],
  ])("proves by a common word that %s answers %s", (column, question, type) => {
    expect(proves(column, question, type)).toBe(true)
  })
})

it("an email address and a time of day need no common word", () => {
  expect(proves("Q3", "Your email", "EmailInput")).toBe(true)
  expect(proves("Q3", "When will you arrive?", "TimePicker")).toBe(true)
})
