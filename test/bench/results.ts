import { type Measured, median } from "./measured.ts"
import type { Target } from "./Target.ts"

/** The results of one side in all rounds. */
interface Side {
  /** The figure of each round, in order. */
  readonly rounds: ReadonlyArray<number>
  readonly median: number
  readonly least: number
  readonly most: number
  readonly cpuSeconds: number
  /** Processor time per second of run time, as a median of the rounds. */
  readonly cores: number
  /** The highest peak of all rounds. */
  readonly peakMegabytes: number
}

/** The results of a target in all rounds. */
export interface Result {
  readonly name: string
  readonly title: string
  readonly beside: string
  readonly of: Target["of"]
  readonly by: Target["by"]
  readonly ours: Side
  readonly companion: Side
  /** The ratio or the difference of the two medians. */
  readonly ratio: number
  readonly atMost: number
  readonly peakAtMost: number | undefined
  readonly coresAtMost: number | undefined
  readonly met: boolean
}

const side = (rounds: ReadonlyArray<Measured>, of: Target["of"]): Side => {
  const figures = rounds.map((round) => round[of])
  return {
    rounds: figures,
    median: median(figures),
    least: Math.min(...figures),
    most: Math.max(...figures),
    cpuSeconds: median(rounds.map((round) => round.cpuSeconds)),
    cores: median(rounds.map((round) => round.cpuSeconds / round.seconds)),
    peakMegabytes: Math.max(...rounds.map((round) => round.megabytes)),
  }
}

export const resultOf = (
  target: Target,
  oursRounds: ReadonlyArray<Measured>,
  besideRounds: ReadonlyArray<Measured>,
): Result => {
  const { atMost, beside, by, cores, name, of, peak, title } = target
  const ours = side(oursRounds, of)
  const companion = side(besideRounds, of)
  const ratio = by === "times" ? ours.median / companion.median : ours.median - companion.median
  const met = ratio <= atMost && (peak === undefined || ours.peakMegabytes <= peak)
    && (cores === undefined || ours.cores <= cores)
  return { name, title, beside, of, by, ours, companion, ratio, atMost, peakAtMost: peak, coresAtMost: cores, met }
}

const figure = (value: number, { of }: Result) => of === "seconds" ? `${value.toFixed(2)} s` : `${value.toFixed(0)} MB`

const spread = (one: Side, result: Result) =>
  one.least === one.most
    ? figure(one.median, result)
    : `${figure(one.median, result)} (${figure(one.least, result)} to ${figure(one.most, result)})`

const ratio = (value: number, { by }: Result) => by === "times" ? `${value.toFixed(2)} ×` : `${value.toFixed(2)} s more`

const columns: ReadonlyArray<readonly [title: string, of: (result: Result) => string]> = [
  ["what", (one) => one.title],
  ["median (spread)", (one) => spread(one.ours, one)],
  ["beside", (one) => one.beside],
  ["median (spread)", (one) => spread(one.companion, one)],
  ["ratio", (one) => ratio(one.ratio, one)],
  ["at most", (one) => ratio(one.atMost, one)],
  [
    "processor",
    (one) =>
      `${one.ours.cpuSeconds.toFixed(2)} s / ${one.companion.cpuSeconds.toFixed(2)} s`
      + (one.coresAtMost === undefined ? "" : `, ${one.ours.cores.toFixed(2)} cores of ${one.coresAtMost}`),
  ],
  [
    "peak",
    (one) => `${one.ours.peakMegabytes.toFixed(0)} MB${one.peakAtMost === undefined ? "" : ` of ${one.peakAtMost} MB`}`,
  ],
  ["verdict", (one) => (one.met ? "met" : "**not met**")],
]

/** Returns a Markdown table, which is also readable in a terminal. */
export const markdown = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`
  return line(head) + line(widths.map((width) => "-".repeat(width))) + rows.map(line).join("")
}

/** Returns the results as a table. */
export const table = (results: ReadonlyArray<Result>): string =>
  markdown(columns.map(([title]) => title), results.map((one) => columns.map(([, of]) => of(one))))
