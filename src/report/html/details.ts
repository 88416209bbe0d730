import * as Str from "effect/String"
import { cellStates, cellStateWords } from "../../domain/cells.ts"
import { answerTones, type AnswerVerdict, answerVerdicts } from "../../domain/comparison.ts"
import type { ColumnCells, RunReport } from "../../domain/report.ts"
import { count, counted, numbers } from "../../domain/words.ts"
import type { AttentionEntry } from "../csvFiles.ts"
import { columnTitle, leftBehind, linesAccount, longestAccount } from "../sentences.ts"
import {
  bar,
  type Content,
  facts,
  html,
  Markup,
  name,
  nameAndId,
  type Section,
  section,
  share,
  table,
  value,
} from "./markup.ts"

// The sections of the page with details.

/**
 * Marks where the entries are inserted into the page. No text contains this control character, because control
 * characters are made visible.
 */
export const entriesPlace = "\u0000entries\u0000"

/** The number of entries in the attention table, the number that the page contains, and each `what` of these. */
export interface AttentionCounts {
  readonly total: number
  readonly shown: number
  readonly listed: ReadonlySet<string>
}

/** Returns an entry as JSON for a script element. The JSON can neither end the element nor start a comment. */
export const entryText = (entry: AttentionEntry): string =>
  JSON.stringify([entry.row, entry.key, entry.what, entry.where, entry.detail, entry.submissionId, entry.editLink])
    .replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const columns = ["row", "key", "what", "column or question", "detail", "submission"]

/** Shows every row that a person may want to review, in a table with filters and sorting. The table shows one page at a time, so that it works for 50,000 rows. */
export const attentionSection = (report: RunReport, counts: AttentionCounts): Section | undefined => {
  if (counts.total === 0) return undefined
  return section("rows", "Rows to look at", [
    html`<p class="soft">Rows that were rejected or replaced, are in doubt, are no longer in the source, or whose submission differs: ${
      counted(counts.total, "entry", "entries")
    }${
      counts.total > counts.shown
      && `. This page contains the first ${count(counts.shown)}; all of them are in the CSV files next to it`
    }.</p>
<noscript><p>The table needs JavaScript. The same rows are in <a href="rejected.csv">rejected.csv</a>, <a href="in-doubt.csv">in-doubt.csv</a>
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
    && html`<p class="small soft">The link "edit" opens the submission in the service for editing.</p>
`,
  ])
}

/** Lists the questions that have no answer for the same reason. */
const unansweredNote = (
  title: string,
  { unanswered = [] }: RunReport,
  state: NonNullable<RunReport["unanswered"]>[number]["state"],
): Content => {
  const left = unanswered.filter((question) => question.state === state)
  return left.length > 0
    && html`<p>${title}: ${left.map((question, at) => html`${at > 0 && ", "}${name(question.name)}`)}.</p>`
}

/** Shows for each question how many rows answered it, and the verdicts on the answers. */
export const questionsSection = (report: RunReport): Section | undefined => {
  if (report.questions.length === 0) return undefined
  const counts = (verdict: AnswerVerdict, question: RunReport["questions"][number]) => question.verdicts[verdict] ?? 0
  const compared = answerVerdicts.filter((verdict) =>
    report.questions.some((question) => counts(verdict, question) > 0)
  )
  return section("questions", "Questions", [
    table(
      "Questions: fill rate and agreement",
      [
        "question",
        "kind",
        ...report.sent > 0 ? [numbers("answered"), numbers("fill rate")] : [],
        ...compared.length > 0 ? [numbers("agreement")] : [],
        ...compared.map(numbers),
      ],
      report.questions.map((question) => {
        const of = (verdict: AnswerVerdict) => counts(verdict, question)
        const comparable = answerVerdicts.reduce((sum, verdict) => sum + of(verdict), 0) - of("not comparable")
        return {
          cells: [
            nameAndId(question.name, question.id),
            question.kind,
            ...report.sent > 0
              ? [count(question.answered), [
                share(question.answered, report.sent),
                bar([
                  { title: "answered", count: question.answered, tone: "calm" },
                  { title: "not answered", count: Math.max(0, report.sent - question.answered), tone: "none" },
                ]),
              ]]
              : [],
            ...compared.length > 0
              ? [[
                share(of("same") + of("equivalent"), comparable),
                bar(compared.map((verdict) => ({ title: verdict, count: of(verdict), tone: answerTones[verdict] }))),
              ]]
              : [],
            ...compared.map((verdict) => count(of(verdict))),
          ],
        }
      }),
    ),
    html`<p class="small soft">${
      report.sent > 0 && `Fill rate: the share of the ${count(report.sent)} sent rows that have an answer. `
    }Agreement: the share of comparable answers that came back the same or equivalent.</p>`,
    unansweredNote("Not mapped, so without an answer", report, "notMapped"),
    unansweredNote("Left without an answer on purpose", report, "ignored"),
  ])
}

/** The maximum number of columns that the page shows. report.json contains all columns. */
const most = 500

/** Counts cells that may be missing in the form. Columns with the most such cells come first. */
const missed = ({ cells, states, use }: ColumnCells): number =>
  use === "notMapped" ? cells : states.sentInPart + states.dropped

/** Shows each column's filled cells by their state, and sentences about the cells that were not sent. */
export const columnsSection = (report: RunReport): Section | undefined => {
  const { columns } = report
  const sentences = leftBehind(report)
  if (columns === undefined) return undefined
  const filled = columns.filter(({ cells }) => cells > 0)
  const shown = filled.toSorted((a, b) => missed(b) - missed(a) || a.position - b.position).slice(0, most)
  const states = cellStates.filter((state) => filled.some((column) => column.states[state] > 0))
  return section("columns", "Columns and omitted cells", [
    sentences.length === 0
      ? html`<p>No cell was omitted.</p>`
      : html`<ul>${
        sentences.map((sentence) =>
          html`<li><bdi>${sentence}</bdi></li>
`
        )
      }</ul>`,
    filled.length > 0 && table(
      "Columns: filled cells by state",
      ["column", numbers("cells"), ...states.map((state) => numbers(cellStateWords[state].title))],
      shown.map((column) => ({
        cells: [
          name(columnTitle(column)),
          [
            count(column.cells),
            bar(states.map((state) => ({
              title: cellStateWords[state].title,
              count: column.states[state],
              tone: cellStateWords[state].tone,
            }))),
          ],
          ...states.map((state) => (column.states[state] === 0 ? "" : count(column.states[state]))),
        ],
      })),
    ),
    html`<p class="small soft">Every filled cell counts once. ${
      states.map((state) => html`${cellStateWords[state].title}: ${cellStateWords[state].meaning}. `)
    }${
      filled.length > most
      && `The first ${count(most)} of ${count(filled.length)} columns are shown; report.json has all of them.`
    }</p>`,
  ])
}

const shown = (text: string | undefined) => text === undefined ? undefined : value(text)

/** Shows the files that were read and their detected settings. */
export const sourcesSection = (report: RunReport): Section | undefined =>
  report.sources.length === 0
    ? undefined
    : section(
      "sources",
      report.sources.length === 1 ? "Source" : "Sources",
      report.sources.map((source) =>
        facts([
          ["File", value(source.file)],
          ["Rows", count(source.rows)],
          ["Bytes", count(source.bytes)],
          ["Format", source.taken.some(({ what }) => what.toLowerCase() === "format") ? undefined : source.format],
          ...source.taken.map(({ what, value: as }) => [Str.capitalize(what), value(as)] as const),
          ["Lines", linesAccount(source)],
          ["Longest cell", shown(longestAccount(source))],
          ["SHA-256", value(source.sha256)],
        ])
      ),
    )

/** Shows the versions and figures that are needed to investigate a problem. */
export const settingsSection = (report: RunReport): Section =>
  section("settings", "Form, mapping and versions", [
    facts([
      ["Form", html`${value(report.form.name)} ${value(report.form.id)} at ${value(report.form.service)}`],
      ["Form's fingerprint", value(report.fingerprints.form)],
      ["Mapping's fingerprint", value(report.fingerprints.mapping)],
      ["Requests", [
        `${count(report.requests.create)} create, ${count(report.requests.read)} read, ${
          count(report.requests.metadata)
        } metadata; `,
        `${count(report.requests.retried)} retried, ${count(report.requests.throttled)} throttled`,
      ]],
      ["Acknowledged", counted(report.acknowledged, "row")],
      ["Ledger", html`${value(report.ledger.id)}, last intent ${count(report.ledger.lastIntent)}`],
      ["Versions", `formferry ${report.versions.formferry}, Node ${report.versions.node}`],
    ]),
  ])

/** A CSV file next to the page, and its number of lines without the header. */
export interface WrittenFile {
  readonly name: string
  readonly rows: number
  readonly holds: string
}

/** Shows the files of the run's folder. */
export const filesSection = (files: ReadonlyArray<WrittenFile>): Section =>
  section(
    "files",
    "Files",
    table("Files next to this page", ["file", numbers("rows"), "contains"], [
      ...files.map((file) => ({
        className: file.rows === 0 ? "none" : "some",
        cells: [html`<a href="${file.name}">${file.name}</a>`, counted(file.rows, "row"), file.holds],
      })),
      { cells: [html`<a href="report.json">report.json</a>`, "", "this report as JSON, for programs"] },
    ]),
  )

/** Shows which personal data this page and the files next to it contain. */
export const contentsSection = (report: RunReport): Section =>
  section(
    "contents",
    "What this report contains",
    report.values === "masked"
      ? html`<p><strong>Masked.</strong> The values of rows and answers, row keys and the service's messages about them are replaced by keyed digests (<code>hmac:…</code>),
the same digest for the same value. With the ledger's secret, a value can be compared with its digest; without it, that is impossible.
Titles of columns, names of questions, row numbers, submission ids and counts are unchanged. Links for editing submissions are omitted.</p>`
      : html`<p><strong>Personal data.</strong> This page and the files next to it contain values of rows and answers, row keys, and links that open submissions for editing. The source's cells are in
<code>rejected.csv</code> and <code>in-doubt.csv</code>. To make a copy without them, run: <code>formferry report ${report.pipeline} --run ${report.run} --redact</code>.</p>`,
  )
