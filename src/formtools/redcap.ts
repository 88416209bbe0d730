import { blocksOf, type PartOf } from "./blocks.ts"
import type { FormTool, MetaColumn, Sample } from "./FormTool.ts"
import { cellsOf, cleansAt, evidence, nothingWhen } from "./sample.ts"

const checkbox = /^(.+?)___(.+)$/
const choice = /^(.*?)\s*\(choice=(.*)\)$/

const completes = ({ plain }: Sample) => plain.flatMap((title, at) => (/._complete$/.test(title) ? [at] : []))

const stamps = ({ plain }: Sample) =>
  plain.flatMap((title, at) => (/._timestamp$/.test(title) || title === "survey timestamp" ? [at] : []))

const areStates = (sample: Sample, positions: ReadonlyArray<number>) =>
  positions.every((position) => cellsOf(sample, position).every((cell) => /^[012]$/.test(cell)))

/** REDCap: exports of raw values and of labels. */
export const redcap: FormTool = {
  name: "redcap",
  title: "REDCap",
  recognise: (sample) => {
    const own = sample.plain.find((title) =>
      /^redcap_(?:event_name|repeat_instrument|repeat_instance|data_access_group|survey_identifier)$/.test(title)
    )
    const labelled = sample.titles.some((title) => choice.test(title))
    const state = sample.plain.some((title) => title === "complete?" || /^complete\?_\d+$/.test(title))
    const complete = completes(sample)
    const boxes = sample.plain.some((title) => checkbox.test(title))
    const states = complete.length > 0 && areStates(sample, complete)
    const identified = /^record_id$|(?:^|_)id$/.test(sample.plain[0] ?? "")
    // In simple projects, only the state of each form identifies the tool.
    const plainly = states && complete.includes(sample.plain.length - 1) && identified
    if (own === undefined && !labelled && !(boxes && complete.length > 0) && !plainly) return undefined
    return evidence(
      own !== undefined && [0.7, `there is a column "${own}"`],
      labelled && [0.5, `titles contain "(choice=…)"`],
      labelled && state && [0.4, `there is a column "Complete?"`],
      boxes && complete.length > 0 && [0.6, `options have columns of their own, "field___code"`],
      complete.length > 0 && [0.2, `forms have a column "…_complete"${states ? " with 0, 1 or 2" : ""}`],
      plainly && [0.2, `the first column "${sample.titles[0]}" looks like a record's id`],
    )
  },
  layout: (sample) => {
    const { plain, titles } = sample
    const meta: Array<MetaColumn> = []
    const parts: Array<PartOf> = []
    const times = new Set(stamps(sample))
    const [submitted] = times
    titles.forEach((title, position) => {
      const name = plain[position] ?? ""
      const [, question, option] = choice.exec(title) ?? checkbox.exec(title) ?? []
      if (question !== undefined && option !== undefined) return void parts.push({ position, question, option })
      if (position === 0) meta.push({ position, role: "id" })
      else if (name === "redcap_survey_identifier") meta.push({ position, role: "respondent" })
      // `source.combine` puts the place of a record before the name.
      else if (/(?:^|\.)redcap_/.test(name)) meta.push({ position, role: "note" })
      else if (times.has(position)) {
        meta.push({ position, role: position === submitted ? "submitted" : "note", format: "yyyy-MM-dd HH:mm:ss" })
      } else if (/._complete$/.test(name) || /^complete\?(?:_\d+)?$/.test(name)) meta.push({ position, role: "status" })
    })
    const more = ["redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance"].map((name) =>
      plain.indexOf(name)
    )
    return {
      variant: titles.some((title) => choice.test(title)) ? "labels" : "raw",
      meta,
      blocks: blocksOf(parts, { least: 1 }),
      key: [0, ...more.filter((position) => position > 0)],
      cleans: cleansAt(times, nothingWhen("[not completed]")),
      notes: more.some((position) => position > 0)
        ? [
          "A record may have several rows, one for each event or repeated form. If they are one submission, join them with `source.combine`.",
        ]
        : [],
    }
  },
}
