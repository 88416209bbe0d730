import { Duration, Redacted } from "effect"
import type { FormServiceOptions } from "../../src/service/client.ts"

/** Service options for tests that do not depend on them. */
export const options: FormServiceOptions = {
  baseUrl: "https://forms.example.com/v1/api",
  apiKey: Redacted.make("sk_very_secret"),
  requestsPerSecond: Infinity,
  concurrency: 4,
  timeout: Duration.seconds(30),
  editLinkParameter: "includeEditLink",
  gateway: "gateway",
}
