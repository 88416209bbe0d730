import { readIso, timeOf } from "../../kinds/wallClock.ts"
import type { DraftKey } from "../../project/PipelineDraft.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { one } from "./columnSettings.ts"
import type { Settings } from "./columnSettings.ts"
import { dateFormats } from "./dateEvidence.ts"

/** Texts that are an ISO day with a time that is not midnight. */
const isoWithTime = ({ distinct }: ColumnProfile): ReadonlyArray<string> =>
  [...distinct.keys()].filter((text) => {
    const read = readIso(text)
    return read?.hasDate === true && read.hasTime && (timeOf(read.wall) !== 0 || read.fraction)
  })

export const formatKeys = (
  profile: ColumnProfile,
  kind: "date" | "time" | "dateTime",
): { readonly keys: ReadonlyArray<DraftKey>; readonly open: string | undefined } => {
  const found = dateFormats(profile.dates)
  if (found._tag === "Open") {
    return {
      keys: [{ key: "format", value: found.formats[0] ?? "", note: `or ${found.formats.slice(1).join(", ")}` }],
      open: `${found.why}. Choose the format, then take the # away.`,
    }
  }
  const beside = kind === "date" ? isoWithTime(profile) : []
  const formats = [...found.formats]
  if (beside.length > 0) {
    const shape = (text: string) =>
      `yyyy-MM-dd${text.includes("T") ? "'T'" : " "}HH:mm${/:\d\d:\d\d/.test(text) ? ":ss" : ""}`
    if (beside.some((text) => !/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?$/.test(text))) {
      return {
        keys: [],
        open: "cells hold a time beside the day, with fractions or an offset. Say with `extract` what counts.",
      }
    }
    formats.push(...new Set(beside.map(shape)))
  }
  if (formats.length === 0) return { keys: [], open: undefined }
  const note = beside.length > 0 || (kind === "date" && found.formats.some((format) => /[Hh]/.test(format)))
    ? "the time is left behind"
    : undefined
  return { keys: [{ key: "format", value: one(formats), note }], open: undefined }
}

const zoneKeys = (
  profile: ColumnProfile,
  title: string,
  zone: string | undefined,
): { readonly keys: ReadonlyArray<DraftKey>; readonly open: string | undefined } => {
  const { withDay, withOffset } = profile.dates
  if (withDay > 0 && withOffset === withDay) return { keys: [], open: undefined }
  const known = zone ?? (/\b(?:UTC|GMT)\b/.test(title) ? "UTC" : undefined)
  return known !== undefined ? { keys: [{ key: "zone", value: known }], open: undefined } : {
    keys: [{ key: "zone", value: "Europe/Berlin", note: "an example" }],
    open: "the file does not tell the time zone of these times. Say it, then take the # away.",
  }
}

/** How a column with days and times is read as an instant. */
export const dateTimeSettings = (
  profile: ColumnProfile,
  title: string,
  told: { readonly format?: ReadonlyArray<string> | undefined; readonly zone?: string | undefined } = {},
): Settings => {
  // Date cells and ISO texts need no format, whatever the tool writes into its CSV.
  const own = told.format?.filter((format) => format !== "iso")
  const isIso = profile.dates.iso > 0 && profile.dates.writings.length === 0
  const format = own !== undefined && own.length > 0 && !isIso
    ? { keys: [{ key: "format", value: one(own) }], open: undefined }
    : formatKeys(profile, "dateTime")
  const zone = zoneKeys(profile, title, told.zone)
  const open = [format.open, zone.open].filter((each) => each !== undefined)
  return {
    kind: "dateTime",
    keys: [...format.keys, ...zone.keys],
    open: open.length === 0 ? undefined : open.join(" Also: "),
  }
}
