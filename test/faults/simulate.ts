import type { Pipeline } from "../../src/project/Pipeline.ts"
import type { Kept, UndoneRun } from "../../src/run/undoRun.ts"
import { Draws } from "./Draws.ts"
import type { Bug } from "./FormferryProcess.ts"
import { drawDay, drawEdit, drawFix, drawPipeline, drawRows, drawUndo, quietDay } from "./scenario.ts"
import { correctRow, correctRows, isSound, recordIn } from "./source.ts"
import type { Violation } from "./truth.ts"
import { type Day, type Ending, World } from "./World.ts"

/** The result of one seed. */
export interface Simulated {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
  readonly requests: number
  /** The number of requests for a list of submissions, or 0 if the service can't list. */
  readonly lists: number
  /** The number of requests with a span, or 0 without telemetry. */
  readonly spans: number
  readonly processes: number
  /** The number of submissions that were deleted, and of runs that were undone. Both are 0 if the service can't delete. */
  readonly deleted: number
  readonly undone: number
  /** The number of rows in doubt after the last fault, before they were settled. */
  readonly inDoubt: number
  /** The number of rows in doubt after they were settled from an export. */
  readonly unsettled: number
  readonly submissions: number
  readonly met: ReadonlyMap<string, number>
}

const minutes = 60_000

/** Whether the service of a seed can list submissions. Half of the seeds with telemetry have such a service, and so do half of the others. */
export const canList = (seed: number): boolean => (seed >> 1) % 2 === 1

/** Whether the service of a seed can delete submissions. Half of the seeds with each other setting have such a service. */
export const canDelete = (seed: number): boolean => (seed >> 2) % 2 === 1

/**
 * Runs some days with faults, then days without faults until all rows are sent. Checks the promise throughout. @param
 * telemetry whether spans and metrics are made; by default for odd seeds
 */
export const simulate = async (
  seed: number,
  pipeline: Pipeline,
  bug: Bug = {},
  tell: (line: string) => void = () => {},
  telemetry = seed % 2 === 1,
): Promise<Simulated> => {
  const draws = new Draws(seed)
  const world = new World(seed, drawRows(draws), bug, telemetry, [
    ...(canList(seed) ? ["list" as const] : []),
    ...(canDelete(seed) ? ["delete" as const] : []),
  ])
  const { truth } = world
  const leftOut = new Set<string>()
  const can = { canList: canList(seed), canDelete: canDelete(seed) }
  // Uses draws of its own, so that the other events of a seed don't depend on them.
  const undoDraws = new Draws(seed + 1_000_000)
  const fixDraws = new Draws(seed + 2_000_000)
  try {
    const set = drawPipeline(draws, pipeline)
    const days = draws.int(1, 5)
    for (let day = 1; day <= days && truth.violations.length === 0; day++) {
      if (day > 1 && draws.chance(0.3)) world.edit((rows) => drawEdit(draws, rows))
      const drawn = drawDay(draws, set, world.rows, seed * 10 + day, leftOut, can)
      tell(`day ${day}: ${told(drawn)}`)
      tell(`  ${ended(await world.day(drawn))}`)
      // Advances to the next day, sometimes so soon that requests in flight still arrive.
      await world.time.pass(draws.chance(0.3) ? 500 : 10 * minutes)
      const [run, ...others] = world.disk.runs()
      while (can.canDelete && undoDraws.chance(0.55)) {
        if (run === undefined || truth.violations.length > 0) break
        const undo = drawUndo(undoDraws, set, seed * 10 + day, undoDraws.pick([run, ...others]))
        tell(`undo: ${told(undo)}`)
        tell(`  ${ended(await world.day(undo))}`)
        await world.time.pass(undoDraws.chance(0.3) ? 500 : 10 * minutes)
      }
      while (fixDraws.chance(0.5)) {
        const [newest, ...older] = [...world.rejected.values()].filter(({ lines }) => lines.length > 0).toReversed()
        if (newest === undefined || truth.violations.length > 0) break
        const fix = drawFix(fixDraws, set, [newest, ...older], seed * 100 + day)
        tell(`fix: ${told(fix)}`)
        tell(`  ${ended(await world.day(fix))}`)
        await world.time.pass(fixDraws.chance(0.3) ? 500 : 10 * minutes)
      }
    }
    await world.time.pass(10 * minutes)
    await finishUndos(
      world,
      (run) => ({ ...quietDay("undo", set, seed * 10 + 6), undo: { run, editedToo: false } }),
      tell,
    )
    const inDoubt = world.disk.rows().filter(({ state }) => state === "inDoubt").length
    if (truth.violations.length === 0) {
      tell(`settling: ${ended(await world.day(quietDay("settle", set, seed * 10 + 6)))}`)
    }
    // After this time, it is certain which processes have ended.
    await world.time.pass(10 * minutes)
    if (truth.violations.length === 0) await world.day(quietDay("settle", set, seed * 10 + 6))
    const unsettled = world.disk.rows().filter(({ state }) => state === "inDoubt").length
    if (truth.violations.length === 0) await world.day(quietDay("settle vouched", set, seed * 10 + 6))
    if (truth.violations.length === 0) await world.day(quietDay("settle manually", set, seed * 10 + 7))
    for (let day = 1; day <= 8 && truth.violations.length === 0; day++) {
      const ending = await world.day(quietDay("run", set, seed * 10 + 7 + day))
      tell(`quiet day ${day}: ${ended(ending)}`)
      if (ending._tag === "Report" && ending.report.rows.pending === 0 && ending.report.exitCode !== 5) break
    }
    // Undone rows are sent now, and only now.
    for (let day = 1; day <= 8 && can.canDelete && truth.violations.length === 0; day++) {
      const ending = await world.day({ ...quietDay("run", set, seed * 10 + 17 + day), resendUndone: true })
      tell(`resend undone, day ${day}: ${ended(ending)}`)
      if (ending._tag === "Report" && ending.report.rows.pending === 0 && ending.report.exitCode !== 5) break
    }
    const changed = await fixAll(world, { ...quietDay("run", set, seed * 10 + 27), resendUndone: can.canDelete }, tell)
    // A second run with the same source must send nothing.
    const before = truth.held.size
    if (truth.violations.length === 0) {
      const ending = await world.day(quietDay("run", set, seed * 10 + 9))
      tell(`once more: ${ended(ending)}`)
      if (ending._tag === "Report" && ending.report.rows.invalid > changed) {
        truth.violated("a row that was corrected and imported is not rejected again", ended(ending))
      }
    }
    if (truth.held.size !== before) truth.violated("no row is sent twice", "the same source, once more, sends rows")
    // A person corrects the source in the end, and sends what was undone.
    const records = new Set([...truth.held.values()].map(({ answers }) => recordIn(answers.get("name"))))
    world.edit((rows) => rows.map((row) => records.has(recordIn(row.name)) ? row : correctRow(row)))
    if (truth.violations.length === 0) {
      tell(`corrected: ${ended(await world.day({ ...quietDay("run", set, seed * 10 + 8), resendUndone: true }))}`)
    }
    if (truth.violations.length === 0) everyRowHasItsEnd(world, leftOut, set.sink.onChange === "import-again")
    return {
      seed,
      violations: truth.violations,
      requests: world.counts.requests,
      lists: world.counts.lists,
      spans: world.counts.spans,
      processes: world.counts.processes,
      deleted: truth.deleted.size,
      undone: truth.undoing.size,
      inDoubt,
      unsettled,
      submissions: truth.held.size,
      met: world.met,
    }
  } finally {
    world.close()
  }
}

/** Without faults, every undo that was interrupted or failed ends if it is repeated. */
const finishUndos = async (world: World, undo: (run: string) => Day, tell: (line: string) => void) => {
  const { truth } = world
  for (const [run, hasEnded] of truth.undoing) {
    if (hasEnded || truth.violations.length > 0) continue
    // A submission that was never seen is looked for twice, by two commands.
    for (let time = 1; time <= 2; time++) {
      const ending = await world.day(undo(run))
      tell(`finish undo of ${run}: ${ended(ending)}`)
      if (truth.undoing.get(run) === true) break
      if (time === 2) truth.violated("an undo can be repeated until it ends", ended(ending))
    }
  }
}

/**
 * A person corrects all rows that the last run rejected, and imports them without faults. Returns how many stay
 * rejected, because they were imported before with different content, or have the key of another one.
 */
const fixAll = async (world: World, quiet: Day, tell: (line: string) => void): Promise<number> => {
  const rejected = [...world.rejected.values()].at(-1)
  if (rejected === undefined || rejected.lines.length === 0) return 0
  const fixed = correctRows(rejected, () => true)
  for (let day = 1; day <= 8 && world.truth.violations.length === 0; day++) {
    const ending = await world.day({ ...quiet, fixed })
    tell(`fix all, day ${day}: ${ended(ending)}`)
    if (ending._tag === "Report" && ending.report.rows.pending === 0 && ending.report.exitCode !== 5) {
      return ending.report.rows.changed + ending.report.rows.duplicate
    }
  }
  return 0
}

/** Without faults, every row is imported, as it was or corrected, unless a person skipped it. */
const everyRowHasItsEnd = ({ disk, rows, truth }: World, leftOut: ReadonlySet<string>, again: boolean): void => {
  const ledger = new Map(disk.rows().map((row) => [row.key, row]))
  const held = [...truth.held.values()]
  for (const row of rows) {
    const key = recordIn(row.name) ?? row.no
    if (leftOut.has(row.no) || leftOut.has(key)) continue
    const { state, submissionId, verdict } = ledger.get(key) ?? {}
    // A row with the key of another row was sent as it was if the other row was not in the source at that time.
    if (state !== "imported" && !held.some(({ answers }) => recordIn(answers.get("name")) === key)) {
      truth.violated("no row is lost", `row ${key} is ${state ?? "unknown to the ledger"} when all is done`)
    }
    if (submissionId !== undefined && verdict === "unread") {
      truth.violated("every submission is read back", `row ${key} is unread when all is done`)
    }
    const one = truth.held.get(submissionId ?? "")
    const isOnly = rows.filter(({ no }) => no === row.no).length === 1 && isSound(row)
    if (again && isOnly && one !== undefined && !one.altered && one.answers.get("name") !== row.name) {
      truth.violated("what changed is imported again", `row ${key} is unchanged at the service`)
    }
  }
}

/** Describes a day, without what differs each time: the ids of rejected rows, which depend on the ledger's secret. */
const told = ({ command, faults, mishaps, pipeline, ...more }: Day): string =>
  command + JSON.stringify({
    sink: { ...pipeline.sink, targets: undefined, alongside: undefined, retries: undefined, stopWhen: undefined },
    mishaps,
    faults: faults.faults,
    ...more,
  }).replaceAll(/\br[0-9a-f]{32}\b/g, "ID")

const toldUndone = ({ absent, deleted, kept, remaining }: UndoneRun): string => {
  const countOf = (reason: Kept["why"]) => [...kept.values()].filter(({ why }) => why === reason).length
  const counts = { edited: countOf("edited"), refused: countOf("refused"), unseen: countOf("unseen") }
  return JSON.stringify({ deleted, absent, ...counts, remaining })
}

const ended = (ending: Ending): string =>
  ending._tag === "Settled"
    ? `${ending.rows} rows settled`
    : ending._tag === "Undone"
    ? toldUndone(ending.result)
    : ending._tag === "Report"
    ? JSON.stringify({
      ...ending.report.rows,
      ...ending.report.readBack,
      exit: ending.report.exitCode,
      because: ending.report.because,
    })
    : ending._tag === "Failed"
    ? `failed: ${ending.error}`
    : "crashed"
