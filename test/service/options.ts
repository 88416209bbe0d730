import { Duration, Redacted } from "effect"
import type { FormServiceOptions } from "../../src/service/client.ts"

/** How a service is reached where a test does not care. */
export const options: FormServiceOptions = {
  baseUrl: "https://forms.example.com/v1/api",
  apiKey: Redacted.make("sk_very_secret"),
  requestsPerSecond: Infinity,
  concurrency: 4,
  timeout: Duration.seconds(30),
  editLinkParameter: "includeEditLink",
  gateway: "gateway",
}
