import { cut } from "../../domain/problem.ts"
import type { Finding, RunReport } from "../../domain/run.ts"
import { valueText } from "../differences.ts"
import { count, counted } from "../words.ts"
import type { WrittenFile } from "./files.ts"
import { html, webLink } from "./markup.ts"
import type { Content } from "./markup.ts"
import { badge, name, section, table, value } from "./parts.ts"
import type { Part } from "./parts.ts"

/** Characters of a value that the page shows; all of it is in differences.csv. */
const shown = 300

const shownValue = (of: Finding["examples"][number]["sent"]): Content =>
  of === undefined || of === null ? html`<span class="soft">nothing</span>` : value(cut(valueText(of), shown))

const what = (finding: Finding): string =>
  finding.tolerated === undefined ? finding.verdict : `${finding.verdict}, tolerated`

const example = (one: Finding["examples"][number]): Content =>
  html`<li><span class="soft">row ${one.row}, ${value(one.key)}:</span> ${shownValue(one.sent)} → ${
    shownValue(one.returned)
  } ${one.editLink !== undefined && webLink(one.editLink, "edit", `edit submission ${one.submissionId}`)}</li>
`

/** Answers that did not come back as they were sent, those that changed in the same way together. */
export const differencesPart = (report: RunReport, files: ReadonlyArray<WrittenFile>): Part | undefined => {
  if (report.findings.length === 0) return undefined
  const all = files.find((file) => file.name === "differences.csv")?.rows
    ?? report.findings.reduce((sum, finding) => sum + finding.count, 0)
  return section("differences", "Differences", [
    table(
      "Differences by question and pattern",
      [{ title: "question" }, { title: "what happened" }, { title: "answers", number: true }, { title: "examples" }],
      report.findings.map((finding) => ({
        cells: [
          html`${name(finding.name)} <code class="soft">${name(finding.question)}</code>`,
          [
            badge(
              finding.verdict,
              finding.tolerated === undefined && finding.verdict !== "not comparable" ? "bad" : "calm",
            ),
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
              what(finding)
            }" data-where="${finding.name}">show all</a>`,
          ],
        ],
      })),
    ),
    html`<p class="small soft">${counted(all, "difference")} in ${
      counted(report.findings.length, "finding")
    }. All of them, each with the link that edits its submission, are in <a href="differences.csv">differences.csv</a>.</p>`,
  ])
}

/** What the service wrote in another way, with the same meaning: nothing to do, and good to know. */
export const normalisedPart = (report: RunReport): Part | undefined =>
  report.normalised.length === 0
    ? undefined
    : section("normalised", "Normalised by the service", [
      html`<p class="soft">These answers came back written differently and mean the same. They count as verified.</p>
`,
      table(
        "Normalised answers",
        [{ title: "question" }, { title: "what" }, { title: "answers", number: true }, { title: "sent" }, {
          title: "returned",
        }],
        report.normalised.map((one) => ({
          cells: [
            html`${name(one.name)} <code class="soft">${name(one.question)}</code>`,
            html`${name(one.what)}`,
            count(one.count),
            shownValue(one.example.sent),
            shownValue(one.example.returned),
          ],
        })),
      ),
    ])
