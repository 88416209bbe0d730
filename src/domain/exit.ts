import { namesOf } from "./words.ts"

/** An exit code. */
interface Exit {
  readonly code: number
  /** The meaning, without a full stop. Used by README's table and in notifications. */
  readonly meaning: string
  /** The command to run next, if it doesn't depend on the cause. The pipeline's name follows its first word. */
  readonly next?: readonly [command: string, ...options: ReadonlyArray<string>]
  /** Whether the run completed, even if rows need review. */
  readonly isGood?: true
}

/** All exit codes, the most severe first. For several pipelines, the most severe code is returned. Only code 0 is less severe than the code of a busy pipeline. */
export const exits = {
  internalError: {
    code: 70,
    meaning: "an internal error, or a failure of the ledger or the disk",
    next: ["status", "--verify"],
  },
  interrupted: { code: 130, meaning: "it was interrupted; requests in flight were finished and recorded" },
  terminated: { code: 143, meaning: "the system stopped it; requests in flight were finished and recorded" },
  wrong: {
    code: 2,
    meaning: "the command, the configuration, the mapping, the source or a confirmation is wrong; nothing was sent",
  },
  unavailable: {
    code: 5,
    meaning:
      "the service or the source's connection can't be used, or the source changed during the run; the other rows are pending",
    next: ["check"],
  },
  stopped: {
    code: 3,
    meaning: "it stopped to protect the form: the canary failed, or a limit of `stopWhen` was exceeded",
  },
  unproven: {
    code: 4,
    meaning:
      "rows are in doubt, or submissions are missing, different or not read back (acknowledged ones don't count)",
  },
  attention: {
    code: 1,
    meaning:
      "rows need review (invalid, refused, changed, or duplicates with different content), or there may be rows that no run has read (acknowledged ones don't count)",
    isGood: true,
  },
  busy: { code: 6, meaning: "another run of this pipeline is in progress", next: ["status"] },
  complete: {
    code: 0,
    meaning: "nothing is left to do: every row is verified, skipped on purpose, or pending because you asked for it",
    isGood: true,
  },
} as const satisfies { readonly [name: string]: Exit }

export type ExitCode = (typeof exits)[keyof typeof exits]["code"]

const bySeverity: ReadonlyArray<Exit> = namesOf(exits).map((name) => exits[name])

/** The exit codes in ascending order. */
export const byCode: ReadonlyArray<Exit> = bySeverity.toSorted((a, b) => a.code - b.code)

/** The exit codes of runs that completed, even if rows need review. */
export const goodCodes: ReadonlyArray<number> = byCode.flatMap(({ code, isGood }) => isGood === true ? [code] : [])

/** Returns the meaning of an exit code and what to run next. Undefined if formferry does not have this code. */
export const exitOf = (code: number): Exit | undefined => bySeverity.find((one) => one.code === code)

/** Returns the words of the command to run next if only the exit code is known. The pipeline's name follows the first word. */
export const nextAfter = (code: number): NonNullable<Exit["next"]> => exitOf(code)?.next ?? ["check"]

/** Whether a signal ended the process or its run. */
export const wasInterrupted = (code: number): boolean =>
  code === exits.interrupted.code || code === exits.terminated.code

/** Returns the exit code for several pipelines. */
export const mostSevere = (codes: ReadonlyArray<number>): number =>
  bySeverity.find(({ code }) => codes.includes(code))?.code ?? exits.internalError.code
