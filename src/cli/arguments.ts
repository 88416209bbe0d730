import { Args, Options } from "@effect/cli"
import { Option } from "effect"

/** Options and arguments that several commands share. */

export const json = Options.boolean("json").pipe(Options.withDescription("Machine-readable output on stdout."))

export const redact = Options.boolean("redact").pipe(
  Options.withDescription("Keyed digests in the place of values, in every file of the report."),
)

export const to = Options.text("to").pipe(
  Options.withPseudoName("TARGET"),
  Options.withDescription("Which of the pipeline's targets to use."),
  Options.optional,
  Options.map(Option.getOrUndefined),
)

export const source = Options.text("source").pipe(
  Options.withPseudoName("FILE"),
  Options.withDescription("Another file to feed through the pipeline, such as a mended rejected.csv."),
  Options.optional,
  Options.map(Option.getOrUndefined),
)

export const pipeline = Args.text({ name: "NAME" }).pipe(Args.withDescription("The pipeline's name."))

export const pipelines = Args.text({ name: "NAME" }).pipe(
  Args.withDescription("Names of pipelines; without any: all of the project."),
  Args.repeated,
)

/** A whole number from `least` on, to `most` where there is a bound. */
export const wholeNumber = (name: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
  Options.text(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap(
      (text) => {
        const value = /^\d+$/.test(text) ? Number(text) : NaN
        return value >= least && value <= most ? Option.some(value) : Option.none()
      },
      `--${name} takes a whole number from ${least} ${most === Number.MAX_SAFE_INTEGER ? "on" : `to ${most}`}.`,
    ),
  )
