import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { parse } from "dotenv"
import { Config, Effect, Option, Redacted } from "effect"

/** Environment variables: the process's own, then those of the project's .env file. All reads of `Config` are here. */
export interface Environment {
  /** A secret; none when the variable is not set, or is empty. Fails when there is a .env file that can't be read. */
  readonly secret: (name: string) => Effect.Effect<Option.Option<Redacted.Redacted>, PlatformError>
}

const filled = (secret: Redacted.Redacted): boolean => Redacted.value(secret) !== ""

/**
 * The environment of a project. The .env file is read when a variable is first looked for that the process does not have; it is never
 * written into the process.
 * @param dotenv absolute path of the .env file
 */
export const openEnvironment = (dotenv: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const fromFile = yield* Effect.cached(
      fs.readFileString(dotenv).pipe(
        Effect.map((text) => new Map(Object.entries(parse(text)))),
        Effect.catchIf(
          (error) => error._tag === "SystemError" && error.reason === "NotFound",
          () => Effect.succeed(new Map<string, string>()),
        ),
      ),
    )
    const environment: Environment = {
      secret: (name) =>
        Config.option(Config.redacted(name)).pipe(
          Effect.orElseSucceed(() => Option.none<Redacted.Redacted>()),
          Effect.map(Option.filter(filled)),
          Effect.flatMap((own) =>
            Option.isSome(own)
              ? Effect.succeed(own)
              : Effect.map(fromFile, (variables) =>
                Option.fromNullable(variables.get(name)).pipe(
                  Option.map((text) => Redacted.make(text)),
                  Option.filter(filled),
                ))
          ),
        ),
    }
    return environment
  })
