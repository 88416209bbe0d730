import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Asked, Limits, Told } from "./service.ts"

/** The practice service in a separate process. */
export interface PracticeProcess {
  readonly baseUrl: string
  /** Forgets all submissions. */
  readonly clear: () => Promise<void>
  /** Throws unless exactly these rows arrived, every answer as expected. */
  readonly check: (count: number, seed: number) => Promise<void>
  readonly end: () => void
}

/** Starts it, without a limit, or with one that it enforces. */
export const startPractice = async (limits?: Limits): Promise<PracticeProcess> => {
  const child = fork(
    fileURLToPath(new URL("service.js", import.meta.url)),
    limits === undefined ? [] : [JSON.stringify(limits)],
  )
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the practice service ended, exit code ${String(code)}`)
  })
  // Sent to the caller waiting for an answer; at the end there is none.
  ended.catch(() => undefined)
  const heard = async () => (await Promise.race([once(child, "message"), ended]))[0] as Told
  const ask = async (asked: Asked) => {
    const answer = heard()
    child.send(asked)
    const told = await answer
    if ("wrong" in told && told.wrong !== undefined) throw new Error(`the service holds ${told.wrong}`)
  }
  const first = await heard()
  if (!("baseUrl" in first)) throw new Error("the practice service did not tell its address")
  return {
    baseUrl: first.baseUrl,
    clear: () => ask({ ask: "clear" }),
    check: (count, seed) => ask({ ask: "check", count, seed }),
    end: () => void child.disconnect(),
  }
}
