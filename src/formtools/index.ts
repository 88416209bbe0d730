import { airtable } from "./airtable.ts"
import { alchemer } from "./alchemer.ts"
import { cognitoForms } from "./cognitoForms.ts"
import { fillout } from "./fillout.ts"
import type { FormTool } from "./FormTool.ts"
import { googleForms } from "./googleForms.ts"
import { gravityForms } from "./gravityForms.ts"
import { jotform } from "./jotform.ts"
import { kobo } from "./kobo.ts"
import { limeSurvey } from "./limeSurvey.ts"
import { microsoftForms } from "./microsoftForms.ts"
import { odk } from "./odk.ts"
import { paperform } from "./paperform.ts"
import { qualtrics } from "./qualtrics.ts"
import { redcap } from "./redcap.ts"
import { surveyMonkey } from "./surveyMonkey.ts"
import { tally } from "./tally.ts"
import { typeform } from "./typeform.ts"
import { zohoForms } from "./zohoForms.ts"

/** All form tools. If two are equally likely, the first is chosen. To add a tool, add a file, a line here, and a test. `source.format` and recognition then find it. */
export const formTools: ReadonlyArray<FormTool> = [
  qualtrics,
  fillout,
  typeform,
  tally,
  surveyMonkey,
  limeSurvey,
  alchemer,
  odk,
  kobo,
  redcap,
  cognitoForms,
  microsoftForms,
  zohoForms,
  gravityForms,
  paperform,
  jotform,
  googleForms,
  airtable,
]

const byName = new Map<string | undefined, FormTool>(formTools.map((tool) => [tool.name, tool]))

/** Returns the tool with this name. Undefined if the format is not that of a tool, or not given. */
export const formToolNamed = (name: string | undefined): FormTool | undefined => byName.get(name)
