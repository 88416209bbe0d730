import { Effect, Exit, FiberRef } from "effect"
import type { Item } from "../domain/item.ts"
import type { CreateOutcome, FormService } from "./FormService.ts"
import { outcomeOfFailure, outcomeOfResponse, type OutcomeSettings } from "./outcome.ts"
import { segment } from "./requests.ts"
import type { Requests } from "./requests.ts"
import { notWanted, sendOne } from "./sendOne.ts"
import { telemetryOn } from "./telemetry.ts"
import type { MaybeSent, NeverSent, TransportRequest, TransportResponse } from "./transport.ts"

/** The request that is never repeated: each create is sent once, and what became of it is told as far as anybody can know. */
export const makeCreate = (requests: Requests, settings: OutcomeSettings): FormService["create"] => {
  const { count, counted, judged, queue, send } = requests
  // Items whose request is known to have created nothing: sending one of them once more is a retry.
  const again = new WeakSet<Item>()
  return (formId, items, guard, unwanted) =>
    Effect.flatMap(FiberRef.get(telemetryOn), (on) => {
      if (items.some((item) => again.has(item))) count("retried")
      const path = `/forms/${segment(formId)}/submissions`
      const request: TransportRequest = { method: "POST", path, body: settings.codec.createRequest(items), guard }
      const noted = (outcome: CreateOutcome) => {
        if (outcome._tag === "NotCreated") { for (const item of items) again.add(item) }
        return outcome
      }
      const answered = (response: TransportResponse, wait: number | undefined) =>
        noted(outcomeOfResponse(response, items.length, wait, settings))
      const failed = (failure: NeverSent | MaybeSent) => noted(outcomeOfFailure(failure))
      // Each request has a span then.
      if (on) {
        return Effect.match(send("create", "create", request, unwanted), {
          onSuccess: ([response, wait]) => answered(response, wait),
          onFailure: failed,
        })
      }
      return sendOne({
        request,
        priority: "create",
        queue,
        dispatch: counted("create"),
        judge: (outcome, startedAt) =>
          judged(outcome, startedAt, {
            answered: (response, wait) => Exit.succeed(answered(response, wait)),
            failed: (failure) => Exit.succeed(failed(failure)),
          }),
        unwanted,
        notSent: () => failed(notWanted),
      })
    })
}
