// Runs the practice service in a separate process, with or without a limit. Reports whether exactly the rows of data.ts
// arrived.
import { Duration, Effect, Redacted } from "effect"
import { Agent, createServer, request } from "node:http"
import type { Submission } from "../../src/domain/submission.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { memoryStore, type PracticeStore } from "../../src/practice/store.ts"
import { listen } from "../localServer.ts"
import { planned } from "../practice/faults.ts"
import { rateWindow } from "../practice/rateWindow.ts"
import { sliding } from "../service/limiters.ts"
import { rows } from "./data.ts"
import { answersOf, apiKey, form } from "./project.ts"

/** A limit that the service enforces, and the milliseconds that each request takes. */
export interface Limits {
  readonly requestsPerSecond: number
  readonly latency: number
  /**
   * Uses a sliding window that no header describes, with or without `Retry-After`. By default, the practice service's
   * own limit and headers apply.
   */
  readonly sliding?: "retry-after" | "none"
  /** The limit is halved between these two times, in milliseconds after the first request. */
  readonly halved?: readonly [from: number, until: number]
}

const limits = process.argv[2] === undefined ? undefined : JSON.parse(process.argv[2]) as Limits
let kept = memoryStore()
const store: PracticeStore = {
  get: (form, id) => kept.get(form, id),
  all: (form) => kept.all(form),
  byTime: (form) => kept.byTime(form),
  append: (form, submissions) => kept.append(form, submissions),
  remove: (form, id) => kept.remove(form, id),
}

const shown = (answers: ReadonlyMap<string, unknown>) => JSON.stringify([...answers])

/**
 * Returns a difference between the stored submissions and the expected rows, or undefined if every row is stored once
 * with its answers.
 */
const wrong = (count: number, seed: number): string | undefined => {
  const all = kept.all(form.id)
  if (all.length !== count) return `${all.length} submissions instead of ${count}`
  const found = new Map<string, string>()
  for (const { json } of all) {
    const { questions, urlParameters } = JSON.parse(json) as Pick<Submission, "questions" | "urlParameters">
    const answers = new Map([...urlParameters, ...questions].map(({ id, value }) => [id, value]))
    found.set(String(answers.get("u1")), shown(answers))
  }
  for (const cells of rows(count, seed)) {
    const expected = shown(answersOf(cells))
    const there = found.get(cells[0] ?? "")
    if (there !== expected) return `${there} instead of ${expected}`
  }
  return undefined
}

/** A request of the parent process. */
export type Asked = { readonly ask: "clear" } | { readonly ask: "check"; readonly count: number; readonly seed: number }
export type Told = { readonly baseUrl: string } | { readonly wrong: string | undefined }

/** Counts requests since the first request of a round. */
let gate: { readonly since: number; readonly count: ReturnType<ReturnType<typeof sliding>> } | undefined

/** Starts a proxy that enforces a sliding limit for a service. Returns its address. */
const limited = async (baseUrl: string, { halved, requestsPerSecond, sliding: told }: Limits): Promise<string> => {
  const { host, origin, pathname } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const now = performance.now()
    const since = gate?.since ?? now
    gate ??= {
      since,
      count: sliding(1_000)((at) =>
        halved !== undefined && at - since >= halved[0] && at - since < halved[1]
          ? requestsPerSecond / 2
          : requestsPerSecond
      ),
    }
    const { allowed, wait } = gate.count(now)
    if (!allowed) {
      incoming.resume()
      const headers = told === "none" ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait / 1_000))) }
      outgoing.writeHead(429, { "content-type": "application/json", ...headers }).end("{}")
      return
    }
    const { headers, method, url } = incoming
    const forward = request(`${origin}${url}`, { agent, headers: { ...headers, host }, method }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forward)
  })
  return `http://127.0.0.1:${await listen(server)}${pathname}`
}

const tell = (told: Told) => process.send?.(told)

process.on("message", (asked: Asked) => {
  const result = asked.ask === "check" ? wrong(asked.count, asked.seed) : undefined
  if (asked.ask === "clear") {
    kept = memoryStore()
    gate = undefined
  }
  tell({ wrong: result })
})
process.on("disconnect", () => process.exit())

Effect.runFork(Effect.scoped(
  Effect.gen(function*() {
    const { baseUrl } = yield* serve({
      forms: [form],
      store,
      port: 0,
      apiKey: Redacted.make(apiKey),
      ...(limits === undefined || limits.sliding !== undefined
        ? {}
        : { rate: rateWindow(limits.requestsPerSecond, 1) }),
      ...(limits === undefined ? {} : {
        faults: planned({
          seed: 1,
          faults: [{ fault: "delay", for: Duration.millis(limits.latency), when: "before", on: "any" }],
        }),
      }),
    })
    tell({ baseUrl: limits?.sliding === undefined ? baseUrl : yield* Effect.promise(() => limited(baseUrl, limits)) })
    return yield* Effect.never
  }),
))
