import type { AcceptReason } from "../../src/domain/acceptance.ts"
import { acceptReasons } from "../../src/domain/acceptance.ts"
import { Draws } from "../faults/Draws.ts"
import { History } from "./History.ts"

/** What one seed came to. */
export interface Played {
  readonly seed: number
  /** What happened, line by line. */
  readonly lines: ReadonlyArray<string>
  /** Promises that did not hold. */
  readonly broken: ReadonlyArray<string>
  /** How often each kind of event happened, and how often a run was refused or resolved. */
  readonly met: ReadonlyMap<string, number>
}

/** What the next run may do: an innocent history is never refused, and one that lost commits never imports. */
type Expected = "goes" | "refused" | "either"

const day = 86_400_000

/** Plays a history: runs, kills, and what people, disks and clocks do between them. */
export const play = async (seed: number): Promise<Played> => {
  const draws = new Draws(seed)
  const at = new History(seed)
  const lines: Array<string> = []
  const broken: Array<string> = []
  const met = new Map<string, number>()
  const meet = (what: string) => {
    met.set(what, (met.get(what) ?? 0) + 1)
    lines.push(what)
  }
  /** Runs that ended or were killed: an image with fewer of them behind it is not the newest. */
  let runs = 0
  const images: Array<{ readonly files: ReadonlyMap<string, Buffer>; readonly runs: number; readonly sent: number }> =
    []
  let next = 1
  /** Rows that a person removed from the source for good. */
  const removed = new Set<number>()

  /** What a killed run leaves for the next one to be told, and the ledger before that. */
  let carried: Expected = "goes"
  let newest = at.image()
  let newestRuns = 0

  const grow = () => {
    const more = draws.int(2, 9)
    const rows = [...at.rows, ...Array.from({ length: more }, () => next++)]
    at.source(rows.filter((no) => !removed.has(no)))
  }
  const look = (after: string) => {
    for (const [no, count] of at.sent()) {
      if (count > 1) broken.push(`row ${no} was sent ${count} times, after: ${after}`)
    }
  }

  /** Does what the refusal says, until the run goes. */
  const resolve = async (message: string) => {
    const { edited } = at
    if (message.includes("renamedFrom: people")) {
      meet("resolved: renamedFrom")
      at.edit({ renamedFrom: "people" })
      return
    }
    const previous = /previousBaseUrls: \[(\S+?)\]/.exec(message)?.[1]
    if (previous !== undefined) {
      meet("resolved: previousBaseUrls")
      at.edit({ previousBaseUrls: [...edited.previousBaseUrls, previous] })
      return
    }
    const command = /formferry accept (\S+) (\S+) --because TEXT/.exec(message)
    const reason = Object.keys(acceptReasons).find((one): one is AcceptReason => one === command?.[2])
    if (command?.[1] !== edited.pipeline || reason === undefined) {
      broken.push(`a refusal names no command that resolves it: ${message}`)
      return
    }
    if (reason === "ledger" && newestRuns === runs && draws.chance(0.4)) {
      meet("resolved: the newest ledger is put back")
      at.restore(newest)
      return
    }
    meet(`resolved: accept ${reason}`)
    // As docs/in-doubt.md says: what the form has leaves the source.
    for (const no of at.sent().keys()) removed.add(no)
    at.source(at.rows.filter((no) => !removed.has(no)))
    const accepted = await at.accept(edited.pipeline, reason)
    if (accepted._tag !== "Accepted") broken.push(`accept ${reason}: ${JSON.stringify(accepted)}`)
    runs++
  }

  const run = async (expected: Expected, killedAt?: number) => {
    let left = carried === "goes" ? expected : carried === "refused" && expected !== "either" ? carried : "either"
    carried = "goes"
    for (let tries = 0; tries < 4; tries++) {
      const sent = at.sent().size
      const ended = await at.run(killedAt)
      look(lines.at(-1) ?? "")
      if (ended._tag === "Killed") {
        meet("killed")
        if (left === "refused" && at.sent().size > sent) {
          broken.push("a run that should be refused sent rows before it was killed")
        }
        runs++
        carried = left
        await at.pass(120_000)
        return
      }
      const isRefused = ended._tag === "Report" && ended.report.exitCode === 2
      if (ended._tag === "Report" && !isRefused) {
        lines.push(`exit code ${ended.report.exitCode}, ${JSON.stringify(ended.report.rows)}`)
        if (left === "refused") broken.push(`a ledger that lost commits is not refused, after: ${lines.at(-2)}`)
        if (!ended.report.balance.holds) broken.push("the balance does not hold")
        runs++
        return
      }
      const message = ended._tag === "Report"
        ? ended.report.because.join(" ")
        : ended._tag === "Failed" && ended.error === "LedgerRefused"
        ? ended.message
        : undefined
      if (message === undefined) {
        broken.push(`a run ends with ${JSON.stringify(ended)}`)
        return
      }
      meet("refused")
      if (at.sent().size > sent) broken.push("a refused run sends rows")
      if (left === "goes") broken.push(`an innocent history is refused: ${message}`)
      await resolve(message)
      left = "either"
    }
    broken.push("a refusal is not resolved by what it says")
  }

  try {
    grow()
    const events = draws.int(3, 8)
    for (let event = 0; event < events && broken.length === 0; event++) {
      if (carried === "goes") {
        newest = at.image()
        newestRuns = runs
      }
      let expected: Expected = "goes"
      const kinds = [
        "nothing",
        "rows",
        "rows",
        "header only",
        "clock",
        "tidy",
        "reports lost",
        "marks lost",
        "moved",
        "copied",
      ] as const
      const harms = [
        "delete",
        "restore",
        "restore",
        "log lost",
        "log cut",
        "log flipped",
        "address",
        "renamed",
        "row key",
        "empty",
      ] as const
      const kind = runs > 0 && draws.chance(0.45) ? draws.pick([...harms]) : draws.pick([...kinds])
      const now = at.image()
      if (carried === "goes") images.push({ files: now, runs, sent: at.sent().size })
      const log = now.get("ledger.db-wal")
      switch (kind) {
        case "nothing":
          break
        case "rows":
          grow()
          break
        case "header only": {
          const { rows } = at
          at.source([])
          meet(kind)
          await run("goes")
          at.source(rows)
          break
        }
        case "clock":
          at.setClock((draws.chance(0.5) ? 2 : -2) * day)
          break
        case "tidy":
          at.delete("reports of the pipeline")
          break
        case "reports lost":
          // Never both places: that can't be detected.
          if (at.hasBothMarks()) at.delete("reports")
          break
        case "marks lost":
          if (at.hasBothMarks()) at.delete("marks next to the ledger")
          break
        case "moved":
        case "copied":
          at.move(kind === "copied")
          break
        case "delete":
          at.delete("ledger folder")
          expected = now.size > 0 ? "either" : "goes"
          break
        case "restore": {
          const image = images[draws.int(0, images.length - 1)]
          if (image === undefined) break
          at.restore(image.files)
          // Of a run that only repeated what was there, a copy may lack nothing that counts.
          expected = image.sent < at.sent().size ? "refused" : image.runs < runs ? "either" : "goes"
          break
        }
        case "log lost":
        case "log cut":
        case "log flipped":
          if (log !== undefined && log.length > 0) {
            const files = new Map(now)
            if (kind === "log lost") files.delete("ledger.db-wal")
            else if (kind === "log cut") files.set("ledger.db-wal", log.subarray(0, Math.floor(log.length / 2)))
            else {
              const flipped = Buffer.from(log)
              const place = draws.int(0, log.length - 1)
              flipped[place] = flipped[place]! ^ 4
              files.set("ledger.db-wal", flipped)
            }
            at.restore(files)
            expected = "either"
          }
          break
        case "address": {
          const other = at.edited.baseUrl.includes("localhost") ? "127.0.0.1" : "localhost"
          at.edit({ baseUrl: `http://${other}/v1/api` })
          expected = "either"
          break
        }
        case "row key":
          at.edit({ rowKey: at.edited.rowKey.length === 1 ? ["No", "Mail"] : ["No"] })
          expected = "either"
          break
        case "empty":
          at.edit({ empty: at.edited.empty.length === 0 ? ["-"] : [] })
          expected = "either"
          break
        case "renamed":
          if (at.edited.pipeline === "people") at.edit({ pipeline: "persons" })
          expected = "either"
          break
      }
      if (kind !== "header only") meet(kind)
      // A ledger that lost what was sent must be refused: the rows that it does not know are at the service, and still in the source.
      if (expected === "either" && kind === "delete" && at.sent().size > 0) expected = "refused"
      await run(expected, draws.chance(0.45) ? draws.int(1, 60) : undefined)
    }
    // In the end, everything that is left goes, and nothing twice.
    if (broken.length === 0) {
      grow()
      await run("either")
    }
  } finally {
    at.close()
  }
  return { seed, lines, broken, met }
}
