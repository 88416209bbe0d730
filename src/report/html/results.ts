import { differenceWord } from "../../domain/comparison.ts"
import { fates, fateWords, submissionsIn, verdicts, verdictWords } from "../../domain/fate.ts"
import { valueText } from "../../domain/json.ts"
import { cut, problemWords } from "../../domain/problem.ts"
import type { Finding, RunReport } from "../../domain/report.ts"
import { modeMarks, modeWords, outcomeWord } from "../../domain/run.ts"
import { instantIn } from "../../domain/times.ts"
import { count, counted, numbers, type Word } from "../../domain/words.ts"
import { csvFiles } from "../csvFiles.ts"
import { sentence, tookOf } from "../sentences.ts"
import { flow } from "./charts.ts"
import type { AttentionCounts, WrittenFile } from "./details.ts"
import {
  badge,
  type Content,
  facts,
  html,
  type Markup,
  name,
  nameAndId,
  type Section,
  section,
  share,
  table,
  value,
  webLink,
} from "./markup.ts"

// The sections of the page that say how the run ended.

/** Marks the report of a rehearsal, a dry run or a reconciliation. */
export const markOf = (report: RunReport): Markup | undefined => {
  const mark = modeMarks[report.mode]
  return mark === undefined
    ? undefined
    : html`<p class="mark ${report.mode}"><strong>${modeWords[report.mode].toUpperCase()}</strong> ${mark}</p>
`
}

/** Shows the result in one sentence, the reasons, and what to do next, at the top of the page. */
export const outcomeHeader = (report: RunReport): Content => {
  const word = outcomeWord(report)
  return html`<header class="${word.tone}">
<p class="soft small">formferry ${modeWords[report.mode]} <bdi>${report.run}</bdi></p>
<h1><bdi>${report.pipeline}</bdi> → <bdi>${report.form.name}</bdi></h1>
<p>${badge(word.title, word.tone)} <span class="soft small">exit code ${report.exitCode}</span></p>
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
      ["Started", instantIn(report.zone, report.startedAt)],
      ["Finished", instantIn(report.zone, report.finishedAt)],
      ["Took", tookOf(report)],
      ["Time zone", html`${name(report.zone)}`],
    ])
  }</header>
`
}

interface Counted {
  readonly word: Word
  readonly count: number
}

const tally = (
  label: string,
  first: string,
  of: string,
  words: ReadonlyArray<Counted>,
  { listed }: AttentionCounts,
  total: { readonly title: string; readonly count: number },
  note: Content,
): Content =>
  table(
    label,
    [first, numbers(of), numbers("share"), "meaning"],
    [
      ...words.map((entry) => ({
        className: entry.count === 0 ? "none" : "some",
        cells: [
          entry.count === 0 ? entry.word.title : badge(entry.word.title, entry.word.tone),
          count(entry.count),
          share(entry.count, total.count),
          [
            entry.word.meaning,
            listed.has(entry.word.title) && html` <a href="#rows" data-what="${entry.word.title}">show them</a>`,
          ],
        ],
      })),
      { className: "total", cells: [total.title, count(total.count), "", note] },
    ],
  )

/** Shows the balance: every row read has one fate, and the counts add up. If they don't, the page says so. */
export const balanceSection = (report: RunReport, attention: AttentionCounts): Section =>
  section("balance", "Balance", [
    flow(report),
    tally(
      "Rows by fate",
      "fate",
      "rows",
      // Successful fates come first, followed by those that need a review.
      fates.toReversed().map((fate) => ({ word: fateWords[fate], count: report.rows[fate] })),
      attention,
      { title: "read", count: report.rows.read },
      report.balance.holds
        ? html`${badge("the balance holds", "good")}`
        : html`${badge("the counts do not add up", "bad")} This is an internal error of formferry.`,
    ),
  ])

/** Shows the verdicts on the submissions. */
export const verdictsSection = (report: RunReport, attention: AttentionCounts): Section | undefined => {
  const total = submissionsIn(report.readBack)
  if (total === 0) return undefined
  return section(
    "verdicts",
    "Read back",
    tally(
      "Submissions by verdict",
      "verdict",
      "submissions",
      verdicts.map((verdict) => ({ word: verdictWords[verdict], count: report.readBack[verdict] })),
      attention,
      { title: "all", count: total },
      "",
    ),
  )
}

/** The maximum number of characters of a value on the page. differences.csv contains the whole value. */
const shown = 300

const shownValue = (of: Finding["examples"][number]["sent"]): Content =>
  of === undefined || of === null ? html`<span class="soft">nothing</span>` : value(cut(valueText(of), shown))

const wordOf = ({ tolerated, verdict }: Finding) => differenceWord(verdict, tolerated !== undefined)

const example = (one: Finding["examples"][number]): Content =>
  html`<li><span class="soft">row ${one.row}, ${value(one.key)}:</span> ${shownValue(one.sent)} → ${
    shownValue(one.returned)
  } ${one.editLink !== undefined && webLink(one.editLink, "edit", `edit submission ${one.submissionId}`)}</li>
`

/** Shows answers that did not come back as they were sent, grouped by the change. */
export const differencesSection = (report: RunReport, files: ReadonlyArray<WrittenFile>): Section | undefined => {
  if (report.findings.length === 0) return undefined
  const all = files.find((file) => file.name === csvFiles.differences.name)?.rows
    ?? report.findings.reduce((sum, finding) => sum + finding.count, 0)
  return section("differences", "Differences", [
    table(
      "Differences by question and pattern",
      ["question", "what happened", numbers("answers"), "examples"],
      report.findings.map((finding) => ({
        cells: [
          nameAndId(finding.name, finding.question),
          [
            badge(finding.verdict, wordOf(finding).tone),
            html` ${name(finding.pattern)}`,
            finding.note !== undefined && html`; ${finding.note}`,
            finding.tolerated !== undefined
            && html`<br><span class="small soft">tolerated: ${name(finding.tolerated)}</span>`,
          ],
          count(finding.count),
          [
            html`<ul>${finding.examples.map(example)}</ul>`,
            finding.verdict !== "not comparable" && finding.count > finding.examples.length
            && html`<a class="small" href="#rows" data-what="${
              wordOf(finding).title
            }" data-where="${finding.name}">show all</a>`,
          ],
        ],
      })),
    ),
    html`<p class="small soft">${counted(all, "difference")} in ${
      counted(report.findings.length, "finding")
    }. All of them, each with a link for editing its submission, are in <a href="differences.csv">differences.csv</a>.</p>`,
  ])
}

/** Shows answers that the service stores in a different form with the same meaning. No action is needed. */
export const normalisedSection = (report: RunReport): Section | undefined =>
  report.normalised.length === 0
    ? undefined
    : section("normalised", "Normalised by the service", [
      html`<p class="soft">These answers came back in a different form with the same meaning. They count as verified.</p>
`,
      table(
        "Normalised answers",
        ["question", "what", numbers("answers"), "sent", "returned"],
        report.normalised.map((one) => ({
          cells: [
            nameAndId(one.name, one.question),
            html`${name(one.what)}`,
            count(one.count),
            shownValue(one.example.sent),
            shownValue(one.example.returned),
          ],
        })),
      ),
    ])

/** Shows the problems by kind, each with examples. */
export const problemsSection = (report: RunReport): Section | undefined => {
  if (report.problems.length === 0) return undefined
  const names = new Map(report.questions.map((question) => [question.id, question.name]))
  const rows = report.problems.map((group) => ({
    cells: [
      html`${problemWords[group.code]}<br><code class="soft">${group.code}</code>${
        group.dropped === true && html`<br><span class="soft">only the answer was omitted</span>`
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
      ["problem", "column", "question", numbers("rows"), "examples"],
      rows,
    ),
    report.values === "shown" && report.problems.some((group) => group.dropped !== true)
    && html`<p class="small soft">Every row that was rejected is in <a href="rejected.csv">rejected.csv</a>: fix it there and import the file with
<code>formferry run ${report.pipeline} --source</code> and its path.</p>`,
  ])
}

/** Shows the rows in doubt with reasons and notes, and how earlier rows in doubt were settled. */
export const doubtsSection = (report: RunReport): Section | undefined => {
  const parts = [...open(report), ...settled(report)]
  return parts.length === 0 ? undefined : section("in-doubt", "In doubt", parts)
}

const open = (report: RunReport): ReadonlyArray<Markup> =>
  report.inDoubt.length === 0
    ? []
    : [
      html`<p>These rows were sent, but it is unknown whether they arrived. They are not resent automatically, because a second submission could not be removed.
Settle them from an export of the form's results: <code>formferry settle ${report.pipeline} --results FILE</code>.</p>
`,
      table(
        "Rows in doubt by reason",
        ["reason", numbers("rows"), numbers("of this run"), numbers("acknowledged"), "sent"],
        report.inDoubt.map((doubt) => ({
          cells: [
            html`${name(doubt.reason)}`,
            count(doubt.count),
            count(doubt.fresh),
            count(doubt.acknowledged),
            [...new Set([doubt.firstSentAt, doubt.lastSentAt].map((time) => instantIn(report.zone, time)))].join(
              " to ",
            ),
          ],
        })),
      ),
      html`<p class="small soft">Every row is in <a href="in-doubt.csv">in-doubt.csv</a>, with its batch.</p>`,
    ]

/** Shows how the form as a whole differs from the ledger. */
export const wholeFormSection = ({ wholeForm }: RunReport): Section | undefined =>
  wholeForm && section("whole-form", "The whole form", [
    facts([
      ["Submissions in the form", count(wholeForm.submissions)],
      ["Not in the ledger", count(wholeForm.unknown)],
      ["Required by the ledger, not in the form", count(wholeForm.missing)],
    ]),
    wholeForm.unknown + wholeForm.missing > 0
    && html`<p class="small soft">Their ids are in <a href="whole-form.csv">whole-form.csv</a>. The ledger covers all pipelines that import into this form.</p>`,
  ])

/** Lists the rows that were settled with an export of the form's results, with the form's list or by a person's statement. */
const settled = ({ settled: list = [], zone }: RunReport): ReadonlyArray<Markup> =>
  list.length === 0
    ? []
    : [
      html`<h3>Settled</h3>
`,
      table(
        "How rows in doubt were settled",
        ["when", "who", numbers("landed"), numbers("did not land"), "by"],
        list.map((one) => ({
          cells: [
            instantIn(zone, one.at),
            html`${name(one.by)}`,
            count(one.landed),
            count(one.notLanded),
            one.file === undefined
              ? html`a person: ${name(one.because ?? "")}`
              : html`${name(one.file.name)}${
                one.file.isComplete ? html`, complete: ${name(one.because ?? "")}` : html``
              }${one.file.sha256 === "" ? "" : html`<br><code class="small">${one.file.sha256}</code>`}`,
          ],
        })),
      ),
    ]
