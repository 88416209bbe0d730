import { hash } from "node:crypto"
import type { RunReport } from "../../domain/report.ts"
import { modeWords } from "../../domain/run.ts"
import { attentionScript } from "./attentionScript.ts"
import { paceSection } from "./charts.ts"
import { declaredSections } from "./declared.ts"
import {
  type AttentionCounts,
  attentionSection,
  columnsSection,
  contentsSection,
  entriesPlace,
  filesSection,
  questionsSection,
  settingsSection,
  sourcesSection,
  type WrittenFile,
} from "./details.ts"
import { html, Markup } from "./markup.ts"
import {
  balanceSection,
  differencesSection,
  doubtsSection,
  markOf,
  normalisedSection,
  outcomeHeader,
  problemsSection,
  verdictsSection,
  wholeFormSection,
} from "./results.ts"
import { style } from "./style.ts"

export { entryText } from "./details.ts"

/** A page in two parts. The entries of the attention table are written between the parts, separated by commas, and each in the form that `entryText` returns. */
export interface ReportPage {
  readonly before: string
  readonly after: string
}

/** Makes report.html, a self-contained page with its most important sections first. `files`: the CSV files next to the page. */
export const reportPage = (
  report: RunReport,
  files: ReadonlyArray<WrittenFile>,
  attention: AttentionCounts,
): ReportPage => {
  const { warnings, ...others } = declaredSections(report)
  const sections = [
    warnings,
    balanceSection(report, attention),
    verdictsSection(report, attention),
    differencesSection(report, files),
    problemsSection(report),
    doubtsSection(report),
    wholeFormSection(report),
    attentionSection(report, attention),
    ...Object.values(others),
    columnsSection(report),
    questionsSection(report),
    normalisedSection(report),
    paceSection(report),
    filesSection(files),
    sourcesSection(report),
    settingsSection(report),
    contentsSection(report),
  ].filter((one) => one !== undefined)
  const mark = report.mode === "run" ? undefined : modeWords[report.mode].toUpperCase()
  const text = page({
    title: `${mark === undefined ? "" : `${mark}: `}${report.pipeline} ${report.run}`,
    body: html`<main>
${markOf(report)}${outcomeHeader(report)}<nav aria-label="On this page"><ul>${
      sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
    }</ul></nav>
${sections.map(({ markup }) => markup)}</main>
<footer>${mark !== undefined && `${mark}. `}This page loads nothing and sends nothing.</footer>`,
  })
  const [before = "", after = ""] = text.split(entriesPlace)
  return { before, after }
}

const allowed = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** The only script that a report's page runs, as a source of a content security policy. */
export const reportScript = allowed(attentionScript)

/**
 * Makes a self-contained page, with style and script inside. The content policy contains the digests of both, so that
 * nothing else can run, load or be sent. Both are part of formferry and contain no value of a run.
 */
const page = (content: { readonly title: string; readonly body: Markup }): string => {
  // The only special characters of the policy are the quotes around its keywords. An attribute may contain them.
  const policy = [
    "default-src 'none'",
    `style-src ${allowed(style)}`,
    `script-src ${reportScript}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${content.title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${content.body}
<script>${new Markup(attentionScript)}</script>
</body>
</html>
`.text
}
