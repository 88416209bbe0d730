import { Effect } from "effect"
import type { Item } from "../domain/item.ts"
import type { CreateOutcome, FormService } from "./FormService.ts"
import { outcomeOfFailure, outcomeOfResponse, type OutcomeSettings } from "./outcome.ts"
import { segment } from "./requests.ts"
import type { Requests } from "./requests.ts"

/** The request that is never repeated: each create is sent once, and its outcome is classified as far as it can be known. */
export const makeCreate = ({ count, send }: Requests, settings: OutcomeSettings): FormService["create"] => {
  // Items whose request is known to have created nothing: sending one of them again is a retry.
  const notCreated = new WeakSet<Item>()
  return (formId, items, guard, unwanted) =>
    Effect.suspend(() => {
      if (items.some((item) => notCreated.has(item))) count("retried")
      const path = `/forms/${segment(formId)}/submissions`
      const body = settings.codec.createRequest(items)
      return Effect.match(send("create", { method: "POST", path, body, guard }, unwanted), {
        onSuccess: ({ response, wait }) => outcomeOfResponse(response, items.length, wait, settings),
        onFailure: outcomeOfFailure,
      })
    }).pipe(Effect.tap((outcome: CreateOutcome) => {
      if (outcome._tag === "NotCreated") { for (const item of items) notCreated.add(item) }
    }))
}
