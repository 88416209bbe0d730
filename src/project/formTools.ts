/** The form tools whose exports are known, by the names that `source.format` takes. */
export const formToolNames = [
  "typeform",
  "google-forms",
  "microsoft-forms",
  "jotform",
  "surveymonkey",
  "qualtrics",
  "tally",
  "fillout",
  "limesurvey",
  "kobo",
  "odk",
  "redcap",
  "alchemer",
  "gravity-forms",
  "cognito-forms",
  "zoho-forms",
  "paperform",
  "airtable",
] as const

export type FormToolName = (typeof formToolNames)[number]
