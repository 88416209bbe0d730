import { Duration, Effect } from "effect"
import type { ServedRequest } from "../service/inProcess.ts"
import { forge, isForged } from "./faultAnswers.ts"
import { faultDraws } from "./faultDraws.ts"
import type { Operation } from "./faultDraws.ts"
import { kept, told } from "./faultedSubmissions.ts"
import type { Fault, FaultPlan } from "./faultKinds.ts"
import { refusal } from "./refusals.ts"
import type { PracticeAnswer } from "./refusals.ts"
import type { Decision } from "./rules.ts"
import type { StoredSubmission } from "./store.ts"

/** What becomes of a request, seen from the connection. */
export type Reply =
  | { readonly _tag: "Answer"; readonly answer: PracticeAnswer }
  /** The head and half of the body, then the connection is reset. */
  | { readonly _tag: "Cut"; readonly answer: PracticeAnswer }
  | { readonly _tag: "Reset" }
  /** Nothing, ever. */
  | { readonly _tag: "Silence" }

/** A request whose head was met by a fault, or by none. */
export interface Met {
  readonly operation: Operation
  readonly fault: Fault | undefined
}

/** The practice service's faults: what stands between a request and the rules. */
export interface Faults {
  /** Draws the fault for a request whose head has arrived. `keptAlive`: earlier requests came over the same connection. */
  readonly meet: (head: Pick<ServedRequest, "method" | "path">, connection: object) => Met
  /** Whether a request is dropped with its connection before it is read. */
  readonly resetsUnread: (met: Met) => boolean
  /** The time (milliseconds) until which connections are refused. */
  readonly refusedUntil: () => number
  /** Does a request, faults included. */
  readonly reply: (request: ServedRequest, met: Met) => Effect.Effect<Reply>
  /** How often each was met. */
  readonly met: () => Readonly<Record<string, number>>
}

/** What faults need of the service. */
export interface FaultedService {
  readonly decide: (request: ServedRequest) => Decision
  readonly keep: (form: string, submissions: ReadonlyArray<StoredSubmission>) => Effect.Effect<void>
  /** Milliseconds. */
  readonly now: () => number
  readonly newId: () => string
}

const operationOf = ({ method, path }: Pick<ServedRequest, "method" | "path">): Operation =>
  method === "POST" ? "create" : /\/submissions\//.test(path) ? "read" : "form"

const itemsOf = (body: Uint8Array): ReadonlyArray<unknown> => {
  try {
    const content: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    const items: unknown = typeof content === "object" && content !== null && "submissions" in content
      ? content.submissions
      : undefined
    return Array.isArray(items) ? items : []
  } catch {
    return []
  }
}

const answered = (answer: PracticeAnswer): Reply => ({ _tag: "Answer", answer })

export const makeFaults = (plan: FaultPlan, service: FaultedService): Faults => {
  const { draw, pick, met } = faultDraws(plan)
  let refusedUntil = -Infinity
  /** Connections on which the next request is reset unread. */
  const doomed = new WeakSet<object>()
  const connectionOf = new WeakMap<Met, object>()
  /** When submissions that are not visible yet will be, by id. */
  const visibleAt = new Map<string, number>()

  const isInvisible = ({ path }: ServedRequest): boolean => {
    if (visibleAt.size === 0) return false
    const id = decodeURIComponent(path.split("?", 1)[0]?.split("/").at(-1) ?? "")
    return (visibleAt.get(id) ?? -Infinity) > service.now()
  }

  /** Does what the rules decide, as the fault lets it: gives the answer, and keeps what is created before. */
  const served = (request: ServedRequest, operation: Operation, fault: Fault | undefined) =>
    Effect.suspend(() => {
      if (operation === "read" && isInvisible(request)) return Effect.succeed(refusal(404, "Not Found"))
      const decision = service.decide(request)
      if (decision.created === undefined || fault === undefined) {
        return decision.created === undefined
          ? Effect.succeed(decision.answer)
          : Effect.as(service.keep(decision.created.form, decision.created.submissions), decision.answer)
      }
      const { form, submissions } = decision.created
      const wanted = kept(fault, submissions, pick)
      const stored = fault.fault === "too-few" && !fault.created ? told(fault, wanted, pick, service.newId) : wanted
      const answer = told(fault, wanted, pick, service.newId)
      if (fault.fault === "invisible") {
        const at = service.now() + Duration.toMillis(fault.for)
        for (const submission of stored) visibleAt.set(submission.id, at)
      }
      return Effect.as(service.keep(form, stored), {
        ...decision.answer,
        body: `{"submissions":[${answer.map(({ json }) => json).join(",")}]}`,
      })
    })

  const forged = (request: ServedRequest, fault: Fault): PracticeAnswer | undefined => {
    if (!isForged(fault)) return undefined
    const items = itemsOf(request.body)
    const text = "containing" in fault ? fault.containing : undefined
    const guilty = text === undefined ? -1 : items.findIndex((item) => JSON.stringify(item).includes(text))
    return forge(fault, { items: items.length, guilty: guilty < 0 ? undefined : guilty }, service.now(), pick)
  }

  return {
    met,
    refusedUntil: () => refusedUntil,
    meet: (head, connection) => {
      const operation = operationOf(head)
      const fault: Fault | undefined = doomed.has(connection) ? { fault: "reset", when: "before" } : draw(operation)
      doomed.delete(connection)
      const one = { operation, fault }
      connectionOf.set(one, connection)
      return one
    },
    resetsUnread: ({ fault }) => fault?.fault === "reset" && fault.when === "before",
    reply: (request, one) =>
      Effect.suspend((): Effect.Effect<Reply> => {
        const { operation } = one
        const fault = one.fault ?? draw(operation, Buffer.from(request.body).toString("utf8"))
        const answer = served(request, operation, fault)
        if (fault === undefined) return Effect.map(answer, answered)
        const forgery = forged(request, fault)
        if (forgery !== undefined) {
          const isAfter = "when" in fault && fault.when === "after"
          return isAfter ? Effect.as(answer, answered(forgery)) : Effect.succeed(answered(forgery))
        }
        switch (fault.fault) {
          case "refuse":
            return Effect.map(answer, (given) => {
              refusedUntil = service.now() + Duration.toMillis(fault.for)
              return answered(given)
            })
          case "reset":
            return fault.when === "before" ? Effect.succeed({ _tag: "Reset" }) : Effect.as(answer, { _tag: "Reset" })
          case "reset-kept-alive":
            return Effect.map(answer, (given) => {
              const connection = connectionOf.get(one)
              if (connection !== undefined) doomed.add(connection)
              return answered(given)
            })
          case "unanswered":
            return fault.when === "before"
              ? Effect.succeed({ _tag: "Silence" })
              : Effect.as(answer, { _tag: "Silence" })
          case "cut":
            return Effect.map(answer, (given) => ({ _tag: "Cut", answer: given }))
          case "delay":
            return Effect.map(
              fault.when === "before" ? Effect.delay(answer, fault.for) : Effect.tap(answer, Effect.sleep(fault.for)),
              answered,
            )
          default:
            return Effect.map(answer, answered)
        }
      }),
  }
}
