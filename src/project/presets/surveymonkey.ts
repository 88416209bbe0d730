import type { Preset } from "./Preset.ts"

export const surveymonkey: Preset = {
  title: "SurveyMonkey",
  evidence: "From the vendor's documentation and the code of several clients, not tried live.",
  base: "https://api.surveymonkey.com/v3",
  bases: "the address of the account's region followed by `/v3`, if access is refused although the token is right",
  token: { bearer: true },
  signIn:
    "Create a private app on the developer page, with the scopes View Surveys, View Responses and View Response Details. The last one needs a paid plan. The app's access token doesn't expire.",
  // 120 a minute.
  requestsPerSecond: 1.5,
  quota: { header: "X-Ratelimit-App-Global-Day-Remaining" },
  variables: { form: { about: "the survey's id", example: "123456789" } },
  source: {
    // A response that is edited during the pull moves to the end, and another one to a page that was already read. Then the number of different
    // responses is less than the total, and the pull fails.
    request: {
      path: "/surveys/{form}/responses/bulk",
      query: { per_page: 100, sort_by: "date_modified", sort_order: "ASC", start_modified_at: "{since}" },
    },
    page: { link: "/links/next", total: "/total", id: "/id" },
    records: "/data",
    since: { at: "/date_modified", skipped: "pass" },
    labels: { path: "/surveys/{form}/details" },
    where: { response_status: ["completed"] },
    format: "surveymonkey",
    rowKey: ["Respondent ID"],
  },
  notes: [
    "The questions, cells and row key of an export as separate columns with texts. `Start Date` and `End Date` are ISO times in UTC, unlike in an export.",
    "Responses that are not completed are skipped. To import others, write `where` yourself.",
    "Edits are found. Responses that were deleted are reported as vanished when all responses are pulled.",
    "An account has 500 requests a day: each run needs one for 100 responses, and two more.",
  ],
}
