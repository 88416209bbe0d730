import { cut } from "../../domain/problem.ts"
import type { RunReport } from "../../domain/run.ts"
import { count, problemWords } from "../words.ts"
import { html } from "./markup.ts"
import { name, section, table, value } from "./parts.ts"
import type { Part } from "./parts.ts"

/** Problems by kind, each with examples. */
export const problemsPart = (report: RunReport): Part | undefined => {
  if (report.problems.length === 0) return undefined
  const names = new Map(report.questions.map((question) => [question.id, question.name]))
  const rows = report.problems.map((group) => ({
    cells: [
      html`${problemWords[group.code]}<br><code class="soft">${group.code}</code>${
        group.dropped === true && html`<br><span class="soft">only the answer left out</span>`
      }`,
      group.column !== undefined && name(group.column),
      group.question !== undefined && name(names.get(group.question) ?? group.question),
      count(group.count),
      html`<ul>${
        group.examples.map((example) =>
          html`<li><span class="soft">row ${example.row}:</span> ${
            example.message === "" && example.value !== undefined
              ? value(example.value)
              : html`<bdi>${cut(example.message, 400)}</bdi>`
          }</li>
`
        )
      }</ul>`,
    ],
  }))
  return section("problems", "Problems", [
    table(
      "Problems by kind, column and question",
      [{ title: "problem" }, { title: "column" }, { title: "question" }, { title: "rows", number: true }, {
        title: "examples",
      }],
      rows,
    ),
    report.values === "shown" && report.problems.some((group) => group.dropped !== true)
    && html`<p class="small soft">Every row that was rejected is in <a href="rejected.csv">rejected.csv</a>: mend it there and feed it back with
<code>formferry run ${report.pipeline} --source</code> and its path.</p>`,
  ])
}
