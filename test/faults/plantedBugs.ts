import { Deferred, Effect } from "effect"
import type { Item } from "../../src/domain/item.ts"
import type { Submission } from "../../src/domain/submission.ts"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import type { Bug } from "./FormferryProcess.ts"

/** Classic mistakes of import tools, planted by wrapping ports. The simulation must find each of them. */

/** Sends before the intent is committed. The batch's number is returned at once, and the commit follows later. */
const sendsBeforeTheIntent: Bug = {
  session: (session): LedgerSession => {
    const batches = new Map<
      number,
      Deferred.Deferred<number, Effect.Effect.Error<ReturnType<LedgerSession["intend"]>>>
    >()
    let last = 0
    const committed = (number: number) => {
      const batch = batches.get(number)
      return batch === undefined ? Effect.dieMessage(`Batch ${number} was never given out.`) : Deferred.await(batch)
    }
    return {
      ...session,
      intend: (batch) =>
        Effect.gen(function*() {
          const number = ++last
          const committed = yield* Deferred.make<number, Effect.Effect.Error<ReturnType<LedgerSession["intend"]>>>()
          batches.set(number, committed)
          yield* Effect.forkDaemon(Effect.intoDeferred(session.intend(batch), committed))
          return number
        }),
      recordOutcomes: (number, outcomes) =>
        Effect.flatMap(
          Effect.catchTag(committed(number), "RowShared", Effect.die),
          (batch) => session.recordOutcomes(batch, outcomes),
        ),
      recordReturned: (number, ids, decide) =>
        Effect.flatMap(
          Effect.catchTag(committed(number), "RowShared", Effect.die),
          (batch) => session.recordReturned(batch, ids, decide),
        ),
    }
  },
}

/** Treats a request that may have arrived as one that did not arrive, so that the sink resends it. */
const retriesATimeout: Bug = {
  service: (service) => ({
    ...service,
    create: (form, items, guard) =>
      Effect.map(service.create(form, items, guard), (outcome) =>
        outcome._tag === "InDoubt"
          ? { _tag: "NotCreated", reason: outcome.reason, throttled: false, wait: undefined }
          : outcome),
  }),
}

/** Returns a submission with its own id, but with the content of `item`. */
const dressed = (submission: Submission, item: Item): Submission => ({
  ...submission,
  questions: item.questions.map(({ id, value }) => ({ id, name: undefined, type: undefined, known: true, value })),
  urlParameters: (item.urlParameters ?? []).map(({ id, name, value }) => ({ id, name, value })),
})

/** Matches submissions and items by their position: each submission gets the content of the item at its position. */
const matchesByPosition: Bug = {
  service: (service) => ({
    ...service,
    create: (form, items, guard) =>
      Effect.map(service.create(form, items, guard), (outcome) =>
        outcome._tag === "Created"
          ? {
            ...outcome,
            submissions: outcome.submissions.map((submission, index) => {
              const item = items[index]
              return submission === undefined || item === undefined ? submission : dressed(submission, item)
            }),
          }
          : outcome),
  }),
}

/** Treats a deletion that failed as one that succeeded. */
const believesADeletion: Bug = {
  service: ({ remove, ...service }) => ({
    ...service,
    remove: remove
      && ((form, id, guard) => Effect.orElseSucceed(remove(form, id, guard), () => "deleted" as const)),
  }),
}

/** Does not record which rejected row a corrected row replaces. */
const forgetsTheOriginal: Bug = {
  session: (session): LedgerSession => ({
    ...session,
    intend: (batch) => session.intend({ ...batch, rows: batch.rows.map((row) => ({ ...row, supersedes: undefined })) }),
  }),
}

/** Planted bugs, each with the promises that it breaks. No other promise may be reported. */
export const plantedBugs: Readonly<Record<string, { readonly bug: Bug; readonly breaks: ReadonlyArray<string> }>> = {
  "sending before the intent is committed": {
    bug: sendsBeforeTheIntent,
    breaks: ["intent before the first byte"],
  },
  "retrying a timeout": {
    bug: retriesATimeout,
    // "ledger and service agree" is broken if the run ends between the two requests.
    breaks: ["no row is sent twice", "intent before the first byte", "ledger and service agree"],
  },
  "believing a deletion": {
    bug: believesADeletion,
    breaks: ["ledger and service agree", "undo deletes what its run created"],
  },
  "forgetting the original of a corrected row": {
    bug: forgetsTheOriginal,
    breaks: ["a row that was corrected and imported is not rejected again"],
  },
  "matching by position": { bug: matchesByPosition, breaks: ["ledger and service agree"] },
}
