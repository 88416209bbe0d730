import type { Calls, Job } from "../Api.ts"

/** The server's answer to a call that it could not do. */
export interface Failed {
  readonly _tag: string
  readonly message?: string
  readonly [field: string]: unknown
}

/** Calls the server. Rejects with `Failed`. */
export const call = async <G extends keyof Calls, E extends keyof Calls[G] & string>(
  group: G,
  name: E,
  payload: Calls[G][E] extends { readonly payload: infer P } ? P : never,
  signal: AbortSignal | null = null,
): Promise<Calls[G][E] extends { readonly success: infer A } ? A : never> => {
  const answer = await fetch(`/api/${group}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
    signal,
  })
  const content = await answer.json()
  if (!answer.ok) throw content
  return content
}

/** Calls `show` with each job, now and whenever one changes. Returns a function that stops this. */
export const listen = (show: (job: Job) => void): () => void => {
  const events = new EventSource("/api/runs/events")
  events.addEventListener("message", ({ data }) => show(JSON.parse(data)))
  return () => events.close()
}
