import type { RunReport } from "../../domain/run.ts"
import { span } from "../span.ts"
import { modeWords, outcomeWords } from "../words.ts"
import { html } from "./markup.ts"
import type { Markup } from "./markup.ts"
import { badge, facts } from "./parts.ts"

/** The top of the page: how it ended, why, and what to do next. */
export const outcomePart = (report: RunReport): Markup => {
  const word = outcomeWords[report.outcome]
  const because = report.because.length === 0 ? [word.meaning] : report.because
  return html`<header class="${word.tone}">
<p class="soft small">formferry ${modeWords[report.mode]} ${report.run}</p>
<h1><bdi>${report.pipeline}</bdi> → <bdi>${report.form.name}</bdi></h1>
<p>${badge(word.title, word.tone)} <span class="soft small">exit status ${report.exitCode}</span></p>
${
    because.map((sentence) =>
      html`<p>${sentence}</p>
`
    )
  }${
    report.next !== undefined && html`<p class="next">Next: <code>${report.next}</code></p>
`
  }${
    facts([
      ["Form", html`${report.form.name} <code>${report.form.id}</code> at ${report.form.service}`],
      ["Started", report.startedAt],
      ["Finished", report.finishedAt],
      ["Took", span(report.startedAt, report.finishedAt)],
    ])
  }</header>
`
}
