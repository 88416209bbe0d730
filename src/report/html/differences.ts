import { cut } from "../../domain/problem.ts"
import type { RunReport } from "../../domain/run.ts"
import { valueText } from "../differences.ts"
import { counted } from "../words.ts"
import type { WrittenFile } from "./files.ts"
import { html, webLink } from "./markup.ts"
import type { Markup } from "./markup.ts"
import { section, table, value } from "./parts.ts"

/** Characters of a value that the page shows; all of it is in differences.csv. */
const shown = 300

/** Answers that did not come back as they were sent. */
export const differencesPart = (report: RunReport, files: ReadonlyArray<WrittenFile>): Markup | undefined => {
  if (report.differences.length === 0) return undefined
  const all = files.find((file) => file.name === "differences.csv")?.rows ?? report.differences.length
  return section("Differences", [
    table(
      [
        { title: "row", number: true },
        { title: "key" },
        { title: "question" },
        { title: "verdict" },
        { title: "sent" },
        { title: "returned" },
        { title: "submission" },
      ],
      report.differences.map((difference) => ({
        cells: [
          difference.row,
          value(difference.key),
          difference.name,
          difference.verdict,
          difference.sent === undefined ? undefined : value(cut(valueText(difference.sent), shown)),
          difference.returned === undefined ? undefined : value(cut(valueText(difference.returned), shown)),
          [
            value(difference.submissionId),
            difference.editLink === undefined ? undefined : html`<br>${webLink(difference.editLink, "edit")}`,
          ],
        ],
      })),
    ),
    html`<p class="small soft">${
      all > report.differences.length ? `The first ${report.differences.length} of ${counted(all, "difference")}. ` : ""
    }All of them are in <a href="differences.csv">differences.csv</a>.</p>`,
  ])
}
