import { slashedBlocks } from "./blocks.ts"
import type { FormTool, MetaColumn } from "./FormTool.ts"
import { evidence, has, metaOf, type MetaTitles, positionOf } from "./sample.ts"

const ownTitles: MetaTitles = {
  submissiondate: "submitted",
  "meta-instanceid": "note",
  instanceid: "note",
  key: "id",
  parent_key: "note",
  submitterid: "note",
  submittername: "name",
  attachmentspresent: "note",
  attachmentsexpected: "note",
  status: "status",
  reviewstate: "note",
  deviceid: "device",
  edits: "note",
  formversion: "note",
  formdef_version: "note",
  review_status: "note",
  isvalidated: "note",
}

/** ODK Central, ODK Briefcase and SurveyCTO. */
export const odk: FormTool = {
  name: "odk",
  title: "ODK",
  recognise: (sample) => {
    // Compares the exact spelling of the names, because a shop's list may well have a column "Key".
    const key = sample.titles.includes("KEY")
    const parent = sample.titles.includes("PARENT_KEY")
    const date = sample.titles.includes("SubmissionDate")
    const instance = sample.titles.includes("meta-instanceID") || sample.titles.includes("instanceID")
    if (!key || !(parent || date || instance)) return undefined
    return evidence(
      [0.3, `there is a column "KEY"`],
      date && [0.5, `there is a column "SubmissionDate"`],
      parent && [0.5, `there is a column "PARENT_KEY"`],
      instance && [0.2, "there is a column with the id of the instance"],
    )
  },
  layout: (sample) => {
    const cto = has(sample, "formdef_version")
    const central = !cto && has(sample, "attachmentspresent")
    const repeat = has(sample, "parent_key")
    // Central writes ISO with an offset. Other tools use the English style without a zone.
    const own = metaOf(sample, ownTitles).map((column): MetaColumn =>
      column.role === "submitted" ? { ...column, format: central ? "iso" : "MMM d, yyyy h:mm:ss a" } : column
    )
    const key = positionOf(sample, "key")
    return {
      variant: repeat ? "a repeat group" : cto ? "SurveyCTO" : central ? "Central" : "Briefcase",
      meta: own,
      blocks: slashedBlocks(sample, 1, own),
      key: key < 0 ? [] : [key],
      notes: [
        ...(central
          ? ["Rows whose Status is `missing` or `not decrypted form data` contain no answers. Skip them with `where`."]
          : []),
        ...(repeat
          ? ["Rows of a repeat group belong to a row of another file. Join them with `source.combine.with`."]
          : []),
      ],
    }
  },
}
