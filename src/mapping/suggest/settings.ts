import type { Question } from "../../domain/form.ts"
import { kindOfType } from "../../kinds/index.ts"
import { booleanSettings, choiceSettings } from "./choiceSettings.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { settled } from "./columnSettings.ts"
import type { Settings } from "./columnSettings.ts"
import { dateTimeSettings, formatKeys } from "./dateSettings.ts"
import { expectedOf } from "./expected.ts"
import { meaningOf, speaksOf } from "./meaning.ts"
import { numberSigns } from "./numberEvidence.ts"
import { isTick } from "./ticks.ts"

const numberSettings = (profile: ColumnProfile): Settings => {
  const signs = numberSigns(profile.numbers)
  if (signs._tag === "Open") {
    return {
      kind: "number",
      keys: [{ key: "decimal", value: ",", note: 'or "."; and `group`' }],
      open: `${signs.why}. Say it, then take the # away.`,
    }
  }
  const { decimal, group } = signs
  return settled(
    "number",
    ...(decimal === undefined ? [] : [{ key: "decimal", value: decimal }]),
    ...(group === undefined ? [] : [{ key: "group", value: group }]),
  )
}

/** Kinds of names whose digits are no amounts. */
const codes = [
  "zip",
  "phone",
  "mobile",
  "fax",
  "id",
  "number",
  "code",
  "customer number",
  "reference",
  "tax number",
  "iban",
  "house number",
]

/** The kind for a question whose type the form does not tell: only what the cells leave no doubt of. */
const untold = (profile: ColumnProfile, question: Question, title: string): Settings => {
  const meanings = [meaningOf(question.name), meaningOf(title)]
  const { share, filled, distinct } = profile
  const isCode = codes.some((concept) => meanings.some((meaning) => speaksOf(meaning, concept)))
  const { kind } = expectedOf(question, meaningOf(question.name))
  if (filled === 0 || kind === "choice") return settled(undefined)
  if (share.email >= 0.98 || (kind === "email" && share.email >= 0.8)) return settled("email")
  if (share.date >= 0.98) {
    const { keys, open } = formatKeys(profile, "date")
    return { kind: "date", keys, open }
  }
  if (share.dateTime >= 0.98) return dateTimeSettings(profile, title)
  if (share.time >= 0.98) {
    const { keys, open } = formatKeys(profile, "time")
    return { kind: "time", keys, open }
  }
  const leadingZero = [...distinct.keys()].some((text) => /^0\d/.test(text))
  const isTicked = [...distinct.keys()].every(isTick)
  if (share.number === 1 && !isCode && !leadingZero && !isTicked) return numberSettings(profile)
  return settled(undefined)
}

/** How a column is to be read as the answer of a question. */
export const settingsOf = (
  profile: ColumnProfile,
  question: Question,
  title: string,
  uploads: string | undefined,
): Settings => {
  if (question.type === undefined) return untold(profile, question, title)
  if (profile.filled === 0) return settled(undefined)
  const kind = kindOfType(question.type)?.name
  switch (kind) {
    case "date": {
      const { keys, open } = formatKeys(profile, "date")
      return { kind, keys, open }
    }
    case "time": {
      const { keys, open } = formatKeys(profile, "time")
      return { kind, keys, open }
    }
    case "dateTime":
      return dateTimeSettings(profile, title)
    case "number":
      return numberSettings(profile)
    case "boolean":
      return booleanSettings(profile)
    case "phone":
      return profile.international === 1 ? settled(kind) : {
        kind,
        keys: [{ key: "country", value: "DE", note: "an example" }],
        open: "some numbers have no country code. Say of which country they are, then take the # away.",
      }
    case "choice":
    case "choices":
    case "ranking":
      return choiceSettings(kind, profile, question)
    case "files": {
      const several = [...profile.distinct.keys()].some((text) => /https?:\/\/\S+[,;\s]+https?:\/\//i.test(text))
      return settled(kind, ...(several ? [{ key: "split", value: uploads ?? "," }] : []))
    }
    default:
      return settled(kind)
  }
}
