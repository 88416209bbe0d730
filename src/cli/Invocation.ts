import * as Context from "effect/Context"
import type * as LogLevel from "effect/LogLevel"
import { commandLine } from "../domain/shell.ts"

/** What the command line asks for. */
export class Invocation extends Context.Tag("formferry/Invocation")<Invocation, {
  /** As it was typed, without the program's name. */
  readonly typed: ReadonlyArray<string>
  /** The command's words: `run`, `ledger forget`. */
  readonly command: string | undefined
  /** The pipelines that the command names. */
  readonly pipelines: ReadonlyArray<string>
  /** `--project DIR`, as typed. */
  readonly project: string | undefined
  readonly json: boolean
  /** Whether `--output github` was given, and `--json` was not. */
  readonly github: boolean
  readonly logLevel: LogLevel.LogLevel
}>() {}

/** Returns a formferry command to run next, for the same project. Omits options without a value. */
export const commandFor = (
  invocation: Pick<Context.Tag.Service<typeof Invocation>, "project">,
  words: ReadonlyArray<string>,
  options: Readonly<Record<string, string | undefined>> = {},
): string => commandLine(words, { ...options, "--project": invocation.project })

export const sameCommand = ({ typed }: Pick<Context.Tag.Service<typeof Invocation>, "typed">): string =>
  commandLine(typed)

/** Returns the command as it was typed, with these values of an option instead of the typed values. */
export const sameCommandWith = (
  { typed }: Pick<Context.Tag.Service<typeof Invocation>, "typed">,
  option: string,
  values: ReadonlyArray<string>,
): string => {
  const kept = typed.filter((word, at) => word !== option && typed[at - 1] !== option && !word.startsWith(`${option}=`))
  // After `--` there are only arguments.
  const end = kept.indexOf("--")
  return commandLine(kept.toSpliced(end < 0 ? kept.length : end, 0, ...values.flatMap((value) => [option, value])))
}
