import type { RunReport } from "../../domain/run.ts"
import { modeWords } from "../words.ts"
import { attentionPart, entriesPlace } from "./attention.ts"
import type { AttentionCounts } from "./attention.ts"
import { attentionScript } from "./attentionScript.ts"
import { columnsPart } from "./columns.ts"
import { balancePart, verdictsPart } from "./counts.ts"
import { differencesPart, normalisedPart } from "./differences.ts"
import { doubtsPart } from "./doubts.ts"
import { filesPart } from "./files.ts"
import type { WrittenFile } from "./files.ts"
import { html } from "./markup.ts"
import { markOf, outcomePart } from "./outcome.ts"
import { pacePart } from "./pace.ts"
import { page } from "./page.ts"
import { contentsPart } from "./privacy.ts"
import { problemsPart } from "./problems.ts"
import { questionsPart } from "./questions.ts"
import { discardedPart, settingsPart, sourcesPart, warningsPart } from "./settings.ts"
import { style } from "./style.ts"

/** A page in two pieces: between them go the entries of the attention table, each as `entryText` writes it, with commas between. */
export interface ReportPage {
  readonly before: string
  readonly after: string
}

/** report.html: one page that needs nothing else, part by part in the order in which people ask. `files`: the CSVs beside it. */
export const reportPage = (
  report: RunReport,
  files: ReadonlyArray<WrittenFile>,
  attention: AttentionCounts,
): ReportPage => {
  const parts = [
    warningsPart(report),
    balancePart(report),
    verdictsPart(report),
    differencesPart(report, files),
    problemsPart(report),
    doubtsPart(report),
    attentionPart(report, attention),
    discardedPart(report),
    columnsPart(report),
    questionsPart(report),
    normalisedPart(report),
    pacePart(report),
    filesPart(files),
    sourcesPart(report),
    settingsPart(report),
    contentsPart(report),
  ].filter((part) => part !== undefined)
  const text = page({
    title: `${
      report.mode === "run" ? "" : `${modeWords[report.mode].toUpperCase()}: `
    }${report.pipeline} ${report.run}`,
    styles: [style],
    scripts: [attentionScript],
    body: html`<main>
${markOf(report)}${outcomePart(report)}<nav aria-label="On this page"><ul>${
      parts.map((part) => html`<li><a href="#${part.id}">${part.title}</a></li>`)
    }</ul></nav>
${parts.map((part) => part.markup)}</main>
<footer>${
      report.mode !== "run" && `${modeWords[report.mode].toUpperCase()}. `
    }This page loads nothing and sends nothing.</footer>`,
  })
  const [before = "", after = ""] = text.split(entriesPlace)
  return { before, after }
}
