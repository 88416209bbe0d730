import type { Mode, RunReport } from "../../domain/run.ts"
import { sentence } from "../sentence.ts"
import { span } from "../span.ts"
import { modeWords, outcomeWords } from "../words.ts"
import { html } from "./markup.ts"
import type { Content, Markup } from "./markup.ts"
import { badge, facts } from "./parts.ts"

const marks: { readonly [M in Mode]: string | undefined } = {
  run: undefined,
  rehearsal:
    "This is a rehearsal: everything went to a practice service on this machine. Nothing was sent to the form.",
  "dry-run": "This is a dry run: every row was read and checked, and nothing was sent.",
  reconcile: "This is a reconciliation: submissions of earlier runs were read back again. Nothing was sent.",
}

/** What a report is not, said before anything else. */
export const markOf = (report: RunReport): Markup | undefined => {
  const mark = marks[report.mode]
  return mark === undefined
    ? undefined
    : html`<p class="mark ${report.mode}"><strong>${modeWords[report.mode].toUpperCase()}</strong> ${mark}</p>
`
}

/** The top of the page: how it ended, in one sentence, why, and what to do next. */
export const outcomePart = (report: RunReport): Content => {
  const word = outcomeWords[report.outcome]
  return html`<header class="${word.tone}">
<p class="soft small">formferry ${modeWords[report.mode]} <bdi>${report.run}</bdi></p>
<h1><bdi>${report.pipeline}</bdi> → <bdi>${report.form.name}</bdi></h1>
<p>${badge(word.title, word.tone)} <span class="soft small">exit status ${report.exitCode}</span></p>
<p class="sentence">${sentence(report)}</p>
${
    report.because.map((because) =>
      html`<p>${because}</p>
`
    )
  }${
    report.next !== undefined && html`<p class="next">Next: <code>${report.next}</code></p>
`
  }${
    facts([
      [
        "Form",
        html`<bdi>${report.form.name}</bdi> <code><bdi>${report.form.id}</bdi></code> at ${report.form.service}`,
      ],
      ["Started", report.startedAt],
      ["Finished", report.finishedAt],
      ["Took", span(report.startedAt, report.finishedAt)],
    ])
  }</header>
`
}
