import { fates, verdicts } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/run.ts"
import { count, fateWords, verdictWords } from "../words.ts"
import type { Word } from "../words.ts"
import { html } from "./markup.ts"
import type { Content, Markup } from "./markup.ts"
import { badge, bar, section, table } from "./parts.ts"

const share = (part: number, whole: number): string =>
  whole === 0 || part === 0 ? "" : part === whole ? "100%" : `${((part / whole) * 100).toFixed(1)}%`

const tally = (
  words: ReadonlyArray<{ readonly word: Word; readonly count: number }>,
  total: { readonly title: string; readonly count: number },
  note: Content,
): Content => [
  bar(words.map((entry) => ({ title: entry.word.title, count: entry.count, tone: entry.word.tone }))),
  table(
    [{ title: "" }, { title: "rows", number: true }, { title: "share", number: true }, { title: "meaning" }],
    [
      ...words.map((entry) => ({
        className: entry.count === 0 ? "none" : "some",
        cells: [
          entry.count === 0 ? entry.word.title : badge(entry.word.title, entry.word.tone),
          count(entry.count),
          share(entry.count, total.count),
          entry.word.meaning,
        ],
      })),
      { className: "total", cells: [total.title, count(total.count), "", note] },
    ],
  ),
]

/** The balance: every row read has one fate, and the counts add up (or do not, and then it says so). */
export const balancePart = (report: RunReport): Markup =>
  section(
    "Rows",
    tally(
      // What was reached first, then what needs a look.
      fates.toReversed().map((fate) => ({ word: fateWords[fate], count: report.rows[fate] })),
      { title: "read", count: report.rows.read },
      report.balance.holds
        ? html`${badge("the balance holds", "good")}`
        : html`${badge("the balance does not hold", "bad")} This is a fault in formferry.`,
    ),
  )

/** What reading back showed. */
export const verdictsPart = (report: RunReport): Markup | undefined => {
  const total = verdicts.reduce((sum, verdict) => sum + report.readBack[verdict], 0)
  if (total === 0) return undefined
  return section(
    "Read back",
    tally(
      verdicts.map((verdict) => ({ word: verdictWords[verdict], count: report.readBack[verdict] })),
      { title: "submissions", count: total },
      "",
    ),
  )
}
