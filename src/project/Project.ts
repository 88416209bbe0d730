import type { Duration, Effect, Redacted } from "effect"
import type { ConfigurationInvalid } from "./errors.ts"
import type { Notice } from "./notifySchema.ts"
import type { Pipeline } from "./Pipeline.ts"

/** A form service that speaks HTTP. */
export interface LiveServiceConfig {
  readonly _tag: "Live"
  readonly name: string
  /** Where requests go, as it was written, without a trailing slash; plain http only to loopback. */
  readonly baseUrl: string
  /** Its one spelling: what stands for the service in the ledger. */
  readonly address: string
  /** Canonical addresses that the same service had before. */
  readonly previous: ReadonlyArray<string>
  /** Whether its forms are its own, though another service has forms with the same ids. */
  readonly separate: boolean
  /** Looked up when it is needed: a key that is missing bothers only those who use the service. */
  readonly apiKey: Effect.Effect<Redacted.Redacted, ConfigurationInvalid>
  readonly requestsPerSecond: number
  readonly concurrency: number
  readonly timeout: Duration.Duration
  readonly editLinkParameter: string
  /** The payment processor's name in the wire's field names. */
  readonly gateway: string
  /** Whether a 503 with `Retry-After` proves that nothing was created. */
  readonly unavailableIsNotCreated: boolean
  /** Whether `run` needs `--confirm NAME`. */
  readonly confirm: boolean
}

/** The embedded practice service. */
export interface PracticeServiceConfig {
  readonly _tag: "Practice"
  readonly name: string
  /** What stands for it in the ledger. */
  readonly address: string
  /** Folder of form files, absolute. */
  readonly forms: string
  /** Folder in which its store survives a restart, absolute; absent: in memory only. */
  readonly store: string | undefined
}

export type ServiceConfig = LiveServiceConfig | PracticeServiceConfig

/** A webhook that is told how runs end. */
export interface WebhookConfig {
  /** The variable or the file that holds its address, for people. */
  readonly name: string
  /** Its address, https or loopback; a secret, looked up when there is something to tell. */
  readonly address: Effect.Effect<Redacted.Redacted, ConfigurationInvalid>
  readonly on: ReadonlySet<Notice>
}

/** How long reports are kept; undefined: for ever. */
export interface ReportsKept {
  /** So many runs of a pipeline. */
  readonly runs: number | undefined
  /** No longer than so many days. */
  readonly days: number | undefined
}

/** A project: config/formferry.yaml and the pipelines beside it, decoded. */
export interface Project {
  /** The project's folder, absolute. */
  readonly root: string
  readonly services: ReadonlyMap<string, ServiceConfig>
  readonly ledger: string
  readonly reports: string
  readonly reportsKept: ReportsKept
  readonly notify: ReadonlyArray<WebhookConfig>
  /** By pipeline name. */
  readonly pipelines: ReadonlyMap<string, Pipeline>
}
