import { airtable } from "./airtable.ts"
import { fillout } from "./fillout.ts"
import { googleSheets } from "./googleSheets.ts"
import { jotform } from "./jotform.ts"
import { kobo } from "./kobo.ts"
import { odk } from "./odk.ts"
import type { Preset } from "./Preset.ts"
import { qualtrics } from "./qualtrics.ts"
import { redcap } from "./redcap.ts"
import { surveymonkey } from "./surveymonkey.ts"
import { typeform } from "./typeform.ts"

/** Presets by the name that a connection gives as `api`. */
export const presets: Readonly<Record<string, Preset>> = {
  airtable,
  fillout,
  "google-sheets": googleSheets,
  jotform,
  kobo,
  odk,
  qualtrics,
  redcap,
  surveymonkey,
  typeform,
}
