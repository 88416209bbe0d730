import type { Preset } from "./Preset.ts"

export const kobo: Preset = {
  title: "KoboToolbox",
  evidence: "From the vendor's source code and documentation, not tried live.",
  base: "https://kf.kobotoolbox.org",
  bases: "the address of your server, such as `https://eu.kobotoolbox.org`",
  token: { header: "Authorization", prefix: "Token" },
  signIn: "The token is in the account settings, under Security.",
  variables: { form: { about: "the id of the project, as in its address", example: "aBc123" } },
  source: {
    // The answers of an export, but in pages: an export is limited to 120 seconds, and may be a cached one.
    request: { path: "/api/v2/assets/{form}/data/", query: { format: "json", limit: 1000, sort: '{"_id":1}' } },
    page: { link: "/next", total: "/count" },
    records: "/results",
    rowKey: ["_uuid"],
  },
  notes: ["Edits are found. Records that were deleted in KoboToolbox are reported as vanished."],
}
