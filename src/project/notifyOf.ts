import { Effect, Option, Redacted } from "effect"
import { ConfigurationInvalid } from "./errors.ts"
import { usualNotices } from "./notifySchema.ts"
import type { WebhookConfig } from "./Project.ts"
import type { ProjectFile } from "./projectSchema.ts"
import type { KeyRoom } from "./servicesOf.ts"
import { quoted } from "./suggestion.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Why an address is none for a webhook, as a sentence that does not repeat it; undefined when it is one. */
const fault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "The webhook's address is no address."
  const { hostname, protocol } = new URL(text)
  if (protocol === "https:" || (protocol === "http:" && loopback.test(hostname))) return undefined
  return "The webhook's address begins with neither https:// nor http://localhost: what it is told would travel in the open."
}

/** The webhooks of a project file. Their addresses are looked up when they are needed, and are in no message. */
export const notifyOf = (room: KeyRoom, webhooks: NonNullable<ProjectFile["notify"]>): ReadonlyArray<WebhookConfig> =>
  webhooks.map(({ on, webhook: { env, file } }, index) => {
    const name = env ?? file ?? ""
    const wrong = (message: string, suggestion: string) =>
      new ConfigurationInvalid({
        diagnostics: [
          room.yaml.diagnostic({
            offset: room.yaml.offset(["notify", index, "webhook", env === undefined ? "file" : "env"], "value"),
            message,
            suggestion,
          }),
        ],
      })
    const text = env !== undefined
      ? room.environment.secret(env).pipe(
        Effect.mapError((error) => wrong(`The .env file can't be read: ${error.message}`, "Let its owner read it.")),
        Effect.map(Option.getOrElse(() => Redacted.make(""))),
      )
      : room.fs.readFileString(room.resolve(name)).pipe(
        Effect.mapError((error) =>
          wrong(`The webhook's address can't be read: ${error.message}`, "Write the address into that file.")
        ),
        Effect.map((content) => Redacted.make(content.trim())),
      )
    const address = Effect.flatMap(text, (secret) => {
      const value = Redacted.value(secret)
      if (value === "") {
        return Effect.fail(
          env === undefined
            ? wrong("The file of the webhook's address is empty.", "Write the address into it.")
            : wrong(
              `${env} is not set: nobody is told how runs end.`,
              `Set ${env} to the webhook's address, or write it into .env beside config/.`,
            ),
        )
      }
      const message = fault(value)
      return message === undefined
        ? Effect.succeed(secret)
        : Effect.fail(wrong(message, `Look at what ${quoted(name)} holds.`))
    })
    return { name, address, on: new Set(on ?? usualNotices) }
  })
