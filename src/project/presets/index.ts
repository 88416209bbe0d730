import { jotform } from "./jotform.ts"
import { kobo } from "./kobo.ts"
import { odk } from "./odk.ts"
import type { Preset } from "./Preset.ts"
import { qualtrics } from "./qualtrics.ts"
import { redcap } from "./redcap.ts"

/** Presets by the name that a connection gives as `api`. */
export const presets: Readonly<Record<string, Preset>> = { jotform, kobo, odk, qualtrics, redcap }
