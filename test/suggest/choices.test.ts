import { describe, expect, it } from "vitest"
import { nameOrNumber } from "../../src/domain/row.ts"
import { profiler } from "../../src/profile/ColumnProfile.ts"
import { draftChoices, unknownOf } from "../../src/suggest/draft/draftChoices.ts"
import { settingsFor } from "../../src/suggest/draft/settings.ts"
import { indexOptions, likelySeparator, optionNamed, splitFit } from "../../src/suggest/optionIndex.ts"
import { translate } from "../../src/suggest/translate.ts"
import { unitsOf } from "../../src/suggest/units.ts"

const options = (...labels: ReadonlyArray<string>) => labels.map((label) => ({ value: label.toLowerCase(), label }))
const counted = (...texts: ReadonlyArray<string>) => new Map(texts.map((text) => [text, 1]))

describe("Choices", () => {
  const interests = indexOptions(options("Reading", "Sports, outdoor", "Music"))

  it.each([
    [["Reading, Music", "Sports, outdoor", "Music, Sports, outdoor"], ","],
    [["Reading;Music;", "Music;"], ";"],
    [["Reading\nMusic"], "\n"],
    [["reading music"], " "],
    [["Reading", "Sports, outdoor"], undefined],
  ])("are never split inside an option: %j", (cells, separator) => {
    const fit = splitFit(counted(...cells), interests)
    expect(fit.separator).toBe(separator)
    expect(fit.covered).toBe(1)
  })

  it("are only the pieces that a run reads as options", () => {
    expect(splitFit(counted("I like reading, music and sports", "reading and music"), interests)).toEqual({
      covered: 0,
      hits: 0,
      separator: undefined,
    })
    const { hits, separator } = splitFit(counted("Reading; chess", "Music; chess"), interests)
    expect([hits, separator]).toEqual([2, ";"])
  })

  it("are split at the separator that produces repeated pieces if no options are known", () => {
    expect(likelySeparator(counted("a;b", "b;c", "c;a"))).toBe(";")
    expect(likelySeparator(counted("one, two", "three"))).toBe(undefined)
  })

  it("are matched across spellings, and across languages if they say yes or no", () => {
    expect(optionNamed(indexOptions(options("Círculo", "Square")), "CIRCULO!")?.label).toBe("Círculo")
    expect(optionNamed(indexOptions(options("Yes", "No")), "1")?.label).toBe("Yes")
    expect(optionNamed(indexOptions(options("Yes", "No")), "ja")?.label).toBe("Yes")
  })

  it.each([
    ["Dose 3", ["Dose 2", "None", "Unknown", "Other"]],
    ["Session 3", ["Session 1", "Session 2"]],
    ["Last shift", ["First shift", "None"]],
  ])("are not translated into an option that contradicts them: %s", (choice, labels) => {
    const question = { id: "q", name: "Which?", type: "Dropdown", options: options(...labels) }
    const [one] = profiler([{ position: 0, title: "Choice", name: "Choice" }]).profiles()
    const suggestion = { question, origin: { _tag: "Column", ...one! }, confidence: 1, because: [] } as const
    expect(translate(suggestion, [choice])).toEqual(new Map())
  })

  it("are counted in the cells of a grid, even if the form gives its question no type", () => {
    const columns = ["Rooms", "Food"].map((title, position) => ({ position, title: `Rate [${title}]`, name: title }))
    const profiles = profiler(columns)
    for (const cells of [["Good", "Bad"], ["Awful", "Good"], ["Bad", "Awful"]]) profiles.addRow(cells)
    const question = { id: "q", name: "Rate", type: undefined, options: options("Good", "Bad") }
    const [block] = unitsOf(profiles.profiles(), [], [])
    const suggestion = { question, origin: block!, confidence: 1, because: [] }
    expect(unknownOf(suggestion, settingsFor(suggestion)).counts).toEqual([["Awful", 2]])
  })

  it("are counted one by one in a column with more texts than are kept", () => {
    const profiles = profiler([{ position: 0, title: "Colour", name: "Colour" }])
    for (let at = 0; at < 4_000; at++) profiles.addRow([at % 2 === 0 ? `boat ${at}` : "Red"])
    const question = { id: "q", name: "Colour", type: "Dropdown", options: options("Red", "Blue") }
    const origin = { _tag: "Column", ...profiles.profiles()[0]! } as const
    const suggestion = { question, origin, confidence: 1, because: [] }
    const settings = settingsFor(suggestion)
    const { counts, more } = unknownOf(suggestion, settings)
    expect(more).toBe(true)
    expect(counts.every(([, count]) => count === 1)).toBe(true)
    expect(draftChoices(suggestion, settings, nameOrNumber).open).toContain(
      "999 and more choices are not options",
    )
  })
})
