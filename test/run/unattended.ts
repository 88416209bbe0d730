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

/** The options of an undo that needs no confirmation and is neither watched nor interrupted. */
export const undoUnattended = {
  to: undefined,
  editedToo: false,
  by: "ada",
  confirm: () => true,
  ask: undefined,
  tell: () => Effect.void,
  interrupted: Effect.never,
}

/** The options of a rekey that needs no agreement. */
export const rekeyUnattended = { to: undefined, map: undefined, agreed: () => Effect.succeed(true) }
