import type { FileSystem } from "@effect/platform"
import { Duration, Effect, Option, Redacted } from "effect"
import { canonicalAddress, practiceAddress } from "../domain/destination.ts"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { Environment } from "./environment.ts"
import { ConfigurationInvalid } from "./errors.ts"
import type { ServiceConfig } from "./Project.ts"
import type { ProjectFile } from "./projectSchema.ts"
import { quoted } from "./suggestion.ts"
import type { YamlText } from "./yamlText.ts"

export interface KeyRoom {
  readonly yaml: YamlText
  readonly environment: Environment
  readonly fs: FileSystem.FileSystem
  /** A path as the project file gives it → absolute. */
  readonly resolve: (path: string) => string
}

type KeyPlace = { readonly env?: string; readonly file?: string }

const wrong = (room: KeyRoom, path: YamlPath, message: string, suggestion: string) =>
  new ConfigurationInvalid({
    diagnostics: [room.yaml.diagnostic({ offset: room.yaml.offset(path, "value"), message, suggestion })],
  })

/** A service's key, when somebody needs it. The key itself is in no message. */
const apiKey = (
  room: KeyRoom,
  service: string,
  { env, file }: KeyPlace,
): Effect.Effect<Redacted.Redacted, ConfigurationInvalid> => {
  const path = ["services", service, "apiKey", env === undefined ? "file" : "env"]
  const found: Effect.Effect<Option.Option<Redacted.Redacted>, ConfigurationInvalid> = env !== undefined
    ? room.environment.secret(env).pipe(
      Effect.mapError((error) =>
        wrong(room, path, `The .env file can't be read: ${error.message}`, "Let its owner read it.")
      ),
    )
    : room.fs.readFileString(room.resolve(file ?? "")).pipe(
      Effect.map((text) => Option.some(Redacted.make(text.replace(/[\r\n]+$/, "")))),
      Effect.mapError((error) =>
        wrong(
          room,
          path,
          `The key of ${service} can't be read: ${error.message}`,
          "Write the key into that file, and nothing else.",
        )
      ),
    )
  return found.pipe(Effect.flatMap((key) => {
    if (Option.isNone(key) || Redacted.value(key.value) === "") {
      return Effect.fail(
        env !== undefined
          ? wrong(
            room,
            path,
            `${env} is not set: the key of ${service} is missing.`,
            `Set ${env}, or write it into .env beside config/.`,
          )
          : wrong(room, path, `The key file of ${service} is empty.`, "Write the key into it."),
      )
    }
    return /^[\x21-\x7e]+$/.test(Redacted.value(key.value))
      ? Effect.succeed(key.value)
      : Effect.fail(wrong(
        room,
        path,
        `The key of ${service} holds a space, a line break or another character that no key has.`,
        `Look at what ${env === undefined ? "the file" : quoted(env)} holds.`,
      ))
  }))
}

const serviceOf = (room: KeyRoom, name: string, service: ProjectFile["services"][string]): ServiceConfig =>
  "practice" in service
    ? {
      _tag: "Practice",
      name,
      address: practiceAddress(name),
      forms: room.resolve(service.practice.forms),
      store: service.practice.store === undefined ? undefined : room.resolve(service.practice.store),
    }
    : {
      _tag: "Live",
      name,
      baseUrl: service.baseUrl.replace(/\/+$/, ""),
      address: canonicalAddress(service.baseUrl),
      previous: (service.previousBaseUrls ?? []).map(canonicalAddress),
      separate: service.separate ?? false,
      apiKey: apiKey(room, name, service.apiKey),
      requestsPerSecond: service.requestsPerSecond ?? 5,
      concurrency: service.concurrency ?? 8,
      timeout: service.timeout ?? Duration.seconds(30),
      editLinkParameter: service.editLinkParameter ?? "includeEditLink",
      gateway: service.gateway ?? "gateway",
      unavailableIsNotCreated: service.unavailableIsNotCreated ?? false,
      confirm: service.confirm ?? true,
    }

/** The services of a project file, by name. */
export const servicesOf = (room: KeyRoom, services: ProjectFile["services"]): ReadonlyMap<string, ServiceConfig> =>
  new Map(Object.entries(services).map(([name, service]) => [name, serviceOf(room, name, service)]))
