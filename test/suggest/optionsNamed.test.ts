import { expect, it } from "@effect/vitest"
import { foreignChoices } from "../../src/suggest/draft/draftChoices.ts"
import { indexOptions, optionsNamed } from "../../src/suggest/optionIndex.ts"

const options = (...labels: ReadonlyArray<string>) => labels.map((label) => ({ value: label, label }))

const namedBy = (texts: ReadonlyArray<string>, ...labels: ReadonlyArray<string>) =>
  optionsNamed(indexOptions(options(...labels)), texts).map((option) => option?.label)

it("an option is named in spite of case, accents and punctuation", () => {
  expect(namedBy(["primary school.", "Círculo", "Yes, often"], "Primary school", "Circulo", "yes often")).toEqual([
    "Primary school",
    "Circulo",
    "yes often",
  ])
})

it("names with different digits, symbols, single letters or words name no option", () => {
  expect(namedBy(["A (+)", "A-", "≤ 1 year", "−2", "Dose 3"], "A+", "B-", "< 1 year", "2", "Dose 2")).toEqual([
    "A+",
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(namedBy(["AB", "Rh", "(A-)"], "AB-", "AB+", "Rh-", "A-")).toEqual([undefined, undefined, "A-"])
  expect(namedBy(["From work", "No children", "Austria"], "At work", "I have children", "Australia")).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it("two columns never get the same option: the exact name has priority", () => {
  expect(namedBy(["at work.", "At work"], "At work", "At home")).toEqual([undefined, "At work"])
})

it("a choice with a similar name is proposed and not written", () => {
  const question = { id: "q", name: "Country", type: "Dropdown", options: options("Australia", "Belgium", "Chad") }
  const suggestion = { question, origin: { _tag: "Joined" as const, columns: [] }, confidence: 1, because: [] }
  const choices = foreignChoices(suggestion, [["Austria", 40], ["BELGIUM.", 2]])
  expect(choices.map(({ choice, option }) => [choice, option?.label])).toEqual([
    ["Austria", undefined],
    ["BELGIUM.", "Belgium"],
  ])
})

it("a name that several options have names none, unless one of them is written exactly like it", () => {
  const colours = [{ value: "a", label: "Red" }, { value: "b", label: "red" }, { value: "c", label: "Blue" }]
  const texts = ["Red", "red", "RED", "blue"]
  expect(optionsNamed(indexOptions(colours), texts).map((option) => option?.value)).toEqual(["a", "b", undefined, "c"])
  const codes = [{ value: "1", label: "2" }, { value: "2", label: "3" }]
  expect(optionsNamed(indexOptions(codes), ["1", "2", "3"]).map((option) => option?.value)).toEqual([
    "1",
    undefined,
    "2",
  ])
})
