import type { RunReport } from "../../domain/run.ts"
import { linesAccount, longestAccount } from "../account.ts"
import { count, counted } from "../words.ts"
import { html } from "./markup.ts"
import { facts, section, table, value } from "./parts.ts"
import type { Part } from "./parts.ts"

/** What people should know and no number shows. */
export const warningsPart = (report: RunReport): Part | undefined => {
  const sentences = [
    ...report.warnings,
  ]
  if (sentences.length === 0) return undefined
  return section(
    "warnings",
    "Warnings",
    html`<ul>${
      sentences.map((sentence) =>
        html`<li>${sentence}</li>
`
      )
    }</ul>`,
  )
}

const shown = (text: string | undefined) => text === undefined ? undefined : value(text)

/** What was read, and what it was taken for. */
export const sourcesPart = (report: RunReport): Part | undefined =>
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
          ...source.taken.map(({ what, value: as }) =>
            [`${what.charAt(0).toUpperCase()}${what.slice(1)}`, value(as)] as const
          ),
          ["Lines", linesAccount(source)],
          ["Longest cell", shown(longestAccount(source))],
          ["SHA-256", value(source.sha256)],
        ])
      ),
    )

/** Fields that were discarded because formferry does not know their type. */
export const discardedPart = (report: RunReport): Part | undefined =>
  report.discarded.length === 0
    ? undefined
    : section("discarded", "Discarded fields", [
      html`<p>The form holds fields of types that formferry does not know. They were passed over, as the service asks, and could not be compared.</p>
`,
      table(
        "Discarded fields by type",
        [{ title: "type" }, { title: "fields", number: true }],
        report.discarded.map(({ count: fields, type }) => ({ cells: [value(type), count(fields)] })),
      ),
    ])

/** Figures that are wanted when something is looked into. */
export const settingsPart = (report: RunReport): Part =>
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
