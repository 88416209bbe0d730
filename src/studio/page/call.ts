import type { Calls, Home, Job } from "../Api.ts"
import { failures } from "./strings.ts"

/** Why a call could not be done. */
export type Failed =
  & Readonly<{ _tag: string; code?: string; message: string; diagnostics?: Home["diagnostics"] }>
  /** What the file says now, if it was changed. */
  & Readonly<{ text?: string; version?: string }>

/** The calls that change something. If their answer doesn't arrive, it is not known whether they did. */
const changing = /^(project.create|draft.save|runs.(start|answer|stop)|results.(fix|settle))/

const sent = async (path: string, body: string | File, signal: AbortSignal | null): Promise<unknown> => {
  const unsure = changing.test(path) ? ` ${failures.unsure}` : ""
  const ask = (address: string, of: RequestInit = {}) =>
    fetch(address, { method: "POST", signal, ...of }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw { _tag: "Unreachable", message: failures.unreachable + unsure } satisfies Failed
    })
  const id = crypto.randomUUID()
  const place = `/api/longer/${id}`
  const leave = () => void fetch(place, { method: "DELETE" }).catch(() => {})
  signal?.addEventListener("abort", leave)
  const type = typeof body === "string" ? "application/json" : "application/octet-stream"
  let answer = await ask(`/api/${path}`, { body, headers: { "content-type": type, "call-id": id } })
  // A call that takes longer doesn't keep its connection, because a browser opens only six for all pages of the studio.
  for (let time = 100; answer.status === 202; time = Math.min(1000, time * 1.5)) {
    await new Promise((resolve) => {
      setTimeout(resolve, time)
      signal?.addEventListener("abort", resolve)
    })
    signal?.throwIfAborted()
    answer = await ask(place)
  }
  signal?.removeEventListener("abort", leave)
  if (answer.status === 403 || answer.status === 421) {
    throw { _tag: "Forbidden", message: (await answer.text()).trim() } satisfies Failed
  }
  const content: unknown = await answer.json().catch(() => ({}))
  if (!answer.ok) throw { _tag: "Unknown", message: failures.unknown(answer.status) + unsure, ...content as object }
  return content
}

type Part<C, Name extends string> = C extends { readonly [N in Name]: infer A } ? A : never

/** Calls the server. Rejects with `Failed`. */
export const call = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  payload: Part<Calls[G][E], "payload">,
  signal: AbortSignal | null = null,
) => await sent(`${group}/${name}`, JSON.stringify(payload), signal) as Part<Calls[G][E], "success">

/** Sends a file to the server. Rejects with `Failed`. */
export const send = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  query: { readonly [key: string]: string },
  file: File,
  signal: AbortSignal | null = null,
) => await sent(`${group}/${name}?${new URLSearchParams(query)}`, file, signal) as Part<Calls[G][E], "success">

/** The checks and runs of the studio, and whether it can be reached. */
export type News = Readonly<{ isOpen: boolean; jobs: ReadonlyMap<string, Job> }>

/** Calls `hear` with the news until the page is closed. Only one of a browser's pages connects to the studio, and passes the news on to the others. */
export const listen = (hear: (news: News) => void): void => {
  const others = new BroadcastChannel("formferry-studio")
  let news: News | undefined
  const post: (message: News | "ask") => void = others.postMessage.bind(others)
  const connect = () => {
    const events = new EventSource("/api/runs/events")
    const tell = (by: Partial<News>) => {
      news = { isOpen: true, jobs: new Map(), ...news, ...by }
      hear(news)
      post(news)
    }
    events.addEventListener("message", ({ data }) => {
      const job: Job = JSON.parse(data)
      tell({ jobs: new Map(news?.jobs).set(job.id, job) })
    })
    // The studio sends all jobs again.
    events.addEventListener("open", () => tell({ isOpen: true, jobs: new Map() }))
    events.addEventListener("error", () => {
      tell({ isOpen: false })
      // The browser itself connects again, except after an answer such as 403.
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3000)
    })
  }
  // A page that was just opened asks for the news.
  others.addEventListener("message", ({ data }) => data !== "ask" ? hear(data) : news && post(news))
  post("ask")
  void navigator.locks.request("formferry-studio", () => new Promise(connect))
}

/** The views of a pipeline, as they are called in addresses. */
export const pipelineViews = ["map", "run", "results"] as const

export const addressOf = (view: (typeof pipelineViews)[number], ...parts: ReadonlyArray<string>): string =>
  ["#", view, ...parts.map(encodeURIComponent)].join("/")

export const reportOf = (pipeline: string, run: string): string =>
  `/reports/${encodeURIComponent(pipeline)}/${encodeURIComponent(run)}/report.html`
