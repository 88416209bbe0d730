import { commandLine } from "./shell.ts"

/** What a person can accept with `formferry accept NAME REASON`, each with its line in `--help`. `jobs/accept.ts` finds what is refused at the moment. */
export const acceptReasons = {
  files: "Files that match the source's pattern were never read, and none of their rows is missing.",
  gap: "The export shares no row with the one before, and no row between them is missing.",
  canary: "The rows sent first failed, and it is fine to send the others.",
  ledger: "The ledger is not the newest, and no row is imported twice if the pipeline continues with it.",
  form: "The form changed where the mapping fills it, and the mapping is right for the form as it is now.",
  "row-key": "Row keys changed or are made differently, and it is fine to send these rows as new ones.",
} as const

export type AcceptReason = keyof typeof acceptReasons

/** Returns the command that accepts a refused state, for the refusal's message. */
export const acceptCommand = (pipeline: string, reason: AcceptReason, target: string | undefined): string =>
  commandLine(["accept", pipeline, reason], { "--to": target, "--because": "TEXT" })
