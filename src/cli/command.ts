import type * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { YieldWrap } from "effect/Utils"
import { resolve } from "node:path"
import { reasonIn, reasonPlaceholder, reasonWanted } from "../domain/reason.ts"
import type { Notifier } from "../jobs/attempt.ts"
import type { Disk } from "../project/disk.ts"
import type { Failure } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"
import type { Interrupts } from "./runMain.ts"

/** The services that a command may use. */
type Services = Output | Invocation | Interrupts | Notifier | Disk | Terminal.Terminal

/** What a command does. */
export type Work = Effect.Effect<void, Failure, Services>

/** An option. Its name is made from its key: `dryRun` becomes `--dry-run`. */
export interface Option<out A> {
  readonly about: string
  /** The placeholder for its value in the help; undefined for a flag. */
  readonly value?: string
  /** How it takes several values: `words` are all words up to the next option; `repeated` is one value each time the option is given. */
  readonly list?: "words" | "repeated"
  readonly choices?: ReadonlyArray<string>
  readonly isRequired?: true
  /** The heading under which the help lists it. Default: the command's own options. */
  readonly group?: string
  /** Parses the value. Returns undefined if it doesn't match `takes`. */
  readonly parse?: (text: string) => A | undefined
  readonly takes?: string
  /** The value if the option isn't given. */
  readonly absent: A
}

export interface Argument<out A> {
  readonly about: string
  /** Its placeholder in the help. */
  readonly value: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly choices?: ReadonlyArray<string>
  /** What to say about a word that resembles none of the choices, as a sentence. */
  readonly hint?: string
  /** The value if a single argument isn't given. */
  readonly absent?: A
}

export interface Example {
  /** The words after `formferry`. */
  readonly words: string
  readonly about: string
}

/** A command's declaration, from which the command line, its help and the completions are derived. */
export interface Command {
  readonly name: string
  readonly about: string
  readonly examples: ReadonlyArray<Example>
  readonly arguments: Readonly<Record<string, Argument<unknown>>>
  readonly options: Readonly<Record<string, Option<unknown>>>
  /** What it does with the values of its arguments and options, by their keys. */
  readonly run: (input: never) => Work
}

/** A group of commands. The next word chooses one of them. */
export interface CommandGroup {
  readonly name: string
  readonly about: string
  readonly commands: ReadonlyArray<Command>
}

export type Values<Declared> = {
  readonly [K in keyof Declared]: Declared[K] extends Option<infer A> | Argument<infer A> ? A : never
}

/** Returns what the help says about an option or argument, with its choices and how often it can be given. */
export const aboutValue = (
  { about, choices, isRequired, list }: Pick<Option<unknown>, "about" | "choices" | "isRequired" | "list">,
): string =>
  [
    about,
    ...(choices === undefined || choices.every((one) => about.includes(one)) ? [] : [`One of: ${choices.join(", ")}.`]),
    ...(list === undefined ? [] : [list === "words" ? "One or more." : "Can be repeated."]),
    ...(isRequired === true ? ["Required."] : []),
  ].join(" ")

/** The services that most commands use. */
const usual = Effect.all({ output: Output, invocation: Invocation })

export const command = <
  const A extends Readonly<Record<string, Argument<unknown>>>,
  const O extends Readonly<Record<string, Option<unknown>>>,
>(
  declared: Omit<Command, "arguments" | "options" | "run"> & {
    readonly arguments: A
    readonly options: O
    readonly run: (
      input: Values<A> & Values<O>,
      services: Effect.Effect.Success<typeof usual>,
    ) => Generator<YieldWrap<Effect.Effect<unknown, Failure, Services | Scope.Scope>>, void, never>
  },
): Command => ({
  ...declared,
  run: (input: Values<A> & Values<O>) =>
    Effect.scoped(Effect.flatMap(usual, (services) => Effect.gen(() => declared.run(input, services)))),
})

export const flag = (about: string): Option<boolean> => ({ about, absent: false })

export const text = (value: string, about: string): Option<string | undefined> => ({ about, value, absent: undefined })

/** An option that names a file or a folder. Its value is an absolute path. */
export const filePath = (value: string, about: string): Option<string | undefined> => ({
  ...text(value, about),
  parse: resolve,
})

export const texts = (value: string, about: string): Option<ReadonlyArray<string>> => ({
  about,
  value,
  list: "words",
  absent: [],
})

/** An option that can be given several times. Unlike an option made with `texts`, it takes one word at a time, so an argument can follow its value. */
export const repeated = (value: string, about: string): Option<ReadonlyArray<string>> => ({
  about,
  value,
  list: "repeated",
  absent: [],
})

export const choice = <const A extends string>(
  value: string,
  choices: ReadonlyArray<A>,
  about: string,
): Option<A | undefined> => ({ about, value, choices, absent: undefined })

export const parsed = <A>(
  value: string,
  parse: (text: string) => A | undefined,
  takes: string,
  about: string,
): Option<A | undefined> => ({ about, value, parse, takes, absent: undefined })

const aReason = { value: reasonPlaceholder, parse: reasonIn, takes: reasonWanted }

/** The reason of a person's decision. */
export const reason = (about: string): Option<string | undefined> => ({ ...aReason, about, absent: undefined })

export const neededReason = (about: string): Option<string> => ({ ...aReason, about, isRequired: true, absent: "" })

export const wholeNumber = (least: number, about: string, most = Number.MAX_SAFE_INTEGER, value = "N") =>
  parsed(
    value,
    (text) => {
      const number = /^\d+$/.test(text) ? Number(text) : NaN
      return number >= least && number <= most ? number : undefined
    },
    most === Number.MAX_SAFE_INTEGER ? `a whole number, ${least} or more` : `a whole number from ${least} to ${most}`,
    about,
  )

export const argument = (value: string, about: string): Argument<string> => ({
  about,
  value,
  isRequired: true,
  isList: false,
})

export const optionalArgument = (value: string, about: string): Argument<string | undefined> => ({
  ...argument(value, about),
  isRequired: false,
})

/** A list of words, which must not be empty if `isRequired`. */
export const argumentList = (value: string, isRequired: boolean, about: string): Argument<ReadonlyArray<string>> => ({
  about,
  value,
  isRequired,
  isList: true,
})

export const chosenArgument = <const A extends string>(
  value: string,
  choices: ReadonlyArray<A>,
  about: string,
  absent?: NoInfer<A>,
): Argument<A> => ({
  about,
  value,
  choices,
  isRequired: absent === undefined,
  isList: false,
  ...(absent === undefined ? {} : { absent }),
})

/** The heading of the options that most commands have. */
export const commonOptions = "Common options:"

/** Arguments and options of several commands. */
export const json: Option<boolean> = {
  ...flag("Write machine-readable output to stdout."),
  group: commonOptions,
}
export const output = choice(
  "FORMAT",
  ["text", "github"],
  "`github`: annotations and a job summary for GitHub Actions, without cell values. Default: text.",
)
export const redact = flag("Write keyed digests instead of values into every file of the report.")
export const to = text("TARGET", "Which of the pipeline's targets to use. Needed if it has several.")
export const source = filePath("FILE", "Read this file instead of the pipeline's own, such as a fixed rejected.csv.")
/** The name of a pipeline. The suggested next command repeats any argument called NAME. */
export const pipeline = argument("NAME", "The pipeline's name.")
const whichPipelines = "Which pipelines:"
/** The pipelines that a command acts on. Default: all of them. */
export const pipelines = argumentList("NAME", false, "Names of pipelines, or patterns such as 'crm-*'. Default: all.")
export const tag: Option<ReadonlyArray<string>> = {
  ...repeated("TAG", "Only pipelines with this tag, or with any of several tags."),
  group: whichPipelines,
}
export const choosing = {
  tag,
  failed: {
    ...flag("Only pipelines whose last run failed, was stopped or left rows in doubt."),
    group: whichPipelines,
  },
}
/** The pipelines that a command acts on if it sends or reads a lot. It never acts on all of them by default. */
export const somePipelines = argumentList(
  "NAME",
  false,
  "Names of pipelines, or patterns such as 'crm-*' or '*'. Needed unless --tag or --failed is given.",
)
export const runOptions = {
  to,
  source,
  limit: wholeNumber(0, "Send at most this many new rows. The others stay pending."),
  retryRefused: flag("Retry rows that the service refused."),
  resendUndone: flag("Resend rows whose submissions `undo` deleted."),
  full: flag("Pull all records, although the pipeline pulls only new ones (`source.since`)."),
  redact,
  output,
  json,
}
