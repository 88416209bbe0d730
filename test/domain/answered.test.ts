import { expect, it } from "vitest"
import { eachAnswered } from "../../src/domain/item.ts"

it("eachAnswered visits every member of an item that a mapping can fill", () => {
  const ids: Array<string> = []
  eachAnswered({
    questions: [{ id: "q", value: 1 }],
    urlParameters: [{ id: "u", name: "u", value: "1" }],
    scheduling: [{ id: "s", value: {} }],
    payments: [{ id: "p", value: {} }],
    submissionTime: "2024-01-01T00:00:00.000Z",
    lastUpdatedAt: "2024-01-01T00:00:00.000Z",
    login: { email: "a@example.org" },
  }, (id) => ids.push(id))
  expect(ids).toEqual(["q", "u", "s", "p", "submissionTime", "lastUpdatedAt", "login"])
})
