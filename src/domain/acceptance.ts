import { reasonPlaceholder } from "./reason.ts"
import { commandLine } from "./shell.ts"

/** The reasons that a person can accept with `formferry accept NAME REASON`, each with its line in `--help`. `jobs/accept.ts` finds what is currently refused. */
export const acceptReasons = {
  files: "Files that match the source's pattern were not read as they are now, but none of their rows needs importing.",
  gap: "The export shares no row with the previous one, but no row between the two was lost.",
  canary: "The canary failed, but the remaining rows should still be sent.",
  ledger: "The ledger is an older copy, but no row is imported twice if the pipeline continues with it.",
  form: "Questions that the mapping fills have changed in the form, but the mapping is right for the current form.",
  "row-key":
    "Row keys, or the way in which they are made, have changed, but the rows with changed keys should be sent as new rows.",
} as const

export type AcceptReason = keyof typeof acceptReasons

/** Returns the words of the command that accepts a refused state. */
export const acceptWords = (
  pipeline: string,
  reason: AcceptReason,
  target: string | undefined,
): ReadonlyArray<string> => [
  "accept",
  pipeline,
  reason,
  ...(target === undefined ? [] : ["--to", target]),
  "--because",
  reasonPlaceholder,
]

/**
 * Returns the command that accepts a refused state, for the message about the refusal.
 *
 * @param project `--project` as typed
 */
export const acceptCommand = (
  pipeline: string,
  reason: AcceptReason,
  target: string | undefined,
  project?: string,
): string => commandLine(acceptWords(pipeline, reason, target), { "--project": project })

/** Returns the command that records a pipeline's current form and source in `config/forms/`. */
export const acceptFormCommand = (pipeline: string): string => commandLine(["check", pipeline, "--accept-form"])
