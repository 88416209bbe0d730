import { Effect } from "effect"
import { withoutOptions } from "../../src/jobs/run.ts"

/** The options of a run that needs no confirmation and is neither watched nor interrupted. */
export const unattended = {
  ...withoutOptions,
  confirm: () => true,
  progress: () => Effect.void,
  warn: () => Effect.void,
  interrupted: Effect.never,
}
