import type { FileSystem, Path } from "@effect/platform"
import { Duration, Effect } from "effect"
import type { Scope } from "effect"
import type { EmbeddedPractice, PracticeFailure } from "../practice/embedded.ts"
import type { ConfigurationInvalid } from "../project/errors.ts"
import type { Project, ServiceConfig } from "../project/Project.ts"
import { nearest, quoted } from "../project/suggestion.ts"
import { ServiceUnusable } from "../service/FormService.ts"
import type { FormService, SharedService } from "../service/FormService.ts"

/** A form service, opened. */
export interface OpenedService {
  readonly name: string
  readonly service: FormService
}

/** One that several runs of the process can share. */
export interface SharedOpenedService extends OpenedService {
  readonly service: SharedService
}

/** Why a service can't be opened. */
export type OpenFailure = ServiceUnusable | PracticeFailure | ConfigurationInvalid

/** The embedded practice service answers at once: these bounds only keep a fault from hanging. */
export const practiceSettings = {
  requestsPerSecond: Number.POSITIVE_INFINITY,
  concurrency: 32,
  timeout: Duration.seconds(30),
  editLinkParameter: "includeEditLink",
  gateway: "gateway",
} as const

/** The name of a service if rows are sent to it only after somebody has confirmed that. */
export const serviceToConfirm = (project: Project, name: string): string | undefined => {
  const config = project.services.get(name)
  return config?._tag === "Live" && config.confirm ? name : undefined
}

/** An unknown form of the practice service, with those that it has: its forms are called by their ids, not by their files. */
const namingForms = (name: string, id: string, forms: EmbeddedPractice["forms"]) => (error: ServiceUnusable) => {
  if (error.reason !== "form-not-found") return error
  const near = nearest(id, forms.map((form) => form.id))
  const shown = forms.slice(0, 24).map((form) => `${quoted(form.id)} (${form.name})`)
  const known = forms.length === 0
    ? "It has none: the folder that `forms` names holds no form file."
    : `Its forms: ${shown.join(", ")}${forms.length > shown.length ? ` and ${forms.length - shown.length} more` : ""}.`
  return new ServiceUnusable({
    ...error,
    message: `The service ${quoted(name)} has no form with the id ${quoted(id)}. ${
      near === undefined ? "" : `Did you mean ${quoted(near)}? `
    }${known}`,
  })
}

/** Opens the client of a service for as long as the scope lasts; the embedded practice service is started for it, on loopback. */
export const openService = (
  config: ServiceConfig,
): Effect.Effect<SharedOpenedService, OpenFailure, Scope.Scope | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const { make } = yield* Effect.promise(() => import("../service/client.ts"))
    if (config._tag === "Live") {
      const service = yield* make({ ...config, apiKey: yield* config.apiKey })
      return { name: config.name, service }
    }
    // Its room is loaded only when it is used.
    const { embedded } = yield* Effect.promise(() => import("../practice/embedded.ts"))
    const practice = yield* embedded(config, 0)
    const service = yield* make({ ...practiceSettings, baseUrl: practice.baseUrl, apiKey: practice.apiKey })
    const form = (id: string) => Effect.mapError(service.form(id), namingForms(config.name, id, practice.forms))
    return { name: config.name, service: { ...service, form } }
  })
