import { commandLine } from "./shell.ts"

/** What a person can accept with `formferry accept NAME REASON`, and what accepting means: one line for `--help`. What is refused at the moment is found by `jobs/acceptances.ts`. */
export const acceptReasons = {
  canary: "The rows sent first failed, and it is fine to send the others.",
  ledger: "The ledger is not the newest, and no row is imported twice if the pipeline continues with it.",
} as const

export type AcceptReason = keyof typeof acceptReasons

/** Returns the command that accepts a refused state, for the refusal's message. */
export const acceptCommand = (pipeline: string, reason: AcceptReason, target: string | undefined): string =>
  commandLine(["accept", pipeline, reason], { "--to": target, "--because": "TEXT" })
