import { cellStates } from "../../domain/cells.ts"
import type { ColumnCells } from "../../domain/cells.ts"
import type { RunReport } from "../../domain/run.ts"
import { columnTitle, leftBehind } from "../leftBehind.ts"
import { cellWords, count } from "../words.ts"
import { html } from "./markup.ts"
import { bar, name, section, table } from "./parts.ts"
import type { Part } from "./parts.ts"

/** Columns that the page shows; report.json has all. */
const most = 500

/** Cells that may be missed in the form come first, then the columns in their order. */
const missed = ({ cells, states, use }: ColumnCells): number =>
  use === "notMapped" ? cells : states.sentInPart + states.dropped

/** Column by column: its cells that are not empty, by what became of them; and what was left behind, in sentences. */
export const columnsPart = (report: RunReport): Part | undefined => {
  const { columns } = report
  const sentences = leftBehind(report)
  if (columns === undefined) return undefined
  const filled = columns.filter(({ cells }) => cells > 0)
  const shown = filled.toSorted((a, b) => missed(b) - missed(a) || a.position - b.position).slice(0, most)
  const states = cellStates.filter((state) => filled.some((column) => column.states[state] > 0))
  return section("columns", "Columns and what was left behind", [
    sentences.length === 0
      ? html`<p>No cell was left behind.</p>`
      : html`<ul>${
        sentences.map((sentence) =>
          html`<li><bdi>${sentence}</bdi></li>
`
        )
      }</ul>`,
    filled.length > 0 && table(
      "Columns: cells that are not empty, by what became of them",
      [
        { title: "column" },
        { title: "cells", number: true },
        ...states.map((state) => ({ title: cellWords[state].title, number: true })),
      ],
      shown.map((column) => ({
        cells: [
          name(columnTitle(column)),
          [
            count(column.cells),
            bar(states.map((state) => ({
              title: cellWords[state].title,
              count: column.states[state],
              tone: cellWords[state].tone,
            }))),
          ],
          ...states.map((state) => (column.states[state] === 0 ? "" : count(column.states[state]))),
        ],
      })),
    ),
    html`<p class="small soft">Every cell that is not empty counts once. ${
      states.map((state) => html`${cellWords[state].title}: ${cellWords[state].meaning}. `)
    }${
      filled.length > most
      && `The first ${count(most)} of ${count(filled.length)} columns are shown; report.json has all.`
    }</p>`,
  ])
}
