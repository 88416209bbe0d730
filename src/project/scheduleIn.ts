import { cronFault, isZone, type Schedule } from "./cron.ts"
import { keysAt, textAt } from "./references.ts"
import { quoted } from "./suggestion.ts"
import type { YamlText } from "./yamlText.ts"

/**
 * The schedule of a pipeline file, whatever else is wrong with the file: a pipeline whose mapping can't be read must still fail at its time, and be heard of. Undefined:
 * it has none. A sentence: it has one that can't be read.
 */
export const scheduleIn = (yaml: YamlText): Schedule | string | undefined => {
  const keys = keysAt(yaml, [])
  if (keys === undefined) return "its YAML can't be read."
  if (!keys.includes("schedule")) return undefined
  const cron = textAt(yaml, ["schedule", "cron"])
  const zone = textAt(yaml, ["schedule", "zone"])
  if (cron === undefined || zone === undefined) return "its schedule needs `cron` and `zone`."
  const fault = cronFault(cron) ?? (isZone(zone) ? undefined : `There is no time zone called ${quoted(zone)}.`)
  return fault === undefined
    ? { cron, zone, to: textAt(yaml, ["schedule", "to"]) }
    : `its schedule can't be read. ${fault}`
}
