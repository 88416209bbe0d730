import { describe, expect, it } from "vitest"
import { likeness, meaningOf } from "../../../src/suggest/meaning.ts"
import { nearness, topicsOf } from "../../../src/suggest/words/topics.ts"
import { wordsOf } from "../../../src/suggest/words/words.ts"

const like = (a: string, b: string) => likeness(meaningOf(a), meaningOf(b))

describe("Titles", () => {
  it("are words without case, accents, punctuation and markup", () => {
    expect(wordsOf("firstName")).toEqual(["first", "name"])
    expect(wordsOf("E-Mail_Adresse:")).toEqual(["e", "mail", "adresse"])
    expect(wordsOf("<strong>Straße</strong> &nbsp;Größe (cm)")).toEqual(["strasse", "grosse", "cm"])
    expect(wordsOf("address2")).toEqual(["address", "2"])
    expect(wordsOf("¿Cuál es tu {{field:1}} país?")).toEqual(["cual", "es", "tu", "pais"])
  })

  it.each([
    ["Geburtsdatum", "Date of birth"],
    ["Telefonnummer", "Phone"],
    ["In welchem Land leben Sie?", "País de residencia"],
    ["Adresse électronique", "E-mail"],
    ["Nome completo", "Full name"],
    ["postal code", "PLZ"],
    ["first_name", "Prénom"],
    ["Geb.-Datum", "Geburtsdatum"],
    ["Straße / Hausnr.", "Street"],
  ])("mean the same in different languages: %s, %s", (a, b) => {
    expect(like(a, b).value).toBeGreaterThan(0.85)
  })

  it.each([
    ["What did you like most?", "What did you like least?"],
    ["Start date", "End date"],
    ["Address", "Address 2"],
    ["Date of visit 1", "Date of visit 2"],
    ["First name", "Last name"],
    ["Billing city", "Delivery city"],
  ])("are distinguished by one word: %s, %s", (a, b) => {
    expect(like(a, b).opposed).toBe(true)
  })

  it.each([
    ["Height", "Weight"],
    ["Employer", "Employee"],
    ["Gender", "Sender"],
    ["Contract date", "Contact date"],
    ["Prize", "Price"],
    ["Month", "Mouth"],
  ])("are different words, although they are spelt alike: %s, %s", (a, b) => {
    expect(like(a, b).value).toBeLessThan(0.8)
  })

  it("are distinguished by single letters, as in A and B", () => {
    expect(like("Session A rating", "Session B rating").value).toBeLessThan(0.9)
    expect(like("Session A rating", "Session rating").value).toBeLessThan(1)
  })

  it("are compared by more words than the texts of options", () => {
    const [one, other] = ["Fancy dress", "Verkleidung"] as const
    expect(like(one, other).value).toBe(0)
    expect(nearness(topicsOf(one), topicsOf(other))).toBeGreaterThan(0.5)
  })

  it.each([
    ["How heavy are you?", "Weight (kg)"],
    ["In welcher Stadt wurden Sie geboren?", "Place of birth"],
    ["Rechnungsbetrag", "Invoice amount"],
    ["Choose the first day of your stay (rooms are ready from 3 pm)", "Check-in date"],
  ])("have a topic by all of their words: %s, %s", (one, other) => {
    expect(nearness(topicsOf(one), topicsOf(other))).toBeGreaterThan(0.5)
  })

  it("have a topic by the beginning of a word, near enough for a suggestion", () => {
    expect(nearness(topicsOf("Do you smoke?"), topicsOf("tobac_use"))).toBeGreaterThan(0.05)
  })
})
