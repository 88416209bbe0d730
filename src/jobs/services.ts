import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { Capability } from "../domain/capability.ts"
import { brief } from "../domain/problem.ts"
import type { SharedAccount } from "../domain/sharedRate.ts"
import { firstOf } from "../domain/words.ts"
import type { LedgerError, LedgerRefused } from "../ledger/errors.ts"
import type { EmbeddedPractice, PracticeFailure } from "../practice/PracticeService.ts"
import type { Disk } from "../project/disk.ts"
import type { ConfigurationInvalid } from "../project/errors.ts"
import type { LedgerPlace } from "../project/ledgerSection.ts"
import type { Project, ServiceConfig } from "../project/Project.ts"
import { nearest, quoted, suggest } from "../project/suggestion.ts"
import { type FormService, ServiceUnusable, type SharedService } from "../service/FormService.ts"
import { JobRefused } from "./JobRefused.ts"

/** A reason why a service can't be opened. */
export type OpenFailure = ServiceUnusable | PracticeFailure | ConfigurationInvalid | LedgerError | LedgerRefused

/** The settings for the embedded practice service, which responds at once. The limits only prevent an internal error from blocking the process. */
export const practiceSettings = {
  requestsPerSecond: Number.POSITIVE_INFINITY,
  concurrency: 32,
  timeout: Duration.seconds(30),
  editLinkParameter: "includeEditLink",
  gateway: "gateway",
} as const

/** Returns the name of a service if sending to it needs confirmation. */
export const serviceToConfirm = (project: Project, name: string): string | undefined => {
  const config = project.services.get(name)
  return config?._tag === "Live" && config.confirm ? name : undefined
}

export const can = (project: Project, name: string, capability: Capability): boolean =>
  project.services.get(name)?.capabilities.includes(capability) === true

/** Adds the practice service's forms to an error about an unknown form, because users may confuse a form's id with its file name. */
const namingForms = (name: string, id: string, forms: EmbeddedPractice["forms"]) => (error: ServiceUnusable) => {
  if (error.reason !== "form-not-found") return error
  const near = nearest(id, forms.map((form) => form.id))
  const shown = forms.map((form) => `${quoted(form.id)} (${brief(form.name)})`)
  const known = forms.length === 0
    ? "It has none: the folder that `forms` names contains no form file."
    : `Its forms: ${firstOf(shown, 24)}.`
  return new ServiceUnusable({
    ...error,
    message: `The service ${quoted(name)} has no form with the id ${quoted(id)}. ${
      near === undefined ? "" : `Did you mean ${quoted(near)}? `
    }${known}`,
  })
}

const openRateOf = (ledger: LedgerPlace, account: SharedAccount) =>
  Effect.gen(function*() {
    const { databaseOf } = yield* Effect.promise(() => import("../ledger/openLedger.ts"))
    return yield* databaseOf(yield* ledger.options).rate(account)
  })

/** Opens the client of a service for the scope. Starts the embedded practice service, on loopback. */
export const openService = (
  config: ServiceConfig,
): Effect.Effect<SharedService, OpenFailure, Scope.Scope | Disk> =>
  Effect.gen(function*() {
    const { make } = yield* Effect.promise(() => import("../service/client.ts"))
    if (config._tag === "Live") {
      const apiKey = yield* config.apiKey
      const sharedRate = config.sharedBy
        && (yield* openRateOf(config.sharedBy, { address: config.address, secret: Redacted.value(apiKey) }))
      return yield* make({ ...config, apiKey, sharedRate })
    }
    // The module is loaded only when it is used.
    const { serveFormFolder } = yield* Effect.promise(() => import("../practice/PracticeService.ts"))
    const practice = yield* serveFormFolder(config, 0)
    const service = yield* make({
      ...practiceSettings,
      baseUrl: practice.baseUrl,
      apiKey: practice.apiKey,
      capabilities: config.capabilities,
    })
    const form = (id: string) => Effect.mapError(service.form(id), namingForms(config.name, id, practice.forms))
    return { ...service, form }
  })

/** The form services of a process. */
export interface Services {
  /**
   * Opens a service on first use, and again if its configuration was changed or if it can't be used any more. All users of the same configuration share
   * its rate limit, its queue and its connections. Each user's requests are counted separately.
   */
  readonly open: (config: ServiceConfig) => Effect.Effect<FormService, OpenFailure, Disk>
}

/** Returns everything from which a service's client is made, also the key's value, as a text to compare. */
const configurationOf = (config: ServiceConfig) =>
  Effect.gen(function*() {
    if (config._tag === "Practice") return JSON.stringify(config)
    const { apiKey, sharedBy, ...rest } = config
    const ledger = sharedBy && (yield* sharedBy.options)
    return JSON.stringify({ ...rest, ledger, key: Redacted.value(yield* apiKey) })
  })

/** Opens a service once for each configuration of it, and keeps it open until the scope closes. */
export const shareServices: Effect.Effect<Services, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  /** The services by their configurations: users that have loaded the project at different times may have different ones. */
  const opened = new Map<string, SharedService>()
  // Concurrent users must not open a service twice.
  const turn = yield* Effect.makeSemaphore(1)
  return {
    open: (config) =>
      Effect.gen(function*() {
        const configuration = yield* configurationOf(config)
        const earlier = opened.get(configuration)
        const known = earlier?.isUsable() === true
          ? earlier
          : yield* Effect.provideService(openService(config), Scope.Scope, scope)
        opened.set(configuration, known)
        return yield* known.apart
      }).pipe(turn.withPermits(1)),
  }
})

/** Returns a service of the project. Fails if the project has no service with this name. */
export const findService = (project: Project, name: string): Effect.Effect<ServiceConfig, JobRefused> => {
  const config = project.services.get(name)
  if (config !== undefined) return Effect.succeed(config)
  const hint = suggest(name, [...project.services.keys()], "Its services are") ?? ""
  return new JobRefused({
    code: "ServiceUnknown",
    next: ["check"],
    message: `config/formferry.yaml has no service ${quoted(name)}. ${hint}`.trim(),
  })
}

/** Opens a service of the project, sends it a request, and closes it. */
const askService = <A>(
  project: Project,
  service: string,
  question: (service: FormService) => Effect.Effect<A, ServiceUnusable>,
) =>
  Effect.scoped(
    Effect.gen(function*() {
      return yield* question(yield* openService(yield* findService(project, service)))
    }),
  )

/** Fetches a form's metadata from a service of the project. If the form is unknown, the next command lists the forms, if the service can do that. */
export const fetchForm = (project: Project, service: string, formId: string) =>
  askService(
    project,
    service,
    ({ form }) =>
      Effect.mapError(form(formId), (error) =>
        error.reason === "form-not-found" && can(project, service, "list")
          ? new ServiceUnusable({ ...error, message: error.message, next: ["form", service] })
          : error),
  )

/** Lists the forms of a service of the project. Fails if the service can't list them. */
export const fetchForms = (project: Project, service: string) => askService(project, service, ({ forms }) => forms)
