import { fates, verdicts } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/run.ts"
import { count, fateWords, verdictWords } from "../words.ts"
import type { Word } from "../words.ts"
import { flow } from "./flow.ts"
import { html } from "./markup.ts"
import type { Content } from "./markup.ts"
import { badge, section, share, table } from "./parts.ts"
import type { Part } from "./parts.ts"

interface Counted {
  readonly word: Word
  readonly count: number
  /** What the attention table calls it, where it holds such rows. */
  readonly what: string | undefined
}

const tally = (
  label: string,
  first: string,
  of: string,
  words: ReadonlyArray<Counted>,
  total: { readonly title: string; readonly count: number },
  note: Content,
): Content =>
  table(
    label,
    [{ title: first }, { title: of, number: true }, { title: "share", number: true }, { title: "meaning" }],
    [
      ...words.map((entry) => ({
        className: entry.count === 0 ? "none" : "some",
        cells: [
          entry.count === 0 ? entry.word.title : badge(entry.word.title, entry.word.tone),
          count(entry.count),
          share(entry.count, total.count),
          [
            entry.word.meaning,
            entry.what !== undefined && entry.count > 0
            && html` <a href="#rows" data-what="${entry.what}">show them</a>`,
          ],
        ],
      })),
      { className: "total", cells: [total.title, count(total.count), "", note] },
    ],
  )

/** Fates and verdicts whose rows stand in the attention table. */
const listed = new Set(["invalid", "refused", "duplicate", "changed", "inDoubt", "missing", "unread"])

/** The balance: every row read has one fate, and the counts add up (or do not, and then it says so). */
export const balancePart = (report: RunReport): Part =>
  section("balance", "Balance", [
    flow(report),
    tally(
      "Rows by fate",
      "fate",
      "rows",
      // What was reached first, then what needs a look.
      fates.toReversed().map((fate) => ({
        word: fateWords[fate],
        count: report.rows[fate],
        what: listed.has(fate) ? fateWords[fate].title : undefined,
      })),
      { title: "read", count: report.rows.read },
      report.balance.holds
        ? html`${badge("the balance holds", "good")}`
        : html`${badge("the balance does not hold", "bad")} This is a fault in formferry.`,
    ),
  ])

/** What reading back showed. */
export const verdictsPart = (report: RunReport): Part | undefined => {
  const total = verdicts.reduce((sum, verdict) => sum + report.readBack[verdict], 0)
  if (total === 0) return undefined
  return section(
    "verdicts",
    "Read back",
    tally(
      "Submissions by verdict",
      "verdict",
      "submissions",
      verdicts.map((verdict) => ({
        word: verdictWords[verdict],
        count: report.readBack[verdict],
        what: listed.has(verdict) && report.mode !== "reconcile" ? verdictWords[verdict].title : undefined,
      })),
      { title: "all", count: total },
      "",
    ),
  )
}
