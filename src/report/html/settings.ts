import { answerVerdicts } from "../../domain/comparison.ts"
import type { RunReport } from "../../domain/run.ts"
import { count, counted } from "../words.ts"
import { html } from "./markup.ts"
import type { Markup } from "./markup.ts"
import { facts, section, table, value } from "./parts.ts"

/** What people should know and no number shows. */
export const warningsPart = (report: RunReport): Markup | undefined => {
  const sentences = [
    ...report.warnings,
    ...report.discarded.map(({ count: fields, type }) =>
      `${counted(fields, "field")} of the type "${type}", which formferry does not know, could not be compared.`
    ),
  ]
  if (sentences.length === 0) return undefined
  return section(
    "Warnings",
    html`<ul>${
      sentences.map((sentence) =>
        html`<li>${sentence}</li>
`
      )
    }</ul>`,
  )
}

/** What was read, and what it was taken for. */
export const sourcesPart = (report: RunReport): Markup | undefined =>
  report.sources.length === 0
    ? undefined
    : section(
      "Source",
      report.sources.map((source) =>
        facts([
          ["File", value(source.file)],
          ["Rows", count(source.rows)],
          ["Bytes", count(source.bytes)],
          ["Format", source.format],
          ...source.taken.map(({ what, value: as }) => [what, value(as)] as const),
          ["SHA-256", value(source.sha256)],
        ])
      ),
    )

/** Question by question: how many rows answered it, and how the answers compared. */
export const questionsPart = (report: RunReport): Markup | undefined => {
  if (report.questions.length === 0) return undefined
  const compared = answerVerdicts.filter((verdict) =>
    report.questions.some((question) => (question.verdicts[verdict] ?? 0) > 0)
  )
  return section(
    "Questions",
    table(
      [
        { title: "question" },
        { title: "kind" },
        { title: "answered", number: true },
        ...compared.map((verdict) => ({ title: verdict, number: true })),
      ],
      report.questions.map((question) => ({
        cells: [
          html`<bdi>${question.name}</bdi> <code class="soft">${question.id}</code>`,
          question.kind,
          count(question.answered),
          ...compared.map((verdict) => count(question.verdicts[verdict] ?? 0)),
        ],
      })),
    ),
  )
}

/** Figures that are wanted when something is looked into. */
export const settingsPart = (report: RunReport): Markup =>
  section("Settings", [
    facts([
      ["Requests", [
        `${count(report.requests.create)} create, ${count(report.requests.read)} read, ${
          count(report.requests.metadata)
        } metadata; `,
        `${count(report.requests.retried)} retried, ${count(report.requests.throttled)} throttled`,
      ]],
      ["Acknowledged", counted(report.acknowledged, "row")],
      ["Ledger", html`${value(report.ledger.id)}, last intent ${count(report.ledger.lastIntent)}`],
      ["Mapping", value(report.fingerprints.mapping)],
      ["Form", value(report.fingerprints.form)],
      ["Versions", `formferry ${report.versions.formferry}, Node ${report.versions.node}`],
    ]),
  ])
