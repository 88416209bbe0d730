import type { RunReport } from "../../domain/run.ts"
import { balancePart, verdictsPart } from "./counts.ts"
import { differencesPart } from "./differences.ts"
import { filesPart } from "./files.ts"
import type { WrittenFile } from "./files.ts"
import { html } from "./markup.ts"
import { outcomePart } from "./outcome.ts"
import { page } from "./page.ts"
import { problemsPart } from "./problems.ts"
import { questionsPart, settingsPart, sourcesPart, warningsPart } from "./settings.ts"
import { style } from "./style.ts"

/** report.html: one page that needs nothing else, part by part in the order in which people ask. `files`: the CSVs beside it. */
export const reportPage = (report: RunReport, files: ReadonlyArray<WrittenFile>): string =>
  page({
    title: `${report.pipeline} ${report.run}`,
    styles: [style],
    scripts: [],
    body: html`<main>
${[
      outcomePart(report),
      warningsPart(report),
      balancePart(report),
      verdictsPart(report),
      problemsPart(report),
      differencesPart(report, files),
      questionsPart(report),
      filesPart(files),
      sourcesPart(report),
      settingsPart(report),
    ]}</main>
<footer>This page and the files beside it hold personal data. It loads nothing and sends nothing.</footer>`,
  })
