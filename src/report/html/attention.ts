import type { RunReport } from "../../domain/run.ts"
import type { AttentionEntry } from "../attention.ts"
import { count, counted } from "../words.ts"
import { html, Markup } from "./markup.ts"
import { section } from "./parts.ts"
import type { Part } from "./parts.ts"

/** Where the entries go in the page. A control character can't come from anywhere else: all that is shown is made visible. */
export const entriesPlace = "\u0000entries\u0000"

/** Entries of the attention table that there are, and that the page holds. */
export interface AttentionCounts {
  readonly total: number
  readonly shown: number
}

/** An entry as JSON that may stand inside of a script element: nothing in it can end the element or begin a comment. */
export const entryText = (entry: AttentionEntry): string =>
  JSON.stringify([entry.row, entry.key, entry.what, entry.where, entry.detail, entry.submissionId, entry.editLink])
    .replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const columns = ["row", "key", "what", "column or question", "detail", "submission"]

/** Every row that a person may want to look at, in a table that filters and sorts: a page of it at a time, so that 50,000 rows are no burden. */
export const attentionPart = (report: RunReport, counts: AttentionCounts): Part | undefined => {
  if (counts.total === 0) return undefined
  return section("rows", "Rows to look at", [
    html`<p class="soft">Rows that were rejected, replaced or are in doubt, that left the source, or whose submission differs: ${
      counted(counts.total, "entry", "entries")
    }${
      counts.total > counts.shown
      && `. This page holds the first ${count(counts.shown)}; all of them are in the CSV files beside it`
    }.</p>
<noscript><p>The table needs scripts. The same rows are in <a href="rejected.csv">rejected.csv</a>, <a href="in-doubt.csv">in-doubt.csv</a>
and <a href="differences.csv">differences.csv</a>.</p></noscript>
<div id="attention" hidden>
<div class="controls">
<label>Search <input type="search" id="attention-search" autocomplete="off" spellcheck="false"></label>
<label>What <select id="attention-what"><option value="">everything</option></select></label>
<label>Column or question <select id="attention-where"><option value="">all</option></select></label>
<button type="button" id="attention-clear">Show all</button>
</div>
<p class="small soft" role="status" id="attention-status"></p>
<div class="wide" tabindex="0" role="group" aria-label="Rows to look at"><table id="attention-table">
<thead><tr>${
      columns.map((title, index) =>
        html`<th scope="col"${
          index === 0 && html` class="number"`
        }><button type="button" class="sort">${title}</button></th>`
      )
    }</tr></thead>
<tbody></tbody>
</table></div>
<div class="pages"><button type="button" id="attention-first">First</button> <button type="button" id="attention-previous">Previous</button>
<span id="attention-page" class="small"></span> <button type="button" id="attention-next">Next</button> <button type="button" id="attention-last">Last</button></div>
</div>
`,
    new Markup(`<script type="application/json" id="attention-data">[\n${entriesPlace}\n]</script>\n`),
    report.values === "shown"
    && html`<p class="small soft">A link "edit" opens the submission in the service for editing.</p>
`,
  ])
}
