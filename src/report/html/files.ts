import { counted } from "../words.ts"
import { html } from "./markup.ts"
import { section, table } from "./parts.ts"
import type { Part } from "./parts.ts"

/** A CSV beside the page, and its lines below the header. */
export interface WrittenFile {
  readonly name: string
  readonly rows: number
}

const holds: Readonly<Record<string, string>> = {
  "rejected.csv": "rows that were not imported and why; mend and feed back",
  "in-doubt.csv": "rows that were sent with an unknown outcome",
  "differences.csv": "answers that came back differently",
  "imported.csv": "submissions by row",
  "report.json": "this report for programs",
}

/** The files of the run's folder. */
export const filesPart = (files: ReadonlyArray<WrittenFile>): Part =>
  section(
    "files",
    "Files",
    table("Files beside this page", [{ title: "file" }, { title: "rows", number: true }, { title: "holds" }], [
      ...files.map((file) => ({
        className: file.rows === 0 ? "none" : "some",
        cells: [html`<a href="${file.name}">${file.name}</a>`, counted(file.rows, "row"), holds[file.name]],
      })),
      { cells: [html`<a href="report.json">report.json</a>`, "", holds["report.json"]] },
    ]),
  )
