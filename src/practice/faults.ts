import * as Effect from "effect/Effect"
import * as Utils from "effect/Utils"
import { isObject, parsedJson } from "../domain/json.ts"
import { notFound, type PracticeAnswer } from "./refusals.ts"
import type { Decision, ServedRequest } from "./rules.ts"
import type { StoredSubmission } from "./store.ts"

/** The operations that a request can ask for. */
export const operations = ["create", "read", "form", "list", "delete"] as const

type Operation = (typeof operations)[number]

/** How a request ends for the client. */
export type Reply =
  | { readonly _tag: "Answer"; readonly answer: PracticeAnswer }
  /** The head and half of the body are sent, then the connection is reset. */
  | { readonly _tag: "Cut"; readonly answer: PracticeAnswer }
  | { readonly _tag: "Reset" }
  /** Nothing is sent. */
  | { readonly _tag: "Silence" }

export const answered = (answer: PracticeAnswer): Reply => ({ _tag: "Answer", answer })

type Submissions = ReadonlyArray<StoredSubmission>

/** The request that a fault affects, and the actions that the fault can take. */
export interface FaultContext {
  /** The items of a create request, as sent. Empty for other requests. */
  readonly items: ReadonlyArray<unknown>
  /** The current time in milliseconds. */
  readonly now: number
  /** Draws a whole number from 0 up to, but not including, `below`. */
  readonly pick: (below: number) => number
  readonly newId: () => string
  /** Refuses connections for this number of milliseconds. */
  readonly refuseConnections: (millis: number) => void
  /** Resets the connection at its next request, without reading the request. */
  readonly resetNext: () => void
  /** Hides these submissions for this number of milliseconds, from lists only or also from reads, which then receive 404. */
  readonly hide: (submissions: Submissions, millis: number, from: "list" | "any") => void
  /** Creates an empty submission in the form that the request names, as if someone else had submitted it. */
  readonly intrude: Effect.Effect<PracticeAnswer>
}

/** A planned fault: the requests that it affects, and what it changes. Without `chance` and `at`, it affects every request. */
export interface PlannedFault {
  /** The fault's name in the counts of what occurred. */
  readonly name: string
  /** The operation that the fault affects. Default: create. */
  readonly on?: Operation | "any" | undefined
  /** The share of the requests that the fault affects, from 0 to 1. */
  readonly chance?: number | undefined
  /** The numbers of the only requests that the fault affects, counting from 1. */
  readonly at?: ReadonlyArray<number> | undefined
  /** The number of requests at the start that the fault does not affect. */
  readonly skip?: number | undefined
  /** The maximum number of times that the fault occurs. */
  readonly times?: number | undefined
  /** A string that must occur in the body of an affected request. */
  readonly containing?: string | undefined
  /** Whether the connection is reset before the request is read. */
  readonly resetsUnread?: boolean
  /** Returns which of the submissions created by a request are kept, and which are in the response. Default: all. */
  readonly keep?: (
    created: Submissions,
    context: FaultContext,
  ) => { readonly kept: Submissions; readonly returned: Submissions }
  /**
   * Returns what the client receives. `served` serves the request and returns the service's own response, which is the
   * default.
   */
  readonly reply?: (served: Effect.Effect<PracticeAnswer>, context: FaultContext) => Effect.Effect<Reply>
}

/** Faults in the order in which they are tried. The first fault that applies affects the request. The same seed and requests produce the same faults. */
export interface FaultPlan {
  readonly seed: number
  readonly faults: ReadonlyArray<PlannedFault>
}

/** A request whose head has arrived, and the fault that affects it, if any. */
export interface FaultedRequest {
  readonly operation: Operation
  readonly fault: PlannedFault | undefined
  readonly connection: object
}

/** The practice service's faults. They take effect between a request and the rules. */
export interface Faults {
  /** Draws the fault for a request whose head has arrived. */
  readonly draw: (head: Pick<ServedRequest, "method" | "path">, connection: object) => FaultedRequest
  /** Returns the time (milliseconds) until which connections are refused. */
  readonly refusedUntil: () => number
  /** Serves a request, including its fault. */
  readonly reply: (request: ServedRequest, drawn: FaultedRequest) => Effect.Effect<Reply>
  /** Returns how many times each fault occurred, by name. */
  readonly counts: () => Readonly<Record<string, number>>
}

/** The parts of the service that faults need. */
export interface FaultedService {
  readonly decide: (request: ServedRequest, isListed: ((id: string) => boolean) | undefined) => Decision
  readonly keep: (form: string, submissions: Submissions) => Effect.Effect<void>
  readonly remove: (form: string, id: string) => Effect.Effect<void>
  /** Returns the current time in milliseconds. */
  readonly now: () => number
  readonly newId: () => string
}

const operationOf = ({ method, path }: Pick<ServedRequest, "method" | "path">): Operation => {
  if (method === "POST") return "create"
  if (method === "DELETE") return "delete"
  const [named = ""] = path.split("?", 1)
  return /\/submissions\//.test(named) ? "read" : named.endsWith("/submissions") ? "list" : "form"
}

const textOf = (body: Uint8Array): string => Buffer.from(body).toString("utf8")

const itemsOf = (body: Uint8Array): ReadonlyArray<unknown> => {
  const content = parsedJson(textOf(body))
  const items = isObject(content) ? content["submissions"] : undefined
  return Array.isArray(items) ? items : []
}

/** Returns a request, with the same key and form, that creates an empty submission. */
const asIntruder = (request: ServedRequest): ServedRequest => ({
  ...request,
  method: "POST",
  path: request.path.replace(/(\/submissions).*$/, "$1"),
  headers: { ...request.headers, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ submissions: [{ questions: [] }] })),
})

const resetUnread: PlannedFault = { name: "reset before", resetsUnread: true }

export const makeFaults = (plan: FaultPlan, service: FaultedService): Faults => {
  const random = new Utils.PCGRandom(plan.seed, 0)
  const rules = plan.faults.map((fault) => ({ fault, seen: 0, times: 0 }))
  const counts = new Map<string, number>()
  let refusedUntil = -Infinity
  /** The connections on which the next request is reset unread. */
  const resetOnNext = new WeakSet<object>()
  /** The time at which each hidden submission becomes visible to reads or in lists, by its id. */
  const readableAt = new Map<string, number>()
  const listedAt = new Map<string, number>()

  /**
   * Draws the fault for a request, if any. `text` is undefined until the body has arrived. Faults that depend on the
   * body are tried only then.
   */
  const drawFault = (operation: Operation, text?: string): PlannedFault | undefined => {
    for (const rule of rules) {
      const { at, chance, containing, name, on = "create", skip = 0, times = Infinity } = rule.fault
      if ((on !== "any" && on !== operation) || (containing === undefined) !== (text === undefined)) continue
      if (containing !== undefined && text?.includes(containing) !== true) continue
      rule.seen++
      if (rule.seen <= skip || rule.times >= times) continue
      // Draws a number even if `at` excludes the request, so that one fault's settings don't change the chances of the others.
      const drawn = chance === undefined || random.number() < chance
      if (!drawn || (at !== undefined && !at.includes(rule.seen))) continue
      rule.times++
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return rule.fault
    }
    return undefined
  }

  const isHidden = ({ path }: ServedRequest): boolean => {
    if (readableAt.size === 0) return false
    const id = decodeURIComponent(path.split("?", 1)[0]?.split("/").at(-1) ?? "")
    return (readableAt.get(id) ?? -Infinity) > service.now()
  }

  const isListed = (id: string): boolean => (listedAt.get(id) ?? -Infinity) <= service.now()

  /**
   * Serves a request by the rules: stores what the request creates, unless the fault prevents that, or removes what it
   * deletes, then returns the response.
   */
  const served = (
    request: ServedRequest,
    operation: Operation,
    fault: PlannedFault | undefined,
    context: FaultContext,
  ) =>
    Effect.suspend(() => {
      if (operation === "read" && isHidden(request)) return Effect.succeed(notFound)
      const { answer, created, removed } = service.decide(request, listedAt.size === 0 ? undefined : isListed)
      if (removed !== undefined) return Effect.as(service.remove(removed.form, removed.id), answer)
      if (created === undefined) return Effect.succeed(answer)
      if (fault?.keep === undefined) return Effect.as(service.keep(created.form, created.submissions), answer)
      const { kept, returned } = fault.keep(created.submissions, context)
      return Effect.as(service.keep(created.form, kept), {
        ...answer,
        body: `{"submissions":[${returned.map(({ json }) => json).join(",")}]}`,
      })
    })

  return {
    counts: () => Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    refusedUntil: () => refusedUntil,
    draw: (head, connection) => {
      const operation = operationOf(head)
      const fault = resetOnNext.delete(connection) ? resetUnread : drawFault(operation)
      return { operation, fault, connection }
    },
    reply: (request, { connection, fault: ofHead, operation }) =>
      Effect.suspend(() => {
        const fault = ofHead ?? drawFault(operation, textOf(request.body))
        const context: FaultContext = {
          get items() {
            return itemsOf(request.body)
          },
          get now() {
            return service.now()
          },
          pick: (below) => random.integer(below),
          newId: service.newId,
          refuseConnections: (millis) => {
            refusedUntil = service.now() + millis
          },
          resetNext: () => resetOnNext.add(connection),
          hide: (submissions, millis, from) => {
            for (const { id } of submissions) {
              listedAt.set(id, service.now() + millis)
              if (from === "any") readableAt.set(id, service.now() + millis)
            }
          },
          intrude: Effect.suspend(() => served(asIntruder(request), "create", undefined, context)),
        }
        const answer = served(request, operation, fault, context)
        return fault?.reply === undefined ? Effect.map(answer, answered) : fault.reply(answer, context)
      }),
  }
}
