import { describe, expect, it } from "vitest"
import { profiler } from "../../src/profile/ColumnProfile.ts"
import { collectUnknown } from "../../src/profile/UnknownChoices.ts"
import { optionFit, targetOf } from "../../src/suggest/fit.ts"
import { meaningOf } from "../../src/suggest/meaning.ts"
import { indexOptions, splitFit } from "../../src/suggest/optionIndex.ts"
import { unitsOf } from "../../src/suggest/units.ts"

const options = Array.from({ length: 3_000 }, (_, at) => ({ value: `v${at}`, label: `Option ${at} of a long list` }))

const columnOf = (title: string, cells: ReadonlyArray<string> = []) => {
  const profiles = profiler([{ position: 0, title, name: title }])
  for (const cell of cells) profiles.addRow([cell])
  return profiles.profiles()[0]!
}

describe("suggestions for a source and a form of any size", () => {
  it.each([
    ["1,000 words", Array.from({ length: 1_000 }, (_, at) => `word${"abcdefghij"[at % 10]}${"klm"[at % 3]}`).join(" ")],
    ["a word of 16,000 letters", "abcdefgh".repeat(2_000)],
    ["20,000 spaces", `Your${" ".repeat(20_000)}name`],
    ["8,000 sentences", "Why? ".repeat(8_000)],
    ["5,000 brackets", "(a b ".repeat(5_000)],
  ])("compares only the first words of a title with %s", (_, title) => {
    const { terms } = meaningOf(title)
    expect(terms.length).toBeLessThanOrEqual(50)
    expect(Math.max(...terms.map(({ text }) => text.length))).toBeLessThanOrEqual(40)
  })

  it("ignores how many spaces separate the words of a title", () => {
    expect(meaningOf(`Your${" ".repeat(1_000)}first name`).terms).toEqual(meaningOf("Your first name").terms)
  })

  it("distinguishes long titles that differ at the end", () => {
    const start = "word ".repeat(1_000)
    expect(meaningOf(`${start}one`).same).not.toBe(meaningOf(`${start}other`).same)
  })

  it("finds no block in headers longer than 2,000 characters", () => {
    const long = "a - ".repeat(5_000)
    const units = unitsOf([columnOf(`${long}b`, ["x"]), columnOf(`${long}c`, ["x"])], [], [])
    expect(units.map(({ _tag }) => _tag)).toEqual(["Column", "Column"])
  })

  it("finds an option among 3,000 by its words", () => {
    const cells = new Map([["Option 7 of a long list; OPTION 2999 OF A LONG LIST", 2], ["Option 7 of a long list", 1]])
    expect(splitFit(cells, indexOptions(options))).toEqual({ covered: 1, hits: 2, separator: ";" })
  })

  it("compares a sample of a column's texts with a question's options", () => {
    const cells = Array.from({ length: 1_000 }, (_, at) => options[at]!.label)
    const unit = { _tag: "Column", meaning: meaningOf("Choice"), ...columnOf("Choice", cells) } as const
    const question = { id: "q", name: "Choice", type: "Dropdown", options }
    expect(optionFit(unit, targetOf(question))).toMatchObject({ covered: 1, hits: 200 })
  })

  it("counts every unknown choice of a cell, even if the question has 3,000 options", () => {
    const question = { id: "q", name: "Choice", type: "Checkboxes", options }
    const counter = collectUnknown("choices", { split: ";" }, question, new Set())!
    for (let cell = 0; cell < 300; cell++) counter.add(`first ${cell}; second ${cell}`)
    const { counts, more } = counter.unknown()
    expect(more).toBe(false)
    expect(counts).toHaveLength(600)
  })
})
