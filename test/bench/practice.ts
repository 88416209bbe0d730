import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Asked, Limits, Told } from "./service.ts"

/** The practice service in a separate process. */
export interface PracticeProcess {
  readonly baseUrl: string
  /** Deletes all submissions from the service. */
  readonly clear: () => Promise<void>
  /** Fails unless exactly these rows arrived, with every answer as expected. */
  readonly check: (count: number, seed: number) => Promise<void>
  readonly end: () => void
}

/** Starts the practice service in a separate process. If `limits` is given, the service enforces it. */
export const startPractice = async (limits?: Limits): Promise<PracticeProcess> => {
  const child = fork(
    fileURLToPath(new URL("service.js", import.meta.url)),
    limits === undefined ? [] : [JSON.stringify(limits)],
  )
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the practice service ended, exit code ${String(code)}`)
  })
  // Callers get the error from the race. After the last call, nothing awaits this promise, so its error is ignored.
  ended.catch(() => undefined)
  const heard = async () => (await Promise.race([once(child, "message"), ended]))[0] as Told
  const ask = async (asked: Asked) => {
    const answer = heard()
    child.send(asked)
    const told = await answer
    if ("wrong" in told && told.wrong !== undefined) throw new Error(`the service contains ${told.wrong}`)
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
