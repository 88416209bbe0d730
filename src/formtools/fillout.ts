import { monthNumber } from "../domain/months.ts"
import { filloutSubmissions, ownTitles } from "./filloutSubmissions.ts"
import type { FormTool } from "./FormTool.ts"
import { cleansAt, countTitles, evidence, has, metaOf, nothingWhen, rewritten, withRole } from "./sample.ts"

const written = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d\d)(\d\d)(?: \([^()]*\))?$/

/** Converts a time in JavaScript's notation to ISO. Uses the offset, and ignores the zone's name in brackets. */
const isoOfDate = (text: string): string => {
  const [, name = "", day, year, time, hours, minutes] = written.exec(text.trim()) ?? []
  const month = monthNumber(name)
  return month === undefined ? text : `${year}-${String(month).padStart(2, "0")}-${day}T${time}${hours}:${minutes}`
}

/** Fillout's own results as CSV, which is the form service's export of its submissions. */
export const fillout: FormTool = {
  name: "fillout",
  title: "Fillout",
  records: filloutSubmissions,
  recognise: (sample) => {
    const own = countTitles(sample, ["submission id", "last updated", "submission started", "current step"])
    if (own < 3 || has(sample, "respondent id")) return undefined
    const tail = countTitles(sample, ["errors", "url", "network id"])
    return evidence(
      [own === 4 ? 0.8 : 0.6, `there are columns "Submission ID", "Submission started", "Current step" (${own} of 4)`],
      tail > 0 && [0.2, `there are columns "Errors", "Url", "Network ID" (${tail} of 3)`],
    )
  },
  layout: (sample) => {
    // A question may also be called "Status" or "Url". The tool's own columns are at the beginning and at the end.
    const own = [
      ...metaOf({ plain: sample.plain.slice(0, 6) }, ownTitles),
      ...metaOf(
        { plain: sample.plain.map((title, at) => (at < sample.plain.length - 3 || at < 6 ? "" : title)) },
        ownTitles,
      ),
    ].filter(({ position }, index, all) => all.findIndex((one) => one.position === position) === index)
    const errors = own.filter(({ position }) => sample.plain[position] === "errors").map(({ position }) => position)
    const status = withRole(own, "status")[0]
    return {
      meta: own,
      cleanAll: rewritten(isoOfDate),
      cleans: cleansAt(errors, nothingWhen("None")),
      ...(status === undefined ? {} : { complete: { position: status, is: ["finished"] } }),
    }
  },
}
