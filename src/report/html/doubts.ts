import type { RunReport } from "../../domain/run.ts"
import { count } from "../words.ts"
import { html } from "./markup.ts"
import { name, section, table } from "./parts.ts"
import type { Part } from "./parts.ts"

/** What is in doubt, why, and what people have said about it. */
export const doubtsPart = (report: RunReport): Part | undefined =>
  report.inDoubt.length === 0
    ? undefined
    : section("in-doubt", "In doubt", [
      html`<p>These rows were sent and it is not known whether they arrived. They are not sent again by themselves: a second submission could not be taken back.
Settle them from an export of the form's results: <code>formferry settle ${report.pipeline} --results FILE</code>.</p>
`,
      table(
        "Rows in doubt by reason",
        [
          { title: "reason" },
          { title: "rows", number: true },
          { title: "of this run", number: true },
          { title: "acknowledged", number: true },
          { title: "sent" },
        ],
        report.inDoubt.map((doubt) => ({
          cells: [
            html`${name(doubt.reason)}`,
            count(doubt.count),
            count(doubt.fresh),
            count(doubt.acknowledged),
            doubt.firstSentAt === doubt.lastSentAt ? doubt.firstSentAt : `${doubt.firstSentAt} to ${doubt.lastSentAt}`,
          ],
        })),
      ),
      html`<p class="small soft">Every row is in <a href="in-doubt.csv">in-doubt.csv</a>, with its batch.</p>`,
    ])
