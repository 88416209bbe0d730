import type { Calls, Home, Job } from "../Api.ts"
import { failures } from "./strings.ts"

/** Why a call could not be done. */
export type Failed =
  & Readonly<{ _tag: string; message: string; diagnostics?: Home["diagnostics"] }>
  /** What the file says now, if it was changed. */
  & Readonly<{ text?: string; version?: string }>

const sent = async (path: string, init: RequestInit): Promise<unknown> => {
  const answer = await fetch(`/api/${path}`, { method: "POST", ...init }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error
    throw { _tag: "Unreachable", message: failures.unreachable } satisfies Failed
  })
  if (answer.status === 403 || answer.status === 421) {
    throw { _tag: "Forbidden", message: failures.forbidden } satisfies Failed
  }
  const content: unknown = await answer.json().catch(() => ({}))
  if (!answer.ok) throw { _tag: "Unknown", message: failures.unknown(answer.status), ...content as object }
  return content
}

type Part<C, Name extends string> = C extends { readonly [N in Name]: infer A } ? A : never

/** Calls the server. Rejects with `Failed`. */
export const call = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  payload: Part<Calls[G][E], "payload">,
  signal: AbortSignal | null = null,
) => {
  const headers = { "content-type": "application/json" }
  const answer = await sent(`${group}/${name}`, { headers, body: JSON.stringify(payload), signal })
  return answer as Part<Calls[G][E], "success">
}

/** Sends a file to the server. Rejects with `Failed`. */
export const send = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  query: { readonly [key: string]: string },
  file: File,
  signal: AbortSignal | null = null,
) => {
  const headers = { "content-type": "application/octet-stream" }
  const answer = await sent(`${group}/${name}?${new URLSearchParams(query)}`, { headers, body: file, signal })
  return answer as Part<Calls[G][E], "success">
}

/** Calls `show` with each job, now and whenever one changes, and `link` when the connection opens or breaks. Connects again until the page is closed. */
export const listen = (show: (job: Job) => void, link: (isOpen: boolean) => void): void => {
  const events = new EventSource("/api/runs/events")
  events.addEventListener("message", ({ data }) => show(JSON.parse(data)))
  events.addEventListener("open", () => link(true))
  events.addEventListener("error", () => {
    link(false)
    // The browser itself connects again, except after an answer such as 403.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 3000, show, link)
  })
}

/** The views of a pipeline, as they are called in addresses. */
export const pipelineViews = ["map", "run", "results"] as const

/** Returns the address of a view of a pipeline, or of one of its runs. */
export const addressOf = (view: (typeof pipelineViews)[number], ...parts: ReadonlyArray<string>): string =>
  ["#", view, ...parts.map(encodeURIComponent)].join("/")

/** Returns the address of a run's report. */
export const reportOf = (pipeline: string, run: string): string =>
  `/reports/${encodeURIComponent(pipeline)}/${encodeURIComponent(run)}/report.html`
