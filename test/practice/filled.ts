import { Effect } from "effect"
import type { HttpPractice } from "../../src/practice/PracticeService.ts"
import { make } from "../../src/service/client.ts"
import { options } from "../service/options.ts"

/**
 * Creates submissions in the practice service's form `f1` with the program's own client. Two of them have every member,
 * and some are plain. Returns their ids.
 */
export const submitted = (practice: Pick<HttpPractice, "apiKey" | "baseUrl">, plain = 0) =>
  Effect.gen(function*() {
    const service = yield* make({ ...options, baseUrl: practice.baseUrl, apiKey: practice.apiKey })
    const items = [
      {
        questions: [{ id: "q1", value: 'Ada "the first", Countess\r\n=1+1' }, { id: "q2", value: "r" }],
        urlParameters: [{ id: "u1", name: "legacy_id", value: "007" }],
        submissionTime: "2020-02-03T04:05:06+02:00",
        payments: [{ id: "p1", value: { paymentId: "x", totalAmount: 12.5 } }],
        login: { email: "ada@example.org" },
      },
      {
        questions: [{ id: "q1", value: "<script>window.attacked = 1</script>\u202Egnp" }],
        urlParameters: [{ id: "u9", name: "undeclared", value: "yes" }],
      },
      ...Array.from({ length: plain }, (_, index) => ({ questions: [{ id: "q1", value: `person ${index}` }] })),
    ]
    const ids: Array<string> = []
    for (let at = 0; at < items.length; at += 10) {
      const outcome = yield* service.create("f1", items.slice(at, at + 10), () => true)
      if (outcome._tag === "Created") ids.push(...outcome.ids)
    }
    return ids
  })
