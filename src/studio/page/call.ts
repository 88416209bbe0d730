import type { Calls, Home, Job } from "../Api.ts"
import { failures } from "./strings.ts"

/** Why a call could not be done. */
export interface Failed {
  readonly _tag: string
  readonly message: string
  readonly diagnostics?: Home["diagnostics"]
  /** What the file says now, if it was changed. */
  readonly text?: string
  readonly version?: string
}

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

type Answer<G extends keyof Calls, E extends keyof Calls[G]> = Calls[G][E] extends { readonly success: infer A } ? A
  : never

/** Calls the server. Rejects with `Failed`. */
export const call = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  payload: Calls[G][E] extends { readonly payload: infer P } ? P : never,
  signal: AbortSignal | null = null,
): Promise<Answer<G, E>> =>
  await sent(`${group}/${name}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
    signal,
  }) as Answer<G, E>

/** Sends a file to the server. Rejects with `Failed`. */
export const send = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  query: { readonly [key: string]: string },
  file: File,
): Promise<Answer<G, E>> =>
  await sent(`${group}/${name}?${new URLSearchParams(query)}`, {
    headers: { "content-type": "application/octet-stream" },
    body: file,
  }) as Answer<G, E>

/** Calls `show` with each job, now and whenever one changes. Returns a function that stops this. */
export const listen = (show: (job: Job) => void): () => void => {
  const events = new EventSource("/api/runs/events")
  events.addEventListener("message", ({ data }) => show(JSON.parse(data)))
  return () => events.close()
}
