import { Context } from "effect"
import type { LogLevel } from "effect"

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

/** A word of a command line as a POSIX shell reads it back. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A formferry command to run next, for the same project. */
export const commandFor = (
  invocation: Pick<Context.Tag.Service<typeof Invocation>, "project">,
  words: ReadonlyArray<string>,
): string =>
  ["formferry", ...words, ...(invocation.project === undefined ? [] : ["--project", invocation.project])]
    .map(shellWord).join(" ")

/** The very same command once more. */
export const sameCommand = ({ typed }: Pick<Context.Tag.Service<typeof Invocation>, "typed">): string =>
  ["formferry", ...typed].map(shellWord).join(" ")
