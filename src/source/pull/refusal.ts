import { countIn, type Json } from "../../domain/json.ts"
import type { Connection } from "../../project/connection.ts"
import { basesText, presetNamed } from "../../project/preset.ts"
import type { Refusal } from "../../project/presets/Preset.ts"
import { oneOf, quoted } from "../../project/suggestion.ts"
import { valueAt } from "../json/pointer.ts"

/** Whether the connection's preset knows the meaning of refusals from their content. */
export const knowsRefusals = ({ api }: Connection): boolean => presetNamed(api)?.refusals !== undefined

/** Returns the meaning of a refusal, if the connection's preset knows it from the answer. */
export const meaningOf = ({ api }: Connection, json: Json): Refusal | undefined =>
  presetNamed(api)?.refusals?.find(({ at, is }) => String(valueAt(json, at)) === is)?.means

/** Returns the number of requests that the account has left, if the answer says so. */
export const quotaLeft = ({ quota }: Connection, json: Json, headers: Headers): number | undefined => {
  const given = quota === undefined ? undefined : "at" in quota ? valueAt(json, quota.at) : headers.get(quota.header)
  const left = countIn(given)
  // Some tools send -1 if there is no limit.
  return left !== undefined && left >= 0 ? left : undefined
}

/**
 * Returns what a refusal means and what to do, as the end of a sentence.
 *
 * @param meaning `access`: a right may be missing, or the address may be that of a different region or server. `form`: the form was not found. Its id may be
 * wrong, or one of these may be the cause
 * @param code the status, if it says something
 */
export const refusalText = (
  { api, name, places }: Connection,
  meaning: Refusal | "access" | "form",
  code?: number,
): string => {
  const preset = presetNamed(api)
  const status = code === undefined ? "" : ` (${code})`
  const base = `\`connections.${name}.base\``
  const others = preset && basesText(preset)
  const servers = others === undefined ? "" : ` For ${others}, set ${base}.`
  const rights = preset?.rights === undefined ? "" : ` It needs ${preset.rights}.`
  switch (meaning) {
    case "signIn": {
      if (places.length === 0) {
        return `can't be used without signing in${status}. Add \`auth\` to \`connections.${name}\`.`
      }
      const region = servers === ""
        ? ""
        : ` If the secret is right, the account may be on a different server.${servers}`
      return `refused the sign-in${status}: the secret in ${
        places.join(" and ")
      } is wrong or has expired. Renew it, then run again.${region}`
    }
    case "right":
      return `refused access${status}: the account lacks a right.${rights} Correct its rights, then run again.`
    case "region":
      return `refused access${status}: the account belongs to a different region.${servers} Then run again.`
    case "quota":
      return `has no requests left in the account's quota${status}. Nothing was imported. Run again when it is renewed${
        preset?.renewed === undefined ? "" : `, ${preset.renewed}`
      }.`
    case "form": {
      const names = [...Object.keys(preset?.variables ?? {}).map(quoted), ...(others === undefined ? [] : [base])]
      return `found nothing${status}: ${
        oneOf(names)
      } is wrong, or the account lacks the right to read this.${rights} Correct this, then run again.${servers}`
    }
    case "access":
      return preset !== undefined && others === undefined
        ? `refused access${status}: the account lacks the right to read this.${rights} Correct its rights, then run again.`
        : `refused access${status}: the account lacks the right to read this, or belongs to a different region or server.${rights} Correct its rights, or \`connections.${name}\`.${servers}`
  }
}
