import * as Schema from "effect/Schema"

/** A job can't do what a person asked for, or has nothing to do (exit code 2). */
export class JobRefused extends Schema.TaggedError<JobRefused>()("JobRefused", {
  /** The reason, for programs. */
  code: Schema.Literal(
    "ExportUnusable",
    "FileTooLarge",
    "InitRefused",
    "KeyMapWrong",
    "NameRefused",
    "NothingAcknowledged",
    "NothingForgotten",
    "NothingScheduled",
    "NothingSelected",
    "NothingSettled",
    "NothingToAccept",
    "NothingToFix",
    "ServiceUnknown",
    "UndoRefused",
  ),
  message: Schema.String,
  /** The words of the command that helps. Default: the same command. */
  next: Schema.optional(Schema.Array(Schema.String)),
}) {}
