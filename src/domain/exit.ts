import { namesOf } from "./words.ts"

/** The exit codes, the most severe first: of several pipelines the most severe counts, and a busy one counts least. */
export const exits = {
  internalError: { code: 70, meaning: "an internal error of formferry, its ledger or the disk" },
  interrupted: { code: 130, meaning: "it was interrupted" },
  terminated: { code: 143, meaning: "it was ended by the system" },
  wrong: {
    code: 2,
    meaning: "the configuration, the mapping, the source or a confirmation is wrong; nothing was sent",
  },
  unavailable: { code: 5, meaning: "the service or the source can't be used" },
  stopped: { code: 3, meaning: "it stopped to protect the form" },
  unproven: { code: 4, meaning: "rows are in doubt, or submissions are not verified" },
  attention: { code: 1, meaning: "some rows need a person" },
  busy: { code: 6, meaning: "another run of this pipeline is in progress" },
  complete: { code: 0, meaning: "nothing is left to do" },
} as const satisfies { readonly [name: string]: { readonly code: number; readonly meaning: string } }

const bySeverity = namesOf(exits).map((name) => exits[name])

/** Returns the meaning of an exit code, or undefined if formferry does not have it. */
export const exitMeaning = (code: number): string | undefined => bySeverity.find((one) => one.code === code)?.meaning

/** Whether a signal ended the process or its run. */
export const wasInterrupted = (code: number): boolean =>
  code === exits.interrupted.code || code === exits.terminated.code

/** The exit code of several pipelines. */
export const mostSevere = (codes: ReadonlyArray<number>): number =>
  bySeverity.find(({ code }) => codes.includes(code))?.code ?? exits.internalError.code
