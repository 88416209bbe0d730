import * as Schema from "effect/Schema"
import { BaseUrl, withoutSlash } from "./address.ts"
import { Name, Pointer, PositiveTime, rate } from "./fields.ts"
import { type LedgerPlace, RateLimit } from "./ledgerSection.ts"
import { presetNamed } from "./preset.ts"
import { presets } from "./presets/index.ts"
import type { Secrets } from "./secrets.ts"
import { becoming, expecting, needed, oneOfThese, optional, section } from "./section.ts"
import { Auth, authOf, type ConnectionSignIn, Secret, signInOf } from "./signIn.ts"

/** A place in an answer: in its body, or a header. */
export const AnswerPlace = oneOfThese(
  becoming(Pointer, (at): { readonly at: string } | { readonly header: string } => ({ at })),
  section({ header: needed(Name, { description: "The name of a header of the answer", examples: ["record_cursor"] }) }),
).annotations(expecting("a place such as `/next`, or { header: NAME }"))

export const ConnectionSection = section({
  api: optional(Schema.Literal(...Object.keys(presets)), {
    description: "The tool, if formferry has a preset for it (docs/presets.md). Pipelines then need no `request`",
    examples: ["kobo"],
  }),
  base: optional(BaseUrl, {
    description:
      "The address that all requests begin with (default: the tool's own). Plain http is allowed only to this machine",
    examples: ["https://kf.kobotoolbox.org"],
  }),
  token: optional(Secret, {
    description: "Where to find the tool's token: { env: NAME } or { file: PATH }",
    examples: [{ env: "KOBO_TOKEN" }],
  }),
  auth: optional(Auth, {
    description:
      "How requests sign in: one of bearer, header, query, basic, field, session and googleServiceAccount. By default, they don't",
    examples: [{ bearer: { env: "API_TOKEN" } }],
  }),
  requestsPerSecond: optional(
    rate(100),
    {
      description:
        "The maximum number of requests per second by this process, or by all hosts with `rateLimit: shared` (default: what the preset says, or 2)",
      examples: [5],
    },
  ),
  rateLimit: RateLimit,
  pause: optional(PositiveTime, {
    description:
      "How long to wait after too many requests (429), if the answer has no `Retry-After` (default: what the preset says, or a short wait that doubles)",
    examples: ["30 seconds"],
  }),
  quota: optional(AnswerPlace, {
    description:
      "Where an answer contains the number of requests that the account has left, for example today. A pull that needs more ends early (default: what the preset says, or not checked)",
    examples: ["/limit-left", { header: "X-Ratelimit-App-Global-Day-Remaining" }],
  }),
  timeout: optional(PositiveTime, { description: "How long one request may take", default: "2 minutes" }),
}, { rules: { atLeastOne: ["api", "base"], needs: { token: ["api"] }, excludes: { token: ["auth"] } } }).annotations({
  ...expecting("a connection"),
  identifier: "Connection",
  description: "An account from which sources are pulled: the tool's address, and how to sign in",
})

/** An account from which sources are pulled. */
export interface Connection
  extends ConnectionSignIn, Pick<typeof ConnectionSection.Type, "api" | "pause" | "quota" | "timeout">
{
  readonly name: string
  readonly requestsPerSecond: number
  /** The ledger through which hosts share the account's rate. Undefined if each process counts its own requests. */
  readonly sharedBy: LedgerPlace | undefined
  /** The address that requests begin with, without a slash at its end. */
  readonly base: string
}

/** Returns a connection of the project file. */
export const connectionOf = (
  name: string,
  { api, auth, base, pause, quota, rateLimit, requestsPerSecond, timeout, token }: typeof ConnectionSection.Type,
  secrets: Secrets,
  ledger: LedgerPlace,
): Connection => {
  const preset = presetNamed(api)
  return {
    name,
    api,
    base: withoutSlash(base ?? preset?.base ?? ""),
    requestsPerSecond: requestsPerSecond ?? preset?.requestsPerSecond ?? 2,
    sharedBy: rateLimit === "shared" ? ledger : undefined,
    timeout,
    pause: pause ?? preset?.pause,
    quota: quota ?? preset?.quota,
    ...signInOf(name, auth ?? (token && authOf(token, preset?.token)), secrets),
  }
}
