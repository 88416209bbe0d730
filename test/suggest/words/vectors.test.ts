import { describe, expect, it } from "vitest"
import { learnVectors } from "../../../.ci/words/learnVectors.ts"
import { nearness, topicEvidence, topicsOf } from "../../../src/suggest/words/topics.ts"
import { cosine, directionOf } from "../../../src/suggest/words/vectors.ts"

const near = (one: string, other: string) => cosine(topicsOf(one).direction, topicsOf(other).direction)

describe("The vectors of words", () => {
  const concepts = [
    ["birthday", "geburtstag", "fecha nacimiento"],
    ["telephone", "handynummer", "numero movil"],
    ["height", "korpergrosse", "estatura"],
  ].map((phrases) => phrases.map((phrase) => phrase.split(" ")))

  it("are similar for phrases of one concept, and not for those of different concepts, after they are learned", () => {
    const table = learnVectors(() => {}, concepts, 400)
    const [birth, phone, height] = concepts.map((phrases) => phrases.map((words) => directionOf(table, words)))
    for (const [own, others] of [[birth, phone], [phone, height], [height, birth]]) {
      const nearest = Math.max(...own!.flatMap((one) => others!.map((other) => cosine(one, other))))
      for (const one of own!) for (const same of own!) expect(cosine(one, same)).toBeGreaterThan(nearest + 0.1)
    }
  })

  it("are learned with the same result each time", () => {
    const [one, other] = [1, 2].map(() => Buffer.from(learnVectors(() => {}, concepts, 5).buffer))
    expect(one!.equals(other!)).toBe(true)
  })

  it.each([
    ["geburtsdatm", "date of birth"],
    ["telefonnummern_der_kunden", "phone"],
    ["krankenversicherngsnr", "Health insurance"],
  ])("of a misspelt or compound word have the direction of its parts: %s, %s", (title, question) => {
    expect(near(title, question)).toBeGreaterThan(0.3)
    expect(near(title, "Shoe size")).toBeLessThan(0.25)
  })

  it.each([
    ["geburtsdatm", "date of birth"],
    ["krankenversicherngsnr", "Health insurance"],
    ["Departmnt", "Department"],
    ["Nationalty", "Nationality"],
  ])("prove what a title without a known concept is about: %s, %s", (title, question) => {
    const proves = (other: string) => topicEvidence(topicsOf(title), topicsOf(other))
    expect(nearness(topicsOf(title), topicsOf(question))).toBe(0)
    expect(proves(question)).toBeGreaterThan(2)
    expect(proves("Shoe size")).toBe(-Infinity)
  })
})
