import { airtableRecords } from "./airtableRecords.ts"
import type { FormTool } from "./FormTool.ts"
import { cellsOf, evidence } from "./sample.ts"

const attachment = /\(https:\/\/[\w.-]*airtableusercontent\.com\//

/** Airtable: the CSV file of a grid view. It has no columns of its own, so only its name and its links identify it. */
export const airtable: FormTool = {
  name: "airtable",
  title: "Airtable",
  records: airtableRecords,
  recognise: (sample) => {
    const linked = sample.titles.some((_, position) => cellsOf(sample, position).some((cell) => attachment.test(cell)))
    return evidence(
      /.-Grid view(?: ?\(\d+\))?\.csv$/i.test(sample.file)
        && [0.5, `the file is named like a grid view: "${sample.file}"`],
      linked && [0.7, "cells contain links to Airtable's attachments"],
    )
  },
  layout: () => ({ notes: ["Links to Airtable's attachments expire a few hours after the export."] }),
}
