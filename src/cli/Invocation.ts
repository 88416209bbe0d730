import { Context } from "effect"
import type { LogLevel } from "effect"
import { commandLine } from "../domain/shell.ts"

/** What was asked for: the command line, and what stands for every command. */
export class Invocation extends Context.Tag("formferry/Invocation")<Invocation, {
  /** As it was typed, without the program's name. */
  readonly typed: ReadonlyArray<string>
  readonly command: string | undefined
  /** Its arguments that are no options. */
  readonly names: ReadonlyArray<string>
  /** `--project DIR`, as typed. */
  readonly project: string | undefined
  /** Whether the command was asked for `--json`. */
  readonly json: boolean
  readonly logLevel: LogLevel.LogLevel
}>() {}

/** A formferry command to run next, for the same project. */
export const commandFor = (
  invocation: Pick<Context.Tag.Service<typeof Invocation>, "project">,
  words: ReadonlyArray<string>,
): string => commandLine(words, { "--project": invocation.project })

/** The very same command once more. */
export const sameCommand = ({ typed }: Pick<Context.Tag.Service<typeof Invocation>, "typed">): string =>
  commandLine(typed)

/** Returns the command with these options instead of the typed ones of the same names. */
export const sameCommandWith = (
  { typed }: Pick<Context.Tag.Service<typeof Invocation>, "typed">,
  option: string,
  values: ReadonlyArray<string>,
): string => {
  const kept = typed.filter((word, at) => word !== option && typed[at - 1] !== option && !word.startsWith(`${option}=`))
  // Before what may stand behind `--`.
  const end = kept.indexOf("--")
  return commandLine(kept.toSpliced(end < 0 ? kept.length : end, 0, ...values.flatMap((value) => [option, value])))
}
