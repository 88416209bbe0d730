import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { profiler } from "../../src/profile/ColumnProfile.ts"
import { confidenceIn, likenessTo, reasonsFor } from "../../src/suggest/evidence.ts"
import { targetOf } from "../../src/suggest/fit.ts"
import { meaningOf } from "../../src/suggest/meaning.ts"
import { suggest } from "../../src/suggest/suggest.ts"
import type { Unit } from "../../src/suggest/Suggestion.ts"
import { nearness, topicsOf } from "../../src/suggest/words/topics.ts"

const proves = (column: string, question: string, type: string) => {
  const target = targetOf({ id: "q1", name: question, type, options: undefined })
  const title = likenessTo(target, meaningOf(column))
  return confidenceIn(0.94, target, { title, evidence: title.evidence, cover: undefined }) === 0.94
}

describe("A title", () => {
  it.each([[-0.5, 0.94], [-0.6, 0.89], [-1, 0.89], [-1.1, 0.75]])(
    "with an evidence of %d allows a confidence of %d",
    (evidence, most) => {
      const target = targetOf({ id: "q1", name: "Place of work", type: "ShortAnswer", options: undefined })
      const title = likenessTo(target, meaningOf("Office"))
      expect(confidenceIn(0.94, target, { title, evidence, cover: undefined })).toBe(most)
    },
  )

  it.each([
    ["Born", "Date of the accident", "DatePicker"],
    ["Born", "Preferred appointment date", "DatePicker"],
    ["Born", "Passport expires", "DatePicker"],
    ["Date of visit", "Date of the accident", "DatePicker"],
    ["Email", "Your supervisor's email", "EmailInput"],
    ["Home phone", "Phone of your legal guardian", "PhoneNumber"],
    ["Number of children", "Number of tickets", "NumberInput"],
    ["Q3", "How many guests will come?", "NumberInput"],
    ["Q3", "Your sports club", "ShortAnswer"],
    ["Q3", "Your email", "EmailInput"],
    ["Q3", "When will you arrive?", "TimePicker"],
    ["Q3", "Can you swim?", "Switch"],
    ["Seit wann arbeiten Sie hier? (Jahre)", "Stromverbrauch im letzten Jahr", "NumberInput"],
  ])("doesn't prove that %s answers a different question of its kind, %s", (column, question, type) => {
    expect(proves(column, question, type)).toBe(false)
  })

  it.each([
    ["Born", "Date of birth", "DatePicker"],
    ["Date", "Date of the accident", "DatePicker"],
    ["E-Mail-Adresse", "Your email", "EmailInput"],
    ["Visitors", "How many visitors came?", "NumberInput"],
    ["Email of the baby's clinic", "Email of the child's clinic", "EmailInput"],
  ])("proves by a common word that %s answers %s", (column, question, type) => {
    expect(proves(column, question, type)).toBe(true)
  })
})

describe("Titles for yes or no", () => {
  it.each([
    ["Do not contact me", "May we contact you?"],
    ["no_contact", "Contact allowed"],
    ["I have no allergies", "Do you have any allergies?"],
    ["I don't want to receive the newsletter", "Would you like to receive our newsletter?"],
    ["Newsletter opt-out", "Newsletter"],
    ["Unsubscribe", "Subscribe to newsletter"],
    ["Never smoked", "Do you smoke?"],
    ["Inactive", "Active"],
    ["Kein Newsletter", "Newsletter"],
    ["Bitte kontaktieren Sie mich nicht", "Dürfen wir Sie kontaktieren?"],
    ["Nichtraucher", "Raucher"],
    ["Ne pas me contacter", "Pouvons-nous vous contacter ?"],
    ["Non-fumeur", "Fumeur"],
    ["No deseo recibir el boletín", "¿Desea recibir el boletín?"],
    ["Sin alergias", "¿Tiene alergias?"],
    ["Não quero receber a newsletter", "Quer receber a newsletter?"],
    ["Sem alergias", "Tem alergias?"],
    ["Nicht kontaktieren", "May we contact you?"],
  ])("prove nothing if a yes to %s is a no to %s", (column, question) => {
    const options = ["No", "Yes"].map((label) => ({ value: label, label }))
    for (const [one, other] of [[column, question], [question, column]] as const) {
      expect(proves(one, other, "Switch")).toBe(false)
      const target = targetOf({ id: "q1", name: other, type: "Dropdown", options })
      expect(likenessTo(target, meaningOf(one)).isInverse).toBe(true)
    }
  })

  it.each([
    ["I do not want to be in photos", "I do not wish to be photographed"],
    ["No allergies", "Keine Allergien"],
    ["I agree to receive news by email (you can unsubscribe at any time)", "Newsletter"],
    ["Photo consent", "I agree that photos are taken. No names will be published."],
    ["Allergies (yes / no)", "Do you have any allergies?"],
    ["Participa no jantar?", "Jantar"],
    ["Acceso sin barreras", "Acceso en silla de ruedas"],
  ])("prove that %s answers %s if neither denies what the other says", (column, question) => {
    expect(proves(column, question, "Switch")).toBe(true)
  })

  it("are compared for a question without a type if the cells are yes or no", () => {
    const column = { position: 0, title: "Do not contact me", name: "Do not contact me" }
    const target = targetOf({ id: "q1", name: "May we contact you?", type: undefined, options: undefined })
    const isInverse = (cells: ReadonlyArray<string>) => {
      const { addRow, profiles } = profiler([column])
      for (const cell of cells) addRow([cell])
      return likenessTo(target, meaningOf(column.title), profiles()[0]!.profile).isInverse
    }
    expect(isInverse(["yes", "no", "no"])).toBe(true)
    expect(isInverse(["by phone", "by email", "yes"])).toBe(false)
  })
})

describe("Titles of one topic", () => {
  it.each([
    ["What brings you to us?", "Motivation", "LongAnswer"],
    ["Who recommended us?", "How did you hear about our courses?", "ShortAnswer"],
  ])("prove that %s answers %s", (column, question, type) => {
    expect(proves(column, question, type)).toBe(true)
  })
})

describe("Words in the titles", () => {
  it("prove more, the fewer topics they have", () => {
    const near = (one: string, other: string) => nearness(topicsOf(one), topicsOf(other))
    expect(near("Year of birth", "Born")).toBeGreaterThan(5 * near("Year of birth", "Year of construction"))
    expect(near("How heavy are you?", "Body weight (kg)")).toBeGreaterThan(5 * near("How are you?", "Body weight (kg)"))
  })
})

describe("The only column of dates, Born,", () => {
  const rows = Array.from({ length: 30 }, (_, at) => [
    `Person ${at}`,
    `person${at}@example.org`,
    `${1950 + at}-0${1 + at % 9}-1${at % 9}`,
  ])
  const columns = ["Full name", "Email", "Born"].map((title, position) => ({ position, title, name: title }))
  const acceptedFor = (question: string) => {
    const { addRow, profiles } = profiler(columns)
    for (const row of rows) addRow(row)
    const questions = [["Full name", "ShortAnswer"], ["Email", "EmailInput"], [question, "DatePicker"]] as const
    const form = {
      id: "form",
      name: "Form",
      questions: questions.map(([name, type], at) => ({ id: `q${at}`, name, type, options: undefined })),
      calculations: [],
      urlParameters: [],
      scheduling: [],
      payments: [],
      quiz: undefined,
    }
    const { questions: suggested } = Effect.runSync(suggest({ form, columns: profiles(), blocks: [] }))
    return {
      accepted: suggested.flatMap(({ accepted, question }) => accepted === undefined ? [] : [question.name]),
      candidates: suggested.flatMap(({ accepted, candidates }) => accepted === undefined ? [candidates.length] : []),
    }
  }

  it.each(["Date of the accident", "Passport expires", "When did you join the club?"])(
    "is only a candidate for %s, even at the same place",
    (question) => {
      expect(acceptedFor(question)).toEqual({ accepted: ["Full name", "Email"], candidates: [1] })
    },
  )

  it("is accepted for the date of birth", () => {
    expect(acceptedFor("Date of birth")).toEqual({ accepted: ["Full name", "Email", "Date of birth"], candidates: [] })
  })
})

describe("The reasons for a suggestion", () => {
  it("say that all cells are dates only if none is different", () => {
    const column = { position: 0, title: "Born", name: "Born" }
    const target = targetOf({ id: "q1", name: "Born", type: "DatePicker", options: undefined })
    const reasonOf = (other: string) => {
      const { addRow, profiles } = profiler([column])
      for (let day = 0; day < 300; day++) addRow([day === 0 ? other : `${1700 + day}-01-17`])
      const [profiled] = profiles()
      const compared = { title: likenessTo(target, meaningOf(column.title)), evidence: 0, cover: undefined }
      return reasonsFor({ _tag: "Column", ...profiled! } as Unit, target, compared)[1]
    }
    expect(reasonOf("2000-01-17")).toBe("all 300 cells are dates")
    expect(reasonOf("unknown")).toBe("<100% of the 300 cells are dates")
  })
})
