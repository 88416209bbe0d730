import type { FileSystem } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { nearest } from "../project/suggestion.ts"
import type { FaultPlan, PlannedFault } from "./faults.ts"
import { namedFaults } from "./namedFaults.ts"
import { parsePracticeFile, problemsOf, readPracticeFile } from "./practiceFile.ts"
import type { Problems } from "./practiceFile.ts"

/** A faults file of the practice service can't be used (exit 2). */
export class FaultsFileInvalid extends Schema.TaggedError<FaultsFileInvalid>()("FaultsFileInvalid", {
  file: Schema.String,
  problems: Schema.Array(Schema.String),
}) {
  override get message() {
    return `The faults file ${this.file} can't be used:\n${this.problems.map((problem) => `  ${problem}`).join("\n")}\n`
      + "A faults file has a seed and a list of faults: docs/faults.md lists them."
  }
}

const decodeFile = Schema.decodeUnknownEither(
  Schema.Struct({
    seed: Schema.optionalWith(Schema.Int, { default: () => 1 }),
    faults: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  }),
  { errors: "all", onExcessProperty: "error" },
)

const isNamed = (name: string): name is keyof typeof namedFaults => Object.hasOwn(namedFaults, name)

const decodeEntry = (
  { fault: name, ...settings }: Readonly<Record<string, unknown>>,
  at: string,
): Either.Either<PlannedFault, Problems> => {
  if (name === undefined) return Either.left([`${at}.fault: is missing`])
  if (typeof name === "string" && isNamed(name)) {
    return Either.mapLeft(namedFaults[name].decode(settings), (error) => problemsOf(error, at))
  }
  const near = nearest(String(name), Object.keys(namedFaults))
  return Either.left([
    `${at}.fault: there is no fault ${JSON.stringify(name)}${near === undefined ? "" : `; did you mean ${near}?`}`,
  ])
}

/** Plans the faults of a faults file's text, YAML or JSON. */
export const parseFaults = (file: string, text: string): Effect.Effect<FaultPlan, FaultsFileInvalid> =>
  Effect.gen(function*() {
    const content = yield* parsePracticeFile(text)
    const { faults, seed } = yield* Either.mapLeft(decodeFile(content), (error) => problemsOf(error))
    const entries = faults.map((entry, index) => decodeEntry(entry, `faults[${index}]`))
    const problems = entries.flatMap((entry) => (Either.isLeft(entry) ? entry.left : []))
    if (problems.length > 0) return yield* Effect.fail(problems)
    return { seed, faults: entries.flatMap((entry) => (Either.isRight(entry) ? [entry.right] : [])) }
  }).pipe(Effect.mapError((problems) => new FaultsFileInvalid({ file, problems })))

/** Reads a faults file. */
export const loadFaults = (file: string): Effect.Effect<FaultPlan, FaultsFileInvalid, FileSystem.FileSystem> =>
  readPracticeFile(file).pipe(
    Effect.mapError((problems) => new FaultsFileInvalid({ file, problems })),
    Effect.flatMap((text) => parseFaults(file, text)),
  )
