import { expect, it } from "vitest"
import type { Item } from "../../src/domain/item.ts"
import { listedLikenessOf } from "../../src/sink/likeness.ts"
import { formWith } from "../fakeForms.ts"
import { submissionWith } from "../fakeSubmissions.ts"

it("a submission that answers a question twice may be the row's, whichever answer comes first", () => {
  const form = formWith({ questions: [{ id: "q", name: "Name", type: "ShortAnswer", options: undefined }] })
  const item: Item = { questions: [{ id: "q", value: "Ada Lovelace" }] }
  const stamps = { origin: new Set<string>(), rowKey: undefined }
  const likenessOf = listedLikenessOf(item, { form, answers: [], stamps, sentAt: undefined })
  const answer = (value: string) => ({ id: "q", name: "Name", type: "ShortAnswer", known: true, value })
  const likeness = [["Ada Lovelace", "Zzz"], ["Zzz", "Ada Lovelace"], ["Ada Lovelace", ""], ["Zzz", "Yyy"]].map((
    values,
  ) => likenessOf(submissionWith({ questions: values.map(answer) })))
  expect(likeness).toEqual(["resembles", "resembles", "fits", "resembles"])
})
