import { FileSystem } from "@effect/platform"
import { Effect, Either, ParseResult, Schema } from "effect"
import { parseDocument } from "yaml"
import { yamlTooLarge } from "../project/pipelineFiles.ts"
import { nearest } from "../project/suggestion.ts"
import { faultKinds } from "./faultKinds.ts"
import type { Fault, FaultKind, FaultPlan } from "./faultKinds.ts"
import { ofCreates } from "./faultsOfCreates.ts"

/** A faults file of the practice service can't be used (exit 2). */
export class FaultsFileInvalid extends Schema.TaggedError<FaultsFileInvalid>()("FaultsFileInvalid", {
  file: Schema.String,
  problems: Schema.Array(Schema.String),
}) {
  override get message() {
    return `The faults file ${this.file} can't be used:\n${this.problems.map((problem) => `  ${problem}`).join("\n")}\n`
      + "A faults file holds a seed and a list of faults: docs/faults.md tells them all."
  }
}

const decodeFile = Schema.decodeUnknownEither(
  Schema.Struct({
    seed: Schema.optionalWith(Schema.Int, { default: () => 1 }),
    faults: Schema.Array(Schema.Unknown),
  }),
  { errors: "all", onExcessProperty: "error" },
)

const options = { errors: "all", onExcessProperty: "error" } as const

const decoders: { readonly [K in FaultKind]: (entry: unknown) => Either.Either<Fault, ParseResult.ParseError> } = {
  refuse: Schema.decodeUnknownEither(faultKinds.refuse, options),
  unanswered: Schema.decodeUnknownEither(faultKinds.unanswered, options),
  reset: Schema.decodeUnknownEither(faultKinds.reset, options),
  "reset-kept-alive": Schema.decodeUnknownEither(faultKinds["reset-kept-alive"], options),
  cut: Schema.decodeUnknownEither(faultKinds.cut, options),
  delay: Schema.decodeUnknownEither(faultKinds.delay, options),
  throttled: Schema.decodeUnknownEither(faultKinds.throttled, options),
  credentials: Schema.decodeUnknownEither(faultKinds.credentials, options),
  invalid: Schema.decodeUnknownEither(faultKinds.invalid, options),
  status: Schema.decodeUnknownEither(faultKinds.status, options),
  html: Schema.decodeUnknownEither(faultKinds.html, options),
  "wrong-shape": Schema.decodeUnknownEither(faultKinds["wrong-shape"], options),
  "too-few": Schema.decodeUnknownEither(faultKinds["too-few"], options),
  "too-many": Schema.decodeUnknownEither(faultKinds["too-many"], options),
  shuffled: Schema.decodeUnknownEither(faultKinds.shuffled, options),
  "duplicate-ids": Schema.decodeUnknownEither(faultKinds["duplicate-ids"], options),
  "drop-answer": Schema.decodeUnknownEither(faultKinds["drop-answer"], options),
  "trim-answers": Schema.decodeUnknownEither(faultKinds["trim-answers"], options),
  "reformat-answers": Schema.decodeUnknownEither(faultKinds["reformat-answers"], options),
  "unknown-type": Schema.decodeUnknownEither(faultKinds["unknown-type"], options),
  invisible: Schema.decodeUnknownEither(faultKinds.invisible, options),
}

/** What is wrong below a place, one line each: `faults[2].wait: is missing`. */
const problemsOf = (at: string, error: ParseResult.ParseError): ReadonlyArray<string> => {
  const places = new Map<string, string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const path = issue.path.map((member) => (typeof member === "number" ? `[${member}]` : `.${String(member)}`)).join(
      "",
    )
    const place = `${at}${path}`.replace(/^\./, "")
    const problem = issue._tag === "Missing"
      ? "is missing"
      : issue._tag === "Unexpected"
      ? "is no setting of this fault"
      : issue.message.split("\n")[0] ?? ""
    // Of what an optional setting could be, the setting itself comes first.
    if (!places.has(place)) places.set(place, problem)
  }
  return Array.from(places, ([place, problem]) => `${place === "" ? "the file" : place}: ${problem}`)
}

const isKind = (name: unknown): name is FaultKind => typeof name === "string" && Object.hasOwn(faultKinds, name)

const decodeEntry = (entry: unknown, at: string): Either.Either<Fault, ReadonlyArray<string>> => {
  const name: unknown = typeof entry === "object" && entry !== null && "fault" in entry ? entry.fault : undefined
  if (!isKind(name)) {
    const near = nearest(String(name), Object.keys(faultKinds))
    return Either.left([
      `${at}.fault: ${name === undefined ? "is missing" : `there is no fault ${JSON.stringify(name)}`}`
      + `${near === undefined ? "" : `; did you mean ${near}?`}`,
    ])
  }
  return Either.flatMap(
    Either.mapLeft(decoders[name](entry), (error) => problemsOf(at, error)),
    (fault) =>
      ofCreates.has(name) && fault.on !== undefined && fault.on !== "create"
        ? Either.left([`${at}.on: ${name} is a fault of creates only`])
        : Either.right(fault),
  )
}

/** A faults file's text, YAML or JSON. */
export const parseFaults = (file: string, text: string): Effect.Effect<FaultPlan, FaultsFileInvalid> =>
  Effect.gen(function*() {
    const document = parseDocument(text, { prettyErrors: true })
    if (document.errors.length > 0) {
      return yield* new FaultsFileInvalid({ file, problems: document.errors.map((error) => error.message) })
    }
    const decoded = decodeFile(document.toJS())
    if (Either.isLeft(decoded)) return yield* new FaultsFileInvalid({ file, problems: problemsOf("", decoded.left) })
    const entries = decoded.right.faults.map((entry, index) => decodeEntry(entry, `faults[${index}]`))
    const problems = entries.flatMap((entry) => (Either.isLeft(entry) ? entry.left : []))
    if (problems.length > 0) return yield* new FaultsFileInvalid({ file, problems })
    return {
      seed: decoded.right.seed,
      faults: entries.flatMap((entry) => (Either.isRight(entry) ? [entry.right] : [])),
    }
  })

/** Reads a faults file. */
export const loadFaults = (file: string): Effect.Effect<FaultPlan, FaultsFileInvalid, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) return yield* new FaultsFileInvalid({ file, problems: [tooLarge] })
    const text = yield* Effect.mapError(
      fs.readFileString(file),
      (error) => new FaultsFileInvalid({ file, problems: [error.message] }),
    )
    return yield* parseFaults(file, text)
  })
