import { cronFault, isZone, type Schedule } from "./cron.ts"
import type { Finding } from "./finding.ts"
import { keysAt, textAt } from "./references.ts"
import { quoted } from "./suggestion.ts"
import type { YamlText } from "./yamlText.ts"

/**
 * The schedule of a pipeline file, whatever else is wrong with the file: a pipeline whose mapping can't be read must still fail at its time, and be heard of. Undefined:
 * it has none. A sentence: it has one that can't be read.
 */
export const scheduleIn = (yaml: YamlText): Schedule | string | undefined => {
  // In a file that is no YAML at all (somebody is editing it, say) a line tells.
  if (!yaml.sound) return /^schedule\s*:/m.test(yaml.text) ? "its YAML can't be read." : undefined
  if (keysAt(yaml, [])?.includes("schedule") !== true) return undefined
  const cron = textAt(yaml, ["schedule", "cron"])
  const zone = textAt(yaml, ["schedule", "zone"])
  if (cron === undefined || zone === undefined) return "its schedule needs `cron` and `zone`."
  const fault = cronFault(cron) ?? (isZone(zone) ? undefined : `There is no time zone called ${quoted(zone)}.`)
  return fault === undefined
    ? { cron, zone, to: textAt(yaml, ["schedule", "to"]) }
    : `its schedule can't be read. ${fault}`
}

/** A schedule needs a row key that holds from night to night: with `content`, an edited or a reordered source would import rows again. */
export const scheduleWithoutKey = (yaml: YamlText): ReadonlyArray<Finding> =>
  textAt(yaml, ["source", "rowKey"]) !== "content" || keysAt(yaml, [])?.includes("schedule") !== true ? [] : [{
    offset: yaml.offset(["source", "rowKey"], "value"),
    message:
      "A pipeline with a schedule needs columns as its row key: `content` takes an edited row for a new one, every night.",
    suggestion: "Name the columns that make a row the same row tomorrow, or run it by hand.",
  }]
