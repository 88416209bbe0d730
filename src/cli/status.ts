import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AnomalyCode } from "../domain/anomaly.ts"
import { exits } from "../domain/exit.ts"
import { verdictWords } from "../domain/fate.ts"
import { notStartedText, recordedModeWords, recordedWord, stateAfter } from "../domain/run.ts"
import { instantIn, inZone, isoOf, lasting, lastingSeconds, millisIn, minuteIn, span } from "../domain/times.ts"
import { count, counted, numbers, titledCounts } from "../domain/words.ts"
import type { PastRecord, PipelineHealth, PipelineStanding, ProjectStatus, TakenTurn } from "../jobs/status.ts"
import type { Lease } from "../ledger/holder.ts"
import { choosing, command, flag, json, parsed, pipelines, wholeNumber } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { chosenPipelines, openProject } from "./openProject.ts"
import { withProgress } from "./terminal/progress.ts"
import { cutToWidth, paints, type Screen, table, type TableCell, titleCell, wrapToWidth } from "./terminal/screen.ts"

/** How many of the last runs are shown by default. */
const usualRuns = 10

const units = { m: millisIn.minute, h: millisIn.hour, d: millisIn.day } as const

/** A hundred years, in milliseconds. */
const longest = 36_525 * units.d

/** Returns a time such as `26h` in milliseconds. */
const timeOf = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(m|h|d)$/.exec(text) ?? []
  const millis = unit === "m" || unit === "h" || unit === "d" ? Number(amount) * units[unit] : undefined
  return millis !== undefined && millis <= longest ? millis : undefined
}

export const status = command({
  name: "status",
  about:
    "Shows each pipeline: its state, its last good run, its rows imported and in doubt, and its next run. A named pipeline is shown in detail.",
  examples: [
    { words: "status", about: "Shows all pipelines." },
    {
      words: "status --max-age 26h",
      about: "Exits with code 1 if a pipeline has had no good run for 26 hours: for use as a probe.",
    },
  ],
  arguments: { pipelines },
  options: {
    ...choosing,
    runs: wholeNumber(1, "How many of the last runs to show. Default: 10."),
    maxAge: parsed(
      "TIME",
      timeOf,
      "a time such as 26h, 90m or 2d",
      "Exit with code 1 if the last good run of a pipeline is older than this (such as 26h, 90m or 2d), or if there is none.",
    ),
    verify: flag("Check the ledger's whole file for damage."),
    json,
  },
  *run(input, { output }) {
    const names = yield* chosenPipelines(input)
    const project = yield* openProject([])
    const { projectStatus } = yield* Effect.promise(() => import("../jobs/status.ts"))
    const asked = { verify: input.verify, runs: input.runs ?? usualRuns, maxAge: input.maxAge }
    const status = yield* withProgress("ledger", () => projectStatus(project, names, asked))
    const { damage, health, missed } = status
    if (input.json) {
      yield* output.print(JSON.stringify({ ...status, health: healthJson(health), damage: damage ?? null }))
    } else {
      // Pipelines that a pattern chooses are shown as a table.
      const inDetail = input.runs !== undefined
        || (input.pipelines.length > 0 && input.pipelines.every((word) => names.includes(word)))
      const now = yield* Clock.currentTimeMillis
      for (const text of showStatus(status, { inDetail, now }, output.out)) yield* output.print(text)
    }
    if (damage !== undefined && damage.length > 0) {
      return yield* new CommandEnded({ status: exits.internalError.code, next: undefined })
    }
    if (missed.length > 0) {
      return yield* new CommandEnded({
        status: exits.wrong.code,
        // Accepting the state is not the next command, because it can import rows twice.
        next: undefined,
      })
    }
    const overdue = (health ?? []).filter(({ healthy }) => !healthy).map(({ pipeline }) => pipeline)
    if (overdue.length > 0) {
      return yield* new CommandEnded({
        status: exits.attention.code,
        next: commandFor(yield* Invocation, ["status", ...overdue]),
      })
    }
  },
})

const healthJson = (health: ReadonlyArray<PipelineHealth> | undefined) =>
  health?.map(({ lastGood, ...rest }) => ({ ...rest, lastGood: lastGood === undefined ? null : isoOf(lastGood) }))

type Line =
  & Pick<PipelineStanding, "pipeline" | "destination" | "zone" | "going" | "lastRun" | "lastDone" | "nextRun">
  & { readonly standing: Pick<PipelineStanding["standing"], "acknowledged" | "imported" | "inDoubt" | "verdicts"> }

/** Returns what a pipeline is doing or, if it is idle, how its last run left it. */
const stateOf = (line: Line, screen: Screen): TableCell => {
  if (line.going !== undefined) return `running, ${count(line.going.inFlight)} in flight`
  return line.lastRun === undefined ? neverRan(screen) : titleCell(stateAfter(line), screen)
}

const neverRan = (screen: Screen): TableCell => ({ text: "never ran", paint: paints(screen).soft })

/** Shows pipelines as a table, one line each: the state, the last good run, rows imported and in doubt, the next run. */
export const statusTable = (
  lines: ReadonlyArray<Line>,
  untouched: ReadonlyArray<{ readonly pipeline: string; readonly nextRun: PipelineStanding["nextRun"] }>,
  screen: Screen,
): string => {
  const paint = paints(screen)
  const scheduled = [...lines, ...untouched].some(({ nextRun }) => nextRun !== undefined)
  const onHosts = lines.some(({ going }) => going?.lease.host !== undefined)
  const zones = new Set([...lines, ...untouched.flatMap(({ nextRun }) => nextRun ?? [])].map(({ zone }) => zone))
  const [one = "UTC"] = zones
  const end = (nextRun: PipelineStanding["nextRun"], zone: string) => [
    ...(scheduled ? [nextRun === undefined ? "" : minuteIn(nextRun.zone, nextRun.at)] : []),
    ...(zones.size > 1 ? [zone] : []),
  ]
  return table(
    [
      "pipeline",
      "state",
      ...onHosts ? ["host"] : [],
      zones.size > 1 ? "last good run" : `last good run (${one})`,
      numbers("rows"),
      numbers("in doubt"),
      ...scheduled ? ["next run"] : [],
      ...zones.size > 1 ? ["time zone"] : [],
    ],
    [
      ...lines.map((one): ReadonlyArray<TableCell> => {
        const { destination, lastDone, nextRun, pipeline, standing, zone } = one
        const several = lines.filter((other) => other.pipeline === pipeline).length > 1
        return [
          cutToWidth(several ? `${pipeline} → ${destination.form}` : pipeline, 60),
          stateOf(one, screen),
          ...onHosts ? [one.going?.lease.host ?? ""] : [],
          lastDone?.finishedAt === undefined
            ? { text: "never", paint: paint.soft }
            : minuteIn(zone, lastDone.finishedAt),
          count(standing.imported),
          standing.inDoubt === 0 ? "" : { text: count(standing.inDoubt), paint: paint.bad },
          ...end(nextRun, zone),
        ]
      }),
      ...untouched.map(({ nextRun, pipeline }): ReadonlyArray<TableCell> => [
        cutToWidth(pipeline, 60),
        neverRan(screen),
        ...onHosts ? [""] : [],
        { text: "never", paint: paint.soft },
        "0",
        "",
        ...end(nextRun, nextRun?.zone ?? ""),
      ]),
    ],
    screen,
  )
}

const bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const

/** Shows values as bars. An unknown value is a gap. */
export const sparkline = (values: ReadonlyArray<number | undefined>): string => {
  const highest = Math.max(0, ...values.flatMap((value) => value ?? []))
  return values.map((value) => {
    if (value === undefined) return " "
    if (highest === 0 || value <= 0) return bars[0]
    // Only 0 gets the lowest bar.
    return bars[Math.max(1, Math.round((value / highest) * (bars.length - 1)))] ?? bars[0]
  }).join("")
}

/** The widths of labels and of sparklines. */
const label = 12
const mostBars = 40

/** Shows one pipeline at one destination: its rows, its last runs, its next run. */
export const showPipelineStatus = (one: PipelineStanding, now: number, screen: Screen): string => {
  const paint = paints(screen)
  const title = cutToWidth(`${one.pipeline} → ${one.destination.form} of ${one.destination.service}`, screen.width)
  const line = (what: string, text: string): ReadonlyArray<string> =>
    text === ""
      ? []
      : wrapToWidth(text, Math.max(20, screen.width - label - 2)).map((part, index) =>
        `  ${paint.soft((index === 0 ? what : "").padEnd(label))}${part}`
      )
  const { drift, going, lastDone, nextRun, runs, standing, zone } = one
  const lastWhole = runs.find(({ facts }) => facts?.whole === true)?.facts
  const vanished = lastWhole?.vanished.count ?? 0
  return [
    paint.strong(title),
    ...line(
      "in progress",
      going === undefined
        ? ""
        : `since ${instantIn(zone, going.since)}, ${lasting(Math.max(0, now - Date.parse(going.since)))} · ${
          counted(going.inFlight, "row")
        } in flight`,
    ),
    ...line("run by", going === undefined ? "" : leaseText(going.lease)),
    ...line("imported", [count(standing.imported), ...titledCounts(verdictWords, standing.verdicts)].join(" · ")),
    ...line(
      "in doubt",
      standing.inDoubt === 0 ? "" : [
        count(standing.inDoubt),
        ...one.doubts.map((doubt) => `${count(doubt.count)} ${doubt.age}`),
        ...some(standing.acknowledged.inDoubt, "acknowledged"),
      ].join(" · "),
    ),
    ...line(
      "also",
      [
        ...some(standing.refused, "refused"),
        ...some(standing.undone, "undone"),
        ...some(standing.leftOut, "skipped on purpose"),
        ...some(standing.replaced, "replaced by an edited row"),
        ...some(vanished, "vanished from the source"),
        ...some(drift.edited, "edited since they were verified"),
        ...some(drift.gone, "deleted since they were verified"),
      ].join(" · "),
    ),
    ...line("anomalies", (lastWhole?.anomalies ?? []).map((code) => anomalyWords[code]).join(" · ")),
    ...line("last good", lastDone?.finishedAt === undefined ? "never" : ago(zone, lastDone.finishedAt, now)),
    ...line(
      "next run",
      nextRun === undefined ? "" : `${instantIn(zone, nextRun.at)}, in ${lasting(Date.parse(nextRun.at) - now)}`,
    ),
    ...line("time zone", zone),
    ...trends(runs).flatMap(({ text, what }) => line(what, text)),
    ...(runs.length === 0 ? [] : [runTable(one, screen)]),
  ].join("\n")
}

/** Says which process has a run or a scheduled run, and when another one may take it over. */
const leaseText = ({ expiresIn, silentFor, ...holder }: Lease): string =>
  `${processText(holder)} · last heartbeat ${lastingSeconds(silentFor)} ago · lease ends in ${
    lastingSeconds(expiresIn)
  }`

const processText = ({ host, pid }: Pick<Lease, "host" | "pid">): string =>
  host === undefined ? `process ${pid}` : `${host} (process ${pid})`

/** The anomalies in words. The report of the last run has the figures. */
const anomalyWords: { readonly [C in AnomalyCode]: string } = {
  "empty-source": "the source contains no rows",
  "shrunken-source": "the source shrank",
  "stale-source": "the source is older than its maxAge",
  "unread-files": "files that match were not read as they are now",
  gap: "an export shared no row with the one before it",
  "invalid-share": "many invalid rows",
  vanished: "many rows vanished at once",
  "slow-run": "the run took far longer than usual",
}

const some = (number: number, what: string): ReadonlyArray<string> => number === 0 ? [] : [`${count(number)} ${what}`]

const ago = (zone: string, time: string, now: number): string =>
  `${instantIn(zone, time)}, ${lastingSeconds(Math.max(0, now - Date.parse(time)))} ago`

/** Shows rows read, rows sent and duration of the last runs as sparklines, the oldest on the left. Shows none for fewer than three runs. */
const trends = (runs: ReadonlyArray<PastRecord>): ReadonlyArray<{ readonly what: string; readonly text: string }> => {
  const shown = runs.filter(({ facts }) => facts !== undefined).slice(0, mostBars).toReversed()
  const last = shown.at(-1)?.facts
  if (shown.length < 3 || last === undefined) return []
  const line = (what: string, of: (run: PastRecord) => number | undefined, value: string) => ({
    what,
    text: `${sparkline(shown.map(of))}  ${value}`,
  })
  return [
    line("read", ({ facts }) => facts?.read, counted(last.read, "row")),
    line("sent", ({ facts }) => facts?.sent, counted(last.sent, "row")),
    line("took", ({ facts }) => facts?.duration, lasting(last.duration)),
  ]
}

const runTable = ({ going, runs, zone }: PipelineStanding, screen: Screen): string => {
  const number = (value: number | undefined): string => value === undefined ? "" : count(value)
  return table(
    ["started", "mode", numbers("took"), numbers("read"), numbers("sent"), numbers("invalid"), "outcome"],
    runs.map((run) => [
      minuteIn(zone, run.startedAt),
      recordedModeWords[run.mode],
      run.finishedAt === undefined ? "" : span(run.startedAt, run.finishedAt) ?? "",
      run.facts?.unchanged === true ? "unchanged" : number(run.facts?.read),
      number(run.facts?.sent),
      number(run.facts?.invalid),
      titleCell(recordedWord(run, run.run === going?.run), screen),
    ]),
    screen,
  )
}

/** Shows what the ledger contains, and what is wrong with it. Returns one text for each part. */
const showStatus = (
  { damage, health, ledger, missed, notBegun, pipelines, turns, unreadable, untouched, waiting }: ProjectStatus,
  { inDetail, now }: { readonly inDetail: boolean; readonly now: number },
  screen: Screen,
): ReadonlyArray<string> => {
  const wrapped = (text: string) => wrapToWidth(text, screen.width).join("\n")
  const nextOf = (name: string) => waiting.find(({ pipeline }) => pipeline === name)?.nextRun
  const nothing = untouched.length === 0 ? [] : [`Nothing has been imported yet by ${untouched.join(", ")}.`]
  const standings = !ledger.exists
    ? missed.length === 0 ? [`Nothing has been imported yet: the ledger ${ledger.file} does not exist.`] : nothing
    : [
      ...(!inDetail
        ? [statusTable(pipelines, untouched.map((pipeline) => ({ pipeline, nextRun: nextOf(pipeline) })), screen)]
        : pipelines.length === 0
        ? []
        : [pipelines.map((one) => showPipelineStatus(one, now, screen)).join("\n\n")]),
      ...(inDetail ? nothing : []),
    ]
  return [
    ...missed.map(({ message }) => wrapped(message)),
    ...standings,
    ...[
      ...(inDetail || !ledger.exists ? waiting.map((one) => firstRun(one, now)) : []),
      ...turns.filter(({ pipeline }) => !pipelines.some((one) => one.pipeline === pipeline && one.going !== undefined))
        .map(turnText),
      ...notBegun.map(({ at, pipeline, zone }) => notStartedText(pipeline, `${instantIn(zone, at)} (${zone})`)),
      ...unreadable,
    ].map(wrapped),
    ...(damage?.length === 0 ? [missed.length === 0 ? "The ledger is sound." : "The file itself is sound."] : []),
    ...(damage ?? []).map((finding) => `The ledger is damaged: ${finding}`),
    // If the ledger is missing, nothing is known about earlier runs, so health is not reported.
    ...(!ledger.exists && missed.length > 0
      ? []
      : (health ?? []).flatMap((one) => one.healthy ? [] : [unhealthy(one, now)])),
  ]
}

const firstRun = ({ nextRun, pipeline }: ProjectStatus["waiting"][number], now: number): string =>
  `${pipeline} runs next on ${instantIn(nextRun.zone, nextRun.at)} (${nextRun.zone}), in ${
    lasting(Date.parse(nextRun.at) - now)
  }.`

const turnText = ({ lease, pipeline, since, zone }: TakenTurn): string =>
  `The scheduled run of ${pipeline} was taken on ${instantIn(zone, since)} (${zone}), but it sends nothing yet: ${
    leaseText(lease)
  }.`

const unhealthy = ({ lastGood, pipeline, zone }: PipelineHealth, now: number): string =>
  lastGood === undefined
    ? `${pipeline} has never had a good run.`
    : `The last good run of ${pipeline} ended on ${inZone(lastGood, zone)} (${zone}), which is ${
      lastGood > now ? "in the future, because the clock was wrong. Its age is unknown" : "too long ago"
    }.`
