import type * as Duration from "effect/Duration"
import type { Mapping } from "../yamlText.ts"

/** A part of a preset's request that differs from source to source. */
interface PresetVariable {
  readonly about: string
  readonly example: string
}

/** Other values of a preset's `base`. */
interface PresetServer {
  /** Which accounts they are for, such as `accounts in the EU`. */
  readonly of: string
  readonly bases: readonly [string, ...ReadonlyArray<string>]
  /** Whether `bases` is only an example, because the address differs from customer to customer. */
  readonly isExample?: true
}

/** The meaning of a refusal: the secret is wrong, the account lacks a right, its region is a different one, or its quota is used up. */
export type Refusal = "signIn" | "right" | "region" | "quota"

/** What is known about a tool's API, as keys of a connection and of a source. Everything here could also be written in the project's files. */
export interface Preset {
  readonly title: string
  /** How well the preset is proven, as a sentence. */
  readonly evidence: string
  /** The tool's address. Undefined if every customer has a server of their own. */
  readonly base?: string
  /** Regions and servers with a different address. */
  readonly servers?: ReadonlyArray<PresetServer>
  /** Where requests contain the `token` of a connection. Undefined if the tool signs in with `auth`. */
  readonly token?:
    | { readonly bearer: true }
    | { readonly header: string; readonly prefix?: string }
    | { readonly query: string }
    | { readonly field: string }
  /** The keys of a connection that signs in without `token`, as an example. */
  readonly auth?: Mapping
  /** How to obtain the token or key of the connection, as sentences. */
  readonly signIn: string
  /** What the account needs to read the records, as the object of a sentence: `the scopes …`. */
  readonly rights?: string
  /** Values of an answer that say why a request was refused. `at` is a JSON pointer. */
  readonly refusals?: ReadonlyArray<{ readonly at: string; readonly is: string; readonly means: Refusal }>
  readonly requestsPerSecond?: number
  /** How long to wait after a 429 without `Retry-After`. */
  readonly pause?: Duration.Duration
  /** Where an answer contains the number of requests that the account has left. */
  readonly quota?: { readonly at: string } | { readonly header: string }
  /** When the quota is renewed, such as `at midnight`. */
  readonly renewed?: string
  /** What a source must name. `form` is a key of `source`; others are members of `source.variables`. */
  readonly variables: Readonly<Record<string, PresetVariable>>
  /** Keys of `source`, as in a pipeline file. `{NAME}` in a text is replaced by the variable with that name. */
  readonly source: Mapping
  /** Facts about the records, as sentences: columns, edits, deleted records. */
  readonly notes: ReadonlyArray<string>
}
