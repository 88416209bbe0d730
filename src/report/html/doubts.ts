import type { RunReport } from "../../domain/run.ts"
import { count } from "../words.ts"
import { html } from "./markup.ts"
import type { Markup } from "./markup.ts"
import { name, section, table } from "./parts.ts"
import type { Part } from "./parts.ts"

/** What is in doubt, why, what people have said about it, and how rows that were in doubt were settled. */
export const doubtsPart = (report: RunReport): Part | undefined => {
  const parts = [...open(report), ...settled(report)]
  return parts.length === 0 ? undefined : section("in-doubt", "In doubt", parts)
}

const open = (report: RunReport): ReadonlyArray<Markup> =>
  report.inDoubt.length === 0
    ? []
    : [
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
    ]

/** Settlements: by an export of the form's results, or by a person's word. */
const settled = ({ settled: list = [] }: RunReport): ReadonlyArray<Markup> =>
  list.length === 0
    ? []
    : [
      html`<h3>Settled</h3>
`,
      table(
        "How rows in doubt were settled",
        [
          { title: "when" },
          { title: "who" },
          { title: "landed", number: true },
          { title: "did not land", number: true },
          { title: "by" },
        ],
        list.map((one) => ({
          cells: [
            one.at,
            html`${name(one.by)}`,
            count(one.landed),
            count(one.notLanded),
            one.file === undefined
              ? html`a person: ${name(one.because ?? "")}`
              : html`${name(one.file.name)}${
                one.file.isComplete ? html`, complete: ${name(one.because ?? "")}` : html``
              }<br><code class="small">${one.file.sha256}</code>`,
          ],
        })),
      ),
    ]
