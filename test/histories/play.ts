import { Effect } from "effect"
import { Draws } from "../faults/Draws.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { History } from "./History.ts"
import { type HistoryLedger, inPostgres } from "./ledgers.ts"
import { type Expected, Referee } from "./Referee.ts"
import { firstLate, type Flaw, formats, hasHeader } from "./source.ts"

/** The result of one seed. */
export interface Played {
  readonly seed: number
  /** The history as text, one event or message per line. */
  readonly lines: ReadonlyArray<string>
  /** Broken promises. */
  readonly broken: ReadonlyArray<string>
  /** How often each kind of event happened, and how often a run was refused or a refusal was resolved. */
  readonly met: ReadonlyMap<string, number>
}

/** Events between runs. Each returns the expectation for the next run, or undefined if it can't happen now. */
type Moves = Readonly<Record<string, Move>>
type Move = () => Expected | undefined | Promise<Expected | undefined>

const day = 86_400_000

/** Events that happen in every project and must not stop a run, except for the loss of marks that hosts share. */
const innocent = (
  at: History,
  draws: Draws,
  referee: Referee,
  grow: () => void,
  late: () => number,
): Moves => ({
  "quiet night": () => "goes",
  "fixed in the source": () => {
    const [flawed, ...others] = at.rows.filter((no) => at.flaws.has(no))
    if (flawed === undefined) return undefined
    at.flaws.delete(draws.pick([flawed, ...others]))
    at.source(at.rows)
    at.isFull = true
    return "goes"
  },
  // Only a pull of all records finds such a row. If it is killed, a later run must send the row.
  "late row": () => {
    if (at.edited.format !== "pull") return undefined
    at.source([...at.rows, late()])
    at.isFull = true
    return "goes"
  },
  rows: () => {
    grow()
    return "goes"
  },
  "more rows": () => {
    grow()
    return "goes"
  },
  "header only": () => (hasHeader(at.edited.format) ? "goes" : undefined),
  clock: () => {
    at.setClock((draws.chance(0.5) ? 2 : -2) * day)
    return "goes"
  },
  "reports tidied": () => {
    at.delete("reports of the pipeline")
    return "goes"
  },
  // Reports and the marks next to the ledger are never deleted together, because no run can detect that.
  "reports lost": () => {
    if (!at.hasBothMarks()) return undefined
    at.delete("reports")
    return "goes"
  },
  "marks lost": () => {
    // The marks of other hosts are only there.
    const expected = at.ledger.isShared ? referee.withoutMarks() : "goes"
    if (!at.hasBothMarks() || expected === undefined) return undefined
    at.delete("marks")
    return expected
  },
  "new machine": () => {
    if (!at.hasBothMarks()) return undefined
    at.onNewMachine()
    return "goes"
  },
  moved: () => {
    at.move(false)
    return "goes"
  },
  copied: () => {
    at.move(true)
    return "goes"
  },
})

/** Events that damage the log of a killed process. The server of a PostgreSQL database is restored from a backup instead. */
const logHarms = (at: History, draws: Draws, referee: Referee): Moves => {
  const { damageLog } = at.ledger
  if (damageLog === undefined) return { restored: () => referee.restoreAny() }
  const log = (change: (log: Buffer) => Buffer | undefined) => (damageLog(change) ? referee.harmed() : undefined)
  return {
    "log lost": () => log(() => undefined),
    "log cut": () => log((bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))),
    "log flipped": () => {
      const place = draws.int(0, 1_000_000)
      return log((bytes) => {
        const flipped = Buffer.from(bytes)
        flipped[place % bytes.length]! ^= 4
        return flipped
      })
    },
  }
}

/** Events that damage the ledger, and edits by people. */
const harmful = (at: History, draws: Draws, referee: Referee): Moves => ({
  // The rows that were in a deleted ledger are in the form, and still in the source.
  deleted: async () => {
    // A process that was killed may not have written the marks among the reports again.
    if (!at.hasBothMarks() || !await at.ledger.remove()) return undefined
    const expected = referee.harmed()
    return referee.hasFacts() ? "refused" : expected
  },
  restored: () => referee.restoreAny(),
  "restored again": () => referee.restoreAny(),
  address: () => {
    const other = at.edited.baseUrl.includes("localhost") ? "127.0.0.1" : "localhost"
    const change = { baseUrl: `http://${other}/v1/api` }
    if (at.edited.previousBaseUrls.length === 0) return referee.editPlace(change)
    at.edit(change)
    return "either"
  },
  renamed: () => (at.edited.pipeline === "people" ? referee.editPlace({ pipeline: "persons" }) : undefined),
  "row key": () =>
    referee.editReading({
      rowKey: at.edited.rowKey.length === 1 ? draws.pick([["No", "Mail"], ["No", "Team"]]) : ["No"],
    }),
  empty: () => referee.editReading({ empty: at.edited.empty.length === 0 ? ["-"] : [] }),
  format: () => {
    const [first, ...others] = formats.filter((one) =>
      one !== at.edited.format && (hasHeader(one) || at.rows.length > 0)
    )
    if (first === undefined) return undefined
    const format = draws.pick([first, ...others])
    referee.meet(`format: ${format}`)
    return referee.editReading({ format })
  },
  "keys reformatted": () => {
    at.edit({ isPadded: !at.edited.isPadded })
    return "goes"
  },
  "another form": () => {
    // The mark of the other form does not cover rows that came late meanwhile.
    at.isFull = true
    return referee.switchForm()
  },
  "option added": () => referee.editForm({ added: at.form().added + 1 }),
  "option relabelled": () => referee.editForm({ spare: at.form().spare === "Green" ? "Lime" : "Green" }),
  "type of a question": () =>
    referee.editForm({ type: at.form().type === "ShortAnswer" ? "LongAnswer" : "ShortAnswer" }),
  "question not mapped": () => referee.editForm({ note: at.form().note === "Note" ? "Remark" : "Note" }),
  resend: () => {
    at.edit({ inDoubt: at.edited.inDoubt === "hold" ? "resend" : "hold" })
    return "goes"
  },
})

/** From this seed, every event of `happens.inFew` occurs within 25 seeds, without those in PostgreSQL, whose events depend on real time. */
export const firstSeed = 29

/**
 * Events that must occur in a few seeds, and events that must occur in many. Histories without events prove nothing.
 */
export const happens = {
  inFew: [
    ...(withoutPostgres ? [] : ["ledger in PostgreSQL"]),
    "quiet night",
    "late row",
    "rows",
    "fixed in the source",
    "newest rows fixed",
    "fixed rows are sent",
    "killed while fixed rows are imported",
    "fixed in several rounds",
    "header only",
    "clock",
    "reports tidied",
    "reports lost",
    "marks lost",
    "new machine",
    "moved",
    "copied",
    "deleted",
    "address",
    "renamed",
    "row key",
    "format",
    "resend",
    "killed",
    "refused",
    "undone",
    "undo killed",
    "resolved: accept form",
    "resolved: accept ledger",
    "resolved: the newest ledger is put back",
    "resolved: renamedFrom",
    "resolved: previousBaseUrls",
  ],
  inMany: [
    "older rows fixed",
    "rejected rows unchanged",
    "keys reformatted",
    "resolved: ledger rekey",
    "resolved: --full",
    ...["not-an-email", "not-an-option", "missing-key", "ragged-row", "damaged-text", "duplicate-key", "changed"]
      .map((code) => `rejected: ${code}`),
    "empty",
    "another form",
    "settled by word",
    "restored",
    "log lost",
    "log cut",
    "log flipped",
    "option added",
    "option relabelled",
    "type of a question",
    "question not mapped",
    ...formats.map((format) => `format: ${format}`),
    "settle killed",
    "settle refused",
    "settled: landed",
    "settled: not landed",
    "settled: in doubt",
    "settled with --complete: landed",
    "settled with --complete: not landed",
    "a row that had landed was resent",
    "resolved: accept row-key",
  ],
} as const

/** Draws why a new row is rejected. @param before the row before it, if that has no flaw. Undefined: it is not rejected */
const drawFlaw = (draws: Draws, before: number | undefined): Flaw | undefined =>
  draws.chance(0.75) ? undefined : draws.pick<Flaw>([
    "bad mail",
    "unknown team",
    "no key",
    "too short",
    "damaged",
    before === undefined ? "bad mail" : { keyOf: before },
  ])

/** Whether a history's ledger is in PostgreSQL. */
const isInPostgres = (seed: number): boolean => !withoutPostgres && seed % 6 === 3

/** Plays a history of runs, kills, settlements, edits, disk faults and clock changes. */
export const play = (seed: number): Promise<Played> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(
    isInPostgres(seed) ? inPostgres : Effect.succeed(undefined),
    (ledger) => Effect.promise(() => playWith(seed, ledger)),
  )))

const playWith = async (seed: number, ledger: HistoryLedger | undefined): Promise<Played> => {
  const draws = new Draws(seed)
  const at = new History(seed, ledger)
  const referee = new Referee(at, draws)
  const { broken, lines, met, removed } = referee
  // Uses draws of its own, so that the other events of a seed don't depend on them.
  const undoDraws = new Draws(seed + 1_000_000)
  let next = 1
  let nextLate = firstLate
  // These use draws of their own as well.
  const flawDraws = new Draws(seed + 2_000_000)
  const fixDraws = new Draws(seed + 3_000_000)
  const grow = () => {
    const rows = [...at.rows]
    for (let more = draws.int(2, 9); more > 0; more--) {
      const before = rows.at(-1)
      const flaw = drawFlaw(flawDraws, before === undefined || at.flaws.has(before) ? undefined : before)
      if (flaw !== undefined) at.flaws.set(next, flaw)
      rows.push(next++)
    }
    at.source(rows.filter((no) => !removed.has(no)))
  }
  const killedAt = (most: number) => draws.chance(0.45) ? draws.int(1, most) : undefined
  const settle = async () => {
    if (draws.chance(0.7)) await at.pass(day / 48)
    const isComplete = draws.chance(0.3)
    const lines = isComplete || draws.chance(0.5) ? undefined : draws.int(0, at.sent().size)
    await referee.settle(lines, isComplete, draws.chance(0.15) ? draws.int(1, 8) : undefined)
  }
  /** A person corrects some rows of a rejected.csv and imports it, sometimes twice, or imports it unchanged. */
  const fix = async () => {
    const [newest, ...older] = at.rejected()
    if (newest === undefined) return
    const table = fixDraws.chance(0.7) ? newest : fixDraws.pick([newest, ...older])
    const share = fixDraws.pick([0, 0.5, 1, 1])
    referee.meet(share === 0 ? "rejected rows unchanged" : table === newest ? "newest rows fixed" : "older rows fixed")
    const corrected = new Set<number>()
    let isPartly = false
    const correct = (no: number) => {
      if (!fixDraws.chance(share)) return "not"
      if (fixDraws.chance(0.2)) {
        isPartly = true
        return "partly"
      }
      corrected.add(no)
      return "right"
    }
    const fixed = { ...at.fix(table, correct, (no) => !removed.has(no)), corrected, run: table.run }
    for (let times = fixDraws.chance(0.3) ? 2 : 1; times > 0 && broken.length === 0; times--) {
      const killedAt = fixDraws.chance(0.3) ? fixDraws.int(1, 30) : undefined
      await referee.run("goes", { fixed, killedAt, resendUndone: fixDraws.chance(0.1) })
    }
    if (isPartly && broken.length === 0 && fixDraws.chance(0.7)) {
      referee.meet("fixed in several rounds")
      await fix()
    }
  }
  const moves = {
    innocent: innocent(at, draws, referee, grow, () => nextLate++),
    harmful: harmful(at, draws, referee),
    log: logHarms(at, draws, referee),
  }
  try {
    if (ledger !== undefined) referee.meet("ledger in PostgreSQL")
    const isPulled = draws.chance(0.5)
    if (isPulled) at.edit({ format: "pull" })
    // After most edits, all records are pulled.
    const harm = isPulled ? 0.2 : 0.5
    grow()
    const events = draws.int(4, 10)
    for (let event = 0; event < events && broken.length === 0; event++) {
      await referee.keepImage()
      if (draws.chance(0.7)) await at.pass(day)
      const possible = referee.wasKilled() && draws.chance(0.25)
        ? moves.log
        : event > 0 && draws.chance(harm)
        ? moves.harmful
        : moves.innocent
      const [kind, move] = draws.pick(Object.entries(possible) as [[string, Move]])
      const expected = await move()
      if (expected !== undefined) referee.meet(kind)
      if (kind === "header only" && expected !== undefined) {
        const { rows } = at
        at.source([])
        await referee.run("goes")
        // Someone may have removed rows to resolve a refusal.
        at.source(rows.filter((no) => !removed.has(no)))
      }
      await referee.run(expected ?? "goes", { killedAt: killedAt(60) })
      if (draws.chance(0.3)) await settle()
      if (undoDraws.chance(0.25) && broken.length === 0) {
        await referee.undo(undoDraws, undoDraws.chance(0.5) ? undoDraws.int(1, 40) : undefined)
        if (undoDraws.chance(0.4)) await referee.run("goes", { resendUndone: true })
      }
      if (fixDraws.chance(0.5) && broken.length === 0) await fix()
    }
    if (broken.length === 0) {
      grow()
      await referee.finish(grow)
    }
  } finally {
    at.close()
  }
  return { seed, lines, broken, met }
}
