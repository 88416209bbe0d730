import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { parse } from "dotenv"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { YamlPath } from "../domain/diagnostic.ts"
import { isMissing, reasonOf } from "../domain/systemErrors.ts"
import { ConfigurationInvalid } from "./errors.ts"
import { Path } from "./fields.ts"
import { becoming, expecting, needed, optional, section } from "./section.ts"
import { quoted } from "./suggestion.ts"
import { variableName } from "./yamlFaults.ts"
import type { YamlText } from "./yamlText.ts"

/** The place of a secret: an environment variable or a file, but never the YAML itself. */
export interface SecretPlace {
  readonly in: "env" | "file"
  /** The variable, or the path as written in the project file. */
  readonly name: string
  readonly path: YamlPath
}

const Variable = Schema.String.pipe(Schema.pattern(variableName))
  .annotations(expecting("the name of an environment variable"))

/** The name of a secret, and examples. */
interface SecretWords {
  readonly what: string
  readonly variable: string
}

const variableWords = ({ variable, what }: SecretWords) => ({
  description: `The environment variable that contains ${what}. A .env file next to config/ is also read`,
  examples: [variable] as const,
})

const inVariable = (name: string, path: YamlPath): SecretPlace => ({ in: "env", name, path: [...path, "env"] })

/** A secret that is only read from an environment variable. */
export const secretVariable = (words: SecretWords) =>
  becoming(section({ env: needed(Variable, variableWords(words)) }), ({ env }, path) => inVariable(env, path))
    .annotations(expecting("{ env: NAME }"))

export const secretPlace = (words: SecretWords & { readonly file: string }) =>
  becoming(
    section({
      env: optional(Variable, variableWords(words)),
      file: optional(Path, { description: `A file that contains ${words.what}`, examples: [words.file] }),
    }, { rules: { exactlyOne: ["env", "file"] } }),
    ({ env, file = "" }, path): SecretPlace =>
      env === undefined
        ? { in: "file", name: file, path: [...path, "file"] }
        : inVariable(env, path),
  ).annotations(expecting("{ env: NAME } or { file: PATH }"))

/** The environment variables of the process, then those of the project's .env file. `Config` is read only here. */
interface Environment {
  /** Looks up a secret. Returns none if the variable is not set or is empty. Fails if the .env file exists but can't be read. */
  readonly secret: (name: string) => Effect.Effect<Option.Option<Redacted.Redacted>, PlatformError>
}

const isFilled = (secret: Redacted.Redacted): boolean => Redacted.value(secret) !== ""

/**
 * Opens the environment of a project. Reads the .env file when the process first lacks a variable that is needed. The
 * process's own variables never change.
 *
 * @param dotenv the absolute path of the .env file
 */
export const openEnvironment = (dotenv: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const fromFile = yield* Effect.cached(
      fs.readFileString(dotenv).pipe(
        Effect.map((text) => new Map(Object.entries(parse(text)))),
        Effect.catchIf(isMissing, () => Effect.succeed(new Map<string, string>())),
      ),
    )
    const environment: Environment = {
      secret: (name) =>
        Config.option(Config.redacted(name)).pipe(
          Effect.orElseSucceed(() => Option.none<Redacted.Redacted>()),
          Effect.map(Option.filter(isFilled)),
          Effect.flatMap((own) =>
            Option.isSome(own)
              ? Effect.succeed(own)
              : Effect.map(fromFile, (variables) =>
                Option.fromNullable(variables.get(name)).pipe(
                  Option.map((text) => Redacted.make(text)),
                  Option.filter(isFilled),
                ))
          ),
        ),
    }
    return environment
  })

/** The words for a secret in messages. Messages never contain the secret itself. */
interface Secret<A> {
  /** The secret's name at the beginning of a sentence: `The key of live`. */
  readonly called: string
  readonly noun: string
  /** What happens if the variable is not set. */
  readonly consequence: string
  /** Returns the secret in a text, or why the text can't be the secret, as a sentence that contains nothing of it. */
  readonly read: (text: string) => Either.Either<A, string>
}

/**
 * Reads a text that contains only some characters.
 *
 * @param called the secret's name at the beginning of a sentence
 */
export const readOnly = (allowed: RegExp, called: string) => (text: string): Either.Either<string, string> =>
  allowed.test(text)
    ? Either.right(text)
    : Either.left(`${called} contains a space, a line break or another character that can't be part of it.`)

/**
 * Opens the secrets of a project file. Looks up a secret when it is needed, so that a missing one affects only the commands that use it.
 *
 * @param resolve makes a path from the project file absolute
 */
export const openSecrets = (yaml: YamlText, dotenv: string, resolve: (path: string) => string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const environment = yield* openEnvironment(dotenv)
    return <A>(place: SecretPlace, secret: Secret<A>): Effect.Effect<Redacted.Redacted<A>, ConfigurationInvalid> => {
      const { called, consequence, noun } = secret
      const wrong = (message: string, suggestion: string) =>
        new ConfigurationInvalid({
          diagnostics: [yaml.diagnostic({ offset: yaml.offset(place.path, "value"), message, suggestion })],
        })
      const text = place.in === "env"
        ? environment.secret(place.name).pipe(
          Effect.mapError((error) =>
            wrong(`The .env file can't be read: ${reasonOf(error)}.`, "Change its permissions, or run as its owner.")
          ),
          Effect.map(Option.match({ onNone: () => "", onSome: Redacted.value })),
        )
        : fs.readFileString(resolve(place.name)).pipe(
          Effect.map((content) => content.replace(/[\r\n]+$/, "")),
          Effect.mapError((error) =>
            wrong(
              `${called} can't be read: ${reasonOf(error)}.`,
              `Write the ${noun} into that file, and nothing else.`,
            )
          ),
        )
      return Effect.flatMap(text, (value) => {
        if (value !== "") {
          return Effect.mapBoth(secret.read(value), {
            onFailure: (fault) =>
              wrong(fault, `Check the contents of ${place.in === "env" ? quoted(place.name) : "the file"}.`),
            onSuccess: Redacted.make,
          })
        }
        return place.in === "env"
          ? wrong(
            `${place.name} is not set: ${consequence}.`,
            `Set ${place.name}, or write it into .env next to config/.`,
          )
          : wrong(
            `The file with ${called.charAt(0).toLowerCase()}${called.slice(1)} is empty.`,
            `Write the ${noun} into it.`,
          )
      })
    }
  })

/** Looks up the secrets of a project file. */
export type Secrets = Effect.Effect.Success<ReturnType<typeof openSecrets>>
