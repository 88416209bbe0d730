import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { setTimeout as after } from "node:timers/promises"
import { secretsMask } from "../../src/cli/openProject.ts"
import { Notifier } from "../../src/jobs/attempt.ts"
import type { Calls, Job } from "../../src/studio/Api.ts"
import { serveStudio } from "../../src/studio/serve.ts"
import type { StudioOptions } from "../../src/studio/Studio.ts"

type Options = Partial<Omit<StudioOptions, "root"> & { readonly port: number | undefined }>

/** Serves the studio of a project folder until the scope closes. Like the command, it hides the project's secrets. */
export const served = (root: string, options: Options = {}) =>
  Effect.map(
    serveStudio({
      root,
      port: 0,
      isDemo: false,
      anotherLink: "Start it again.",
      maxUpload: 1024 * 1024,
      ...secretsMask(() => {}),
      ...options,
    }),
    ({ jobs, newLink }) => ({ jobs, newLink, origin: new URL(newLink()).origin }),
  ).pipe(Effect.provideService(Notifier, Notifier.overHttp(true)))

/** An answer of the studio. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** Sends a request with exactly these headers, as a program other than a browser can. */
export const asked = (
  origin: string,
  path: string,
  { body, headers = {}, method = "GET" }: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string | Uint8Array
  } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      const chunks: Array<Buffer> = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }))
      answer.on("error", reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** Opens a link, and returns the cookie of its session. */
export const enter = async (origin: string, link: string): Promise<string> => {
  const { headers } = await asked(origin, link.slice(origin.length))
  return String(headers["set-cookie"]).split(";")[0] ?? ""
}

/** What an answer other than 200 contains. */
class CallFailed extends Error {
  readonly status: number
  readonly content: Readonly<Record<string, unknown>>
  constructor(status: number, body: string) {
    super(`${status} ${body}`)
    this.status = status
    this.content = body.startsWith("{") ? JSON.parse(body) : {}
  }
}

type Payload<G extends keyof Calls, E extends keyof Calls[G]> = Calls[G][E] extends { readonly payload: infer P } ? P
  : never
type Success<G extends keyof Calls, E extends keyof Calls[G]> = Calls[G][E] extends { readonly success: infer A } ? A
  : never

/** A page's calls. */
export const pageOf = async (studio: { readonly origin: string; readonly newLink: () => string }) => {
  const { origin } = studio
  const cookie = await enter(origin, studio.newLink())
  const answers: Array<string> = []
  const ask = (path: string, body: string | Uint8Array = "", method = "POST") => {
    const length = String(Buffer.byteLength(body))
    const headers = { cookie, origin, "content-type": "application/json", "content-length": length }
    return asked(origin, path, { method, headers, body })
  }
  const post = async (path: string, body: string | Uint8Array) => {
    let answer = await ask(`/api/${path}`, body)
    // A call that takes longer is asked for again at this place.
    while (answer.status === 202) {
      await after(20)
      answer = await ask(String(answer.headers["location"]))
    }
    answers.push(answer.body)
    if (answer.status !== 200) throw new CallFailed(answer.status, answer.body)
    return JSON.parse(answer.body)
  }
  const call = <G extends keyof Calls, E extends keyof Calls[G] & string>(
    group: G,
    name: E,
    payload: Payload<G, E>,
  ): Promise<Success<G, E>> => post(`${group}/${name}`, JSON.stringify(payload))
  /** Returns each state of a job, in order, until `isLast` returns true. */
  const follow = async (id: string, isLast = (job: Job) => job.state._tag === "Ended"): Promise<ReadonlyArray<Job>> => {
    const gone = new AbortController()
    const answer = await fetch(`${origin}/api/runs/events`, { headers: { cookie }, signal: gone.signal })
    const states: Array<Job> = []
    let text = ""
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split("\n\n")
      text = events.pop() ?? ""
      for (const event of events.filter((one) => one.startsWith("data: "))) {
        const job: Job = JSON.parse(event.slice("data: ".length))
        answers.push(event)
        if (job.id !== id) continue
        states.push(job)
        if (isLast(job)) {
          gone.abort()
          return states
        }
      }
    }
    throw new Error(`The events of ${id} ended.`)
  }
  return {
    origin,
    cookie,
    /** Everything that the calls and events answered. */
    answers,
    ask,
    call,
    follow,
    /** Starts a call. Returns a function that leaves it, as a page does. */
    leaving: (path: string, payload: unknown) => {
      const gone = new AbortController()
      const id = randomUUID()
      const headers = { cookie, origin, "content-type": "application/json", "call-id": id }
      const init = { method: "POST", headers, body: JSON.stringify(payload), signal: gone.signal }
      const answer = fetch(`${origin}/api/${path}`, init).catch(() => {})
      return async () => {
        gone.abort()
        await answer
        await ask(`/api/longer/${id}`, "", "DELETE")
      }
    },
    send: (path: string, file: string | Uint8Array) => post(path, file),
    get: (path: string) => asked(origin, path, { headers: { cookie } }),
    /** Starts a job, and returns its end. */
    done: async (payload: Payload<"runs", "start">) => {
      const { id } = await call("runs", "start", payload)
      const states = await follow(id)
      const { state } = states.at(-1)!
      if (state._tag !== "Ended") throw new Error("The job has not ended.")
      return { ...state, states }
    },
  }
}

/** Serves the studio, opens the pipeline in a page, and calls `body` with both. */
export const withDraft = (
  root: string,
  body: (page: Awaited<ReturnType<typeof pageOf>>, draft: { pipeline: string; text: string }) => Promise<void>,
) =>
  Effect.flatMap(served(root), (studio) =>
    Effect.promise(async () => {
      const page = await pageOf(studio)
      const { text } = await page.call("draft", "open", { pipeline: "people" })
      await body(page, { pipeline: "people", text })
    }))
