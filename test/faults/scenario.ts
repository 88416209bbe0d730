import { Duration, Effect } from "effect"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import type { Pipeline } from "../../src/project/Pipeline.ts"
import type { Fault } from "../practice/faults.ts"
import { Draws } from "./Draws.ts"
import { correctRows, hasOwnKey, isSound, type RejectedRows, type SourceRow } from "./source.ts"
import type { Day, Mishap } from "./World.ts"

/** Draws a row as a person might have written it. Some of these rows can't be imported. */
const drawRow = (draws: Draws, no: number): SourceRow => {
  const row = {
    no: draws.chance(0.02) ? "" : String(no),
    name: draws.chance(0.03) ? `Forbidden ${no}` : `Person ${draws.int(1, 9)} of ${no}`,
    mail: draws.chance(0.04) ? "nobody" : `p${no}@Example.org`,
    amount: String(draws.int(0, 5_000) / 100),
    note: draws.chance(0.5) ? "" : draws.pick(["Fragile", "two\nlines", "ÄÖÜ 💥", "=1+1"]),
  }
  if (draws.chance(0.02)) return { ...row, mail: "", amount: "", note: "", unread: "ragged-row" }
  return draws.chance(0.02) ? { ...row, note: `${row.note}\ufffd`, unread: "damaged-text" } : row
}

export const drawRows = (draws: Draws): ReadonlyArray<SourceRow> => {
  const rows = Array.from({ length: draws.int(20, 60) }, (_, index) => drawRow(draws, index + 1))
  const [first] = rows
  return first !== undefined && draws.chance(0.3)
    ? [...rows, draws.chance(0.5) || !isSound(first) ? first : { ...drawRow(draws, 90_001), no: first.no }]
    : rows
}

/** Edits a source at random, as people do between runs: adds, changes, removes and reorders rows. */
export const drawEdit = (draws: Draws, rows: ReadonlyArray<SourceRow>): ReadonlyArray<SourceRow> => {
  const edited = rows.flatMap((row) => {
    if (draws.chance(0.02)) return []
    // Nobody can recognise an edited row that has the key of another one.
    const isRecognised = row.no === "" || hasOwnKey(row)
    if (draws.chance(0.05)) return [isRecognised ? { ...row, name: `${row.name} edited` } : row]
    return draws.chance(0.03) && isRecognised ? [{ ...row, mail: `fixed${row.no}@example.org` }] : [row]
  })
  const next = 1_000 + draws.int(0, 1_000)
  const added = Array.from({ length: draws.int(0, 5) }, (_, index) => drawRow(draws, next * 10 + index))
  const all = [...edited, ...added]
  return draws.chance(0.2) ? all.toReversed() : all
}

const few = (draws: Draws): number => draws.pick([0.02, 0.05, 0.1, 0.3])
const moment = (draws: Draws): Duration.Duration => Duration.millis(draws.pick([20, 400, 3_000, 6_000, 20_000]))
const when = (draws: Draws): "before" | "after" => draws.pick(["before", "after"])
/** Faults that end a run are rare. */
const seldom = (draws: Draws) => ({ chance: draws.pick([0.01, 0.03]), times: 1 })

/**
 * Every fault of the outcome table. Faults that mean "not created" occur before anything is stored, because no client
 * can handle a service that answers "not created" but stores submissions.
 */
const kinds: readonly [(draws: Draws) => Fault, ...Array<(draws: Draws) => Fault>] = [
  (draws) => ({ fault: "refuse", on: "any", chance: few(draws), for: moment(draws) }),
  (draws) => ({ fault: "unanswered", chance: few(draws), when: when(draws), on: draws.pick(["create", "any"]) }),
  (draws) => ({ fault: "reset", chance: few(draws), when: when(draws), on: draws.pick(["create", "any"]) }),
  (draws) => ({ fault: "reset-kept-alive", chance: few(draws), on: draws.pick(["create", "read"]) }),
  (draws) => ({ fault: "cut", chance: few(draws), on: draws.pick(["create", "any"]) }),
  (draws) => ({
    fault: "delay",
    chance: few(draws),
    when: when(draws),
    for: moment(draws),
    on: draws.pick(["create", "any"]),
  }),
  (draws) => ({
    fault: "throttled",
    chance: few(draws),
    retryAfter: draws.pick(["seconds", "date", "none"]),
    wait: Duration.millis(draws.pick([200, 1_000, 5_000])),
    on: draws.pick(["create", "any"]),
  }),
  (draws) => ({
    fault: "credentials",
    wording: draws.pick(["missing", "underscore", "format", "invalid"]),
    status: draws.pick([400, 401, 403]),
    ...seldom(draws),
  }),
  (draws) => ({ fault: "invalid", chance: few(draws), named: draws.chance(0.7) }),
  (draws) => ({ fault: "status", status: draws.pick([413, 422]), body: "json", when: "before", chance: few(draws) }),
  (draws) => ({
    fault: "status",
    status: draws.pick([301, 302, 307, 402, 409, 418]),
    location: "https://elsewhere.example/",
    body: draws.pick(["json", "html", "empty"]),
    when: when(draws),
    ...seldom(draws),
  }),
  (draws) => ({
    fault: "status",
    status: draws.pick([400, 413, 422]),
    body: draws.pick(["html", "empty"]),
    when: when(draws),
    ...seldom(draws),
  }),
  (draws) => ({ fault: "status", status: 404, body: "json", when: "before", ...seldom(draws) }),
  (draws) => ({
    fault: "status",
    status: draws.pick([408, 500, 502, 503, 504]),
    body: draws.pick(["json", "html", "empty"]),
    when: when(draws),
    retryAfter: draws.chance(0.3) ? Duration.seconds(1) : undefined,
    chance: few(draws),
    on: draws.pick(["create", "any"]),
  }),
  (draws) => ({ fault: "html", chance: few(draws), when: when(draws) }),
  (draws) => ({ fault: "wrong-shape", chance: few(draws), when: when(draws) }),
  (draws) => ({ fault: "too-few", chance: few(draws), by: draws.int(1, 3), created: draws.chance(0.5) }),
  (draws) => ({ fault: "too-many", chance: few(draws), by: draws.int(1, 2) }),
  () => ({ fault: "shuffled", chance: 0.7 }),
  (draws) => ({ fault: "duplicate-ids", chance: few(draws) }),
  (draws) => ({ fault: "drop-answer", chance: few(draws) }),
  (draws) => ({ fault: "trim-answers", chance: few(draws), length: draws.chance(0.5) ? 5 : undefined }),
  (draws) => ({ fault: "reformat-answers", chance: few(draws) }),
  (draws) => ({ fault: "unknown-type", chance: few(draws), type: "HoloScan" }),
  (draws) => ({ fault: "invisible", chance: few(draws), for: moment(draws) }),
]

/** Draws which rows this service never accepts. */
const forbidden = (draws: Draws): Fault => ({ fault: "invalid", containing: "Forbidden", named: draws.chance(0.6) })

/** Faults of the list, if the service can list. */
const listKinds: typeof kinds = [
  (draws) => ({ fault: "invisible", in: "list", chance: draws.pick([0.3, 1]), for: moment(draws) }),
  (draws) => ({
    fault: "status",
    on: "list",
    status: draws.pick([401, 404, 405, 500, 503]),
    body: draws.pick(["json", "html", "empty"]),
    when: "before",
    chance: few(draws),
  }),
  (draws) => ({ fault: "unanswered", on: "list", chance: few(draws), when: when(draws) }),
  (draws) => ({ fault: "throttled", on: "list", chance: few(draws), retryAfter: "none" }),
  (draws) => ({ fault: "delay", on: "list", chance: few(draws), for: moment(draws), when: "before" }),
]

/** Faults of deletions. */
const deleteKinds: typeof kinds = [
  (draws) => ({ fault: "unanswered", on: "delete", chance: few(draws), when: when(draws) }),
  (draws) => ({
    fault: "status",
    on: "delete",
    status: draws.pick([403, 404, 409, 500, 503]),
    body: draws.pick(["json", "html", "empty"]),
    when: when(draws),
    chance: few(draws),
  }),
  (draws) => ({ fault: "cut", on: "delete", chance: few(draws) }),
  (draws) => ({ fault: "throttled", on: "delete", chance: few(draws), retryAfter: "none" }),
  (draws) => ({ fault: "delay", on: "delete", chance: few(draws), for: moment(draws), when: when(draws) }),
]

const drawFaults = (draws: Draws): ReadonlyArray<Fault> => [
  ...(draws.chance(0.4) ? [forbidden(draws)] : []),
  ...Array.from({ length: draws.int(0, 5) }, () => draws.pick(kinds)(draws)),
]

/** Uses draws of its own, so that the other events of a seed don't depend on them. */
const drawListFaults = (draws: Draws): ReadonlyArray<Fault> =>
  Array.from({ length: draws.int(0, 2) }, () => draws.pick(listKinds)(draws))

const drawMishaps = (draws: Draws): ReadonlyArray<Mishap> => {
  const at = (what: Mishap["what"]): Mishap => ({ what, step: draws.int(1, draws.pick([12, 60, 250])) })
  return [
    ...(draws.chance(0.35) ? [at(draws.pick(["crash", "crash", "vanish"]))] : []),
    ...(draws.chance(0.12) ? [at("interrupt")] : []),
    ...(draws.chance(0.1) ? [at("stop")] : []),
    ...(draws.chance(0.15) ? [at(draws.pick(["full", "full before", "full after"]))] : []),
    ...(draws.chance(0.08) ? [at("edit")] : []),
  ]
}

const unlimited = { rows: 1_000_000 }

/** With these limits, no run stops. */
const noLimits: Pipeline["sink"]["stopWhen"] = {
  new: unlimited,
  replaced: unlimited,
  changed: unlimited,
  invalid: unlimited,
  refused: unlimited,
  differing: unlimited,
  inDoubt: unlimited,
}

/** Draws the settings of a pipeline. Most have no limits, because limits would end most runs. */
export const drawPipeline = (draws: Draws, pipeline: Pipeline): Pipeline => {
  return {
    ...pipeline,
    sink: {
      ...pipeline.sink,
      batchSize: draws.pick([1, 3, 7, 10, 10]),
      concurrency: draws.int(1, 5),
      canary: draws.pick([0, 4, 10]),
      inDoubt: draws.chance(0.2) ? "resend" : "hold",
      stopWhen: draws.chance(0.9) ? noLimits : pipeline.sink.stopWhen,
      onChange: draws.chance(0.25) ? "import-again" : pipeline.sink.onChange,
    },
  }
}

/** A person acknowledges rows, and skips some of them permanently. */
const acknowledges = (draws: Draws, rows: ReadonlyArray<SourceRow>, leftOut: Set<string>) => {
  const keys = rows.filter(({ no }) => no !== "" && draws.chance(0.05)).map(({ no }) => no)
  const leaveOut = draws.chance(0.3)
  return (session: LedgerSession) =>
    Effect.suspend(() => {
      if (keys.length === 0) return Effect.void
      const fresh = leaveOut ? keys.filter((key) => !leftOut.has(key)) : []
      for (const key of fresh) leftOut.add(key)
      return Effect.tap(
        session.acknowledge({ keys, because: "seen", by: "the simulation", leaveOut }),
        ({ unknown }) => {
          for (const key of unknown) if (fresh.includes(key)) leftOut.delete(key)
        },
      )
    })
}

/** Draws a change of an export: unchanged, truncated, reversed, sorted, or without some or all of its lines. */
const drawMangling = (draws: Draws): Day["mangle"] => {
  const share = draws.int(0, 99) / 100
  const upTo = <A>(lines: ReadonlyArray<A>) => Math.floor(lines.length * share)
  return draws.pick<Day["mangle"]>([
    (lines) => lines,
    (lines) => lines.toReversed(),
    (lines) => lines.slice(0, upTo(lines)),
    (lines) => lines.slice(0, -1),
    (lines) => lines.slice(upTo(lines)),
    (lines) => lines.toReversed().slice(0, upTo(lines)),
    (lines) => lines.toReversed().slice(0, -1),
    (lines) => lines.toSorted((a, b) => a.join() < b.join() ? -1 : 1).slice(0, -1),
    (lines) => lines.filter((_, at) => at % 3 !== 0),
    () => [],
  ])
}

/** Draws the events of a day. @param leftOut collects the keys that a person skips */
export const drawDay = (
  draws: Draws,
  pipeline: Pipeline,
  rows: ReadonlyArray<SourceRow>,
  seed: number,
  leftOut: Set<string>,
  { canDelete, canList }: { readonly canList: boolean; readonly canDelete: boolean },
): Day => ({
  command: draws.chance(0.2) ? "settle" : "run",
  undo: noRun,
  fixed: undefined,
  mangle: drawMangling(draws),
  pipeline,
  faults: { seed, faults: [...drawFaults(draws), ...(canList ? drawListFaults(new Draws(seed)) : [])] },
  mishaps: drawMishaps(draws),
  requestsPerSecond: draws.pick([Infinity, Infinity, 50]),
  retryRefused: draws.chance(0.2),
  resendUndone: canDelete && new Draws(seed + 5).chance(0.3),
  acceptCanary: draws.chance(0.7),
  limit: draws.chance(0.1) ? draws.int(1, 20) : undefined,
  first: draws.chance(0.15) ? acknowledges(draws, rows, leftOut) : () => Effect.void,
  edit: (now) => drawEdit(draws, now),
})

/** Draws a day on which a person corrects some, all or none of the rows of a rejected.csv, and imports it. */
export const drawFix = (
  draws: Draws,
  pipeline: Pipeline,
  [newest, ...older]: readonly [RejectedRows, ...Array<RejectedRows>],
  seed: number,
): Day => {
  const share = draws.pick([0, 0.5, 1, 1])
  const rejected = draws.chance(0.7) ? newest : draws.pick([newest, ...older])
  return {
    ...drawDay(draws, pipeline, [], seed, new Set(), { canList: false, canDelete: false }),
    command: "run",
    fixed: correctRows(rejected, () => draws.chance(share)),
  }
}

const noRun: Day["undo"] = { run: "", editedToo: false }

/** Draws a day on which a person undoes a run. The process is killed more often than on other days. */
export const drawUndo = (draws: Draws, pipeline: Pipeline, seed: number, run: string): Day => ({
  ...quietDay("undo", pipeline, seed),
  undo: { run, editedToo: draws.chance(0.3) },
  faults: {
    seed,
    faults: Array.from({ length: draws.int(0, 3) }, () => draws.pick(draws.chance(0.7) ? deleteKinds : kinds)(draws)),
  },
  mishaps: [
    ...drawMishaps(draws),
    ...(draws.chance(0.5) ? [{ what: "crash" as const, step: draws.int(1, draws.pick([12, 60, 250])) }] : []),
  ],
})

/** Returns a day without faults. */
export const quietDay = (command: Day["command"], pipeline: Pipeline, seed: number): Day => ({
  command,
  undo: noRun,
  fixed: undefined,
  mangle: (lines) => lines,
  pipeline: { ...pipeline, sink: { ...pipeline.sink, stopWhen: noLimits } },
  faults: { seed, faults: [] },
  mishaps: [],
  requestsPerSecond: Infinity,
  retryRefused: true,
  resendUndone: false,
  acceptCanary: true,
  limit: undefined,
  first: () => Effect.void,
  edit: (rows) => rows,
})
