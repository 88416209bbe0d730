/** The form tools whose exports can be read, by their names in `source.format`. */
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
