import type { Duration, Redacted } from "effect"
import type { Pipeline } from "./Pipeline.ts"

/** A form service that speaks HTTP. */
export interface LiveServiceConfig {
  readonly _tag: "Live"
  readonly name: string
  /** Without a trailing slash; plain http only to loopback. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly requestsPerSecond: number
  readonly concurrency: number
  readonly timeout: Duration.Duration
  readonly editLinkParameter: string
  /** The payment processor's name in the wire's field names. */
  readonly gateway: string
  /** Whether `run` needs `--confirm NAME`. */
  readonly confirm: boolean
}

/** The embedded practice service. */
export interface PracticeServiceConfig {
  readonly _tag: "Practice"
  readonly name: string
  /** Folder of form files, absolute. */
  readonly forms: string
  /** Folder in which its store survives a restart, absolute; absent: in memory only. */
  readonly store: string | undefined
}

export type ServiceConfig = LiveServiceConfig | PracticeServiceConfig

/** A project: config/formferry.yaml and the pipelines beside it, decoded. */
export interface Project {
  /** The project's folder, absolute. */
  readonly root: string
  readonly services: ReadonlyMap<string, ServiceConfig>
  readonly ledger: string
  readonly reports: string
  /** By pipeline name. */
  readonly pipelines: ReadonlyMap<string, Pipeline>
}
