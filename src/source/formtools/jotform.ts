import { blocksOf } from "./blocks.ts"
import type { FormTool } from "./FormTool.ts"
import { cellsOf, evidence } from "./sample.ts"

const row = /^(.*?)\s*>>\s*(.*)$/

/** Jotform, CSV and workbook. */
export const jotform: FormTool = {
  name: "jotform",
  title: "Jotform",
  recognise: (sample) => {
    if (sample.plain[0] !== "submission date") return undefined
    const lines = sample.titles.some((_, position) => cellsOf(sample, position).some((cell) => cell.includes("\n")))
    return evidence(
      [0.4, `the first column is "Submission Date", which other tools write too`],
      sample.titles.some((title) => title.includes(">>")) && [0.4, `titles hold ">>" between a question and its row`],
      sample.plain.includes("no label") && [0.3, `there is a column "No Label"`],
      lines && [0.1, "cells hold several lines"],
      sample.plain.includes("first name") && sample.plain.includes("last name")
        && [0.1, `a name stands in "First Name" and "Last Name"`],
    )
  },
  layout: (sample) => ({
    headerRows: 1,
    titles: sample.records[0] ?? [],
    meta: sample.plain[0] === "submission date"
      ? [{ position: 0, role: "submitted", format: ["yyyy-MM-dd HH:mm:ss", "dd-MMM-yy", "MMM d yyyy"] }]
      : [],
    blocks: blocksOf(sample.titles.flatMap((title, position) => {
      const [, question, option] = row.exec(title) ?? []
      return question === undefined || option === undefined || option === "" ? [] : [{ position, question, option }]
    })),
    key: [],
    answers: { several: { columns: false, separator: "\n" }, grid: "a column a row" },
    notes: [
      "No column of a Jotform export is known to number its responses: `rowKey` needs one that does, or `content`.",
    ],
  }),
}
