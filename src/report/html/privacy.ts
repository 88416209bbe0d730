import type { RunReport } from "../../domain/run.ts"
import { html } from "./markup.ts"
import { section } from "./parts.ts"
import type { Part } from "./parts.ts"

/** What this page and the files beside it hold of people, so that whoever passes them on knows. */
export const contentsPart = (report: RunReport): Part =>
  section(
    "contents",
    "What this report contains",
    report.values === "masked"
      ? html`<p><strong>Masked.</strong> The values of rows and answers, row keys and the service's words about them are replaced by keyed digests (<code>hmac:…</code>),
the same digest for the same value. Whoever has the ledger's secret can check a value against its digest; nobody else can work it out.
Titles of columns, names of questions, row numbers, submission ids and counts are as they are; links that edit submissions are left out.</p>`
      : html`<p><strong>Personal data.</strong> This page and the files beside it hold values of rows and answers, row keys, and links that open submissions for editing. The source's cells stand in
<code>rejected.csv</code> and <code>in-doubt.csv</code>. A copy without them: <code>formferry report ${report.pipeline} --run ${report.run} --redact</code>.</p>`,
  )
