import { oneLine } from "../domain/words.ts"
import { blocksOf, type PartOf } from "./blocks.ts"
import type { FormTool } from "./FormTool.ts"
import { countTitles, evidence, foundTitles, metaOf, type MetaTitles } from "./sample.ts"

const ownTitles: MetaTitles = {
  "response id": "id",
  "time started": "started",
  "date submitted": "submitted",
  status: "status",
  "contact id": "respondent",
  "legacy comments": "note",
  comments: "note",
  language: "language",
  referer: "url",
  "extended referer": "url",
  sessionid: "note",
  "user agent": "device",
  "extended user agent": "device",
  "ip address": "ip",
  longitude: "location",
  latitude: "location",
  country: "location",
  city: "location",
  "state/region": "location",
  postal: "location",
}

/** Splits `Option:Question`, even if the option itself ends in a colon. */
const split = (title: string): { readonly option: string; readonly question: string } | undefined => {
  let at = title.indexOf(":")
  if (at > 0 && title.charAt(at + 1) === ":") at++
  const question = at < 0 ? "" : oneLine(title.slice(at + 1))
  return at <= 0 || question === "" ? undefined : { option: oneLine(title.slice(0, at)), question }
}

/** Alchemer, formerly SurveyGizmo: CSV and workbook. */
export const alchemer: FormTool = {
  name: "alchemer",
  title: "Alchemer",
  recognise: (sample) => {
    const own = foundTitles(sample, ["Response ID", "Time Started", "Date Submitted"])
    const rest = foundTitles(sample, ["Legacy Comments", "Extended Referer", "SessionID", "Extended User Agent"])
    const isEnough = own.count === 3 || (own.count === 2 && rest.count > 0) || rest.count >= 3
    if (!isEnough || countTitles(sample, ["last page", "start language"]) > 0) return undefined
    return evidence(
      own.count > 0 && [own.count === 3 ? 0.8 : 0.5, own.reason],
      rest.count > 0 && [rest.count >= 3 ? 0.5 : 0.2, rest.reason],
    )
  },
  layout: (sample) => {
    const firstQuestion = sample.titles.findIndex((title) => title.includes(":"))
    const known = metaOf(sample, ownTitles)
    // "Country" or "Comments" may also be questions. The tool's own columns come before the first question.
    const end = known.reduce((last, { position }) => (position <= last + 2 ? position : last), known[0]?.position ?? -1)
    const own = known.filter(({ position }) => position <= end && (firstQuestion < 0 || position < firstQuestion))
    const parts: Array<PartOf> = []
    sample.titles.forEach((title, position) => {
      const part = split(title)
      if (part === undefined) return
      const other = /^other - write in/i.test(part.option)
      const again = parts.at(-1)?.role === "other" && parts.at(-1)?.option === part.option
      parts.push({ position, ...part, role: other ? (again ? "text" : "other") : "option" })
    })
    return {
      meta: own,
      blocks: blocksOf(parts),
    }
  },
}
