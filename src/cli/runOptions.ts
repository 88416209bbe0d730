import { Options } from "@effect/cli"
import { Option } from "effect"
import { json, redact, source, to, wholeNumber } from "./arguments.ts"

/** What a run and its rehearsal are asked for alike. */
export const runOptions = {
  to,
  source,
  limit: wholeNumber("limit", 0).pipe(
    Options.withDescription("Send this many new rows at most; the others stay pending."),
    Options.optional,
    Options.map(Option.getOrUndefined),
  ),
  retryRefused: Options.boolean("retry-refused").pipe(
    Options.withDescription("Try rows again that the service refused."),
  ),
  redact,
  json,
}
