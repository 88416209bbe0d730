import { fates, fateWords, verdicts, verdictWords } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/report.ts"
import { modeWords, outcomeWord, reasonsOf } from "../../domain/run.ts"
import { instantIn, minuteIn } from "../../domain/times.ts"
import { visible } from "../../domain/visible.ts"
import { count, counted, numbers, present, type Word } from "../../domain/words.ts"
import type { PastRun } from "../../report/pastRuns.ts"
import { accountOf, leftBehind, tookOf } from "../../report/sentences.ts"
import { cutToWidth, paints, type Screen, table, type TableCell, titleCell, wrapToWidth } from "./screen.ts"

/** The maximum number of kinds of problems, and of kinds of differences, in the summary. The report has all of them. */
const most = 10

const heading = (report: RunReport, screen: Screen): string => {
  const paint = paints(screen)
  const word = outcomeWord(report)
  const took = tookOf(report)
  const times = `${instantIn(report.zone, report.startedAt)} (${report.zone})${
    took === undefined ? "" : `, took ${took}`
  }`
  return [
    paint.strong(cutToWidth(`${report.pipeline} → ${report.form.name} (${report.form.service})`, screen.width)),
    paint.soft(cutToWidth(`${modeWords[report.mode]} ${report.run}`, screen.width)),
    ...wrapToWidth(times, screen.width).map(paint.soft),
    paint[word.tone](paint.strong(word.title)),
    ...reasonsOf(report).flatMap((sentence) => wrapToWidth(sentence, screen.width)),
  ].join("\n")
}

/** Returns the rows of a table of those fates or verdicts that occurred. */
const countRows = <Name extends string>(
  names: ReadonlyArray<Name>,
  counts: Readonly<Record<Name, number>>,
  words: Readonly<Record<Name, Word>>,
  screen: Screen,
): ReadonlyArray<ReadonlyArray<TableCell>> =>
  names.filter((name) => counts[name] > 0).map((name) => [
    titleCell(words[name], screen),
    count(counts[name]),
    { text: words[name].meaning, paint: paints(screen).soft },
  ])

/** Shows the fates that occurred, and their sum. */
const balance = (report: RunReport, screen: Screen): string => {
  const paint = paints(screen)
  const holds = report.balance.holds
    ? { text: "the balance holds", paint: paint.soft }
    : { text: "THE BALANCE DOES NOT HOLD", paint: paint.bad }
  return table(["rows", numbers(""), ""], [
    ...countRows(fates.toReversed(), report.rows, fateWords, screen),
    [{ text: "read", paint: paint.strong }, { text: count(report.rows.read), paint: paint.strong }, holds],
  ], screen)
}

/** Returns sentences that say how each source's lines were read. */
const accounts = ({ sources }: RunReport, screen: Screen): string | undefined => {
  const sentences = sources.flatMap((source) => accountOf(source, sources.length > 1))
  return sentences.length === 0
    ? undefined
    : sentences.flatMap((sentence) => wrapToWidth(sentence, screen.width)).map(paints(screen).soft).join("\n")
}

const readBack = (report: RunReport, screen: Screen): string | undefined => {
  const rows = countRows(verdicts, report.readBack, verdictWords, screen)
  return rows.length === 0
    ? undefined
    : table(["read back", numbers(""), ""], rows, screen)
}

const problems = (report: RunReport, screen: Screen): string | undefined => {
  if (report.problems.length === 0) return undefined
  const groups = report.problems.toSorted((a, b) => b.count - a.count)
  const shown = table(
    ["problem", "column", numbers("rows"), "for example"],
    groups.slice(0, most).map((group) => {
      const example = group.examples[0]
      return [
        group.dropped === true ? `${group.code}, only the answer omitted` : group.code,
        cutToWidth(group.column ?? "", 40),
        count(group.count),
        example === undefined ? "" : cutToWidth(`row ${example.row}: ${example.message || (example.value ?? "")}`, 240),
      ]
    }),
    screen,
  )
  return groups.length > most ? `${shown}\n… and ${counted(groups.length - most, "more kind")} in the report` : shown
}

/** Shows how returned answers differ from sent ones, the most frequent difference first. */
const differences = ({ findings }: RunReport, screen: Screen): string | undefined =>
  findings.length === 0 ? undefined : table(
    ["difference", "question", "what happened", numbers("answers")],
    findings.slice(0, most).map((one) => [
      one.verdict,
      cutToWidth(one.name, 60),
      cutToWidth(one.pattern, 60),
      count(one.count),
    ]),
    screen,
  )

/** Shows the result of a run: outcome, balance, verdicts, problems, differences, the report in the run's `folder`, and the command to run next. */
export const showSummary = (report: RunReport, folder: string, screen: Screen): string => {
  const paint = paints(screen)
  const left = leftBehind(report).flatMap((sentence) => wrapToWidth(sentence, screen.width))
  const warnings = report.warnings.flatMap((warning) =>
    wrapToWidth(`Warning: ${warning}`, screen.width).map(paint.warn)
  )
  return present([
    heading(report, screen),
    // A reconciliation reads no rows.
    report.mode === "reconcile" && report.balance.holds ? undefined : balance(report, screen),
    accounts(report, screen),
    readBack(report, screen),
    problems(report, screen),
    differences(report, screen),
    left.length === 0 ? undefined : [paint.strong("Left behind"), ...left].join("\n"),
    warnings.length === 0 ? undefined : warnings.join("\n"),
    // You copy the path and the command, so they are not wrapped.
    [
      `${paint.soft("Report:")} ${visible(folder)}/report.html`,
      ...report.next === undefined ? [] : [`${paint.soft("Next:")}   ${paint.strong(visible(report.next))}`],
    ].join("\n"),
  ]).join("\n\n")
}

/** Columns that the table of runs needs in addition to an id. */
const roomBesideIds = 90

/** Shows the runs of a pipeline that have a report, in their order. */
export const showRuns = (runs: ReadonlyArray<PastRun>, screen: Screen): string => {
  const [latest] = runs
  if (latest === undefined) return "There is no report yet."
  const { zone } = latest
  const paint = paints(screen)
  // You copy an id, so it is neither cut nor wrapped. If the screen is too narrow for a table, each id has its own line.
  const ids = runs.map(({ run }) => visible(run))
  const isWide = screen.width >= Math.max(...ids.map((id) => id.length)) + roomBesideIds
  const cells = runs.map((run, at): ReadonlyArray<TableCell> => [
    ...(isWide ? [ids[at] ?? ""] : []),
    modeWords[run.mode],
    minuteIn(zone, run.startedAt),
    count(run.rows.read),
    count(run.rows.imported),
    count(run.readBack.verified),
    titleCell(outcomeWord(run), screen),
  ])
  const shown = table(
    [
      ...(isWide ? ["run"] : []),
      "mode",
      `started (${zone})`,
      numbers("read"),
      numbers("imported"),
      numbers("verified"),
      "outcome",
    ],
    cells,
    screen,
  )
  return isWide
    ? shown
    : `${shown}\n\n${paint.soft("Runs, in the order of the table")}\n${ids.map((id) => `  ${id}`).join("\n")}`
}
