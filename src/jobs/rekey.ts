import * as Effect from "effect/Effect"
import { type Cell, cellText } from "../domain/cell.ts"
import { brief } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Ledger, PipelineLedger } from "../ledger/Ledger.ts"
import { isUnsent, type KnownRow } from "../ledger/rows.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { withoutApostrophe } from "../report/csv.ts"
import { certainKey, makeContents, rowKeys } from "../run/content.ts"
import { SeenLedgerRows } from "../run/FateTable.ts"
import { KeyTable, RowHash } from "../run/KeyTable.ts"
import { newRows, type Resemblance } from "../run/NewRows.ts"
import { showWork } from "../run/Progress.ts"
import { eachChunk } from "../source/chunks.ts"
import { columnNames } from "../source/columns.ts"
import { asFound, openSource } from "../source/openSource.ts"
import { JobRefused } from "./JobRefused.ts"
import { planToRead } from "./openKeys.ts"
import { prepare, type PrepareOptions } from "./prepare.ts"
import { newRunId, noLedger, openRows } from "./projectLedger.ts"
import type { OfPipeline } from "./target.ts"

interface KeyPair {
  readonly old: string
  readonly new: string
  /** Whether only people's decisions about the old key are copied to the new one: a person skipped the row, or it was fixed and imported under another key. */
  readonly isCopied?: boolean
  /** The number of the source's row with the new key, and its first mapped cells. Present if keys are made from content, because they are digests. */
  readonly shown?: string
}

/**
 * Row keys that were or would be recorded. `already`: the number of pairs of the map that were recorded before, for example by this command until it
 * was interrupted. `ambiguous`: keys in the ledger that resemble several new ones, or whose new key resembles several of them, so that only a map can
 * pair them.
 */
interface Rekeying {
  readonly pairs: ReadonlyArray<KeyPair>
  readonly already: number
  readonly ambiguous: ReadonlyArray<string>
  readonly recorded: number
}

/** The maximum number of cells by which a row is shown. */
const shownCells = 3

/**
 * Records the new keys of imported rows, after a person agrees. Takes the pipeline's lock. If this is interrupted, some keys are recorded, and the next
 * call finds the others. Fails with `JobRefused` if the map names an unknown key, or a new key that belongs to a different row.
 *
 * @param options.map a file of pairs with a header, the old key before the new one. If undefined, vanished rows are paired with new rows whose keys
 * differ only in formatting, or whose answers are the same
 */
export const rekeyPipeline = <E, R>(
  project: Project,
  options: OfPipeline & Pick<PrepareOptions, "source"> & {
    readonly map: string | undefined
    readonly agreed: (found: Omit<Rekeying, "recorded">) => Effect.Effect<boolean, E, R>
  },
) =>
  Effect.scoped(Effect.gen(function*() {
    const opened = yield* openRows(project, options)
    if (opened === undefined) {
      return yield* new LedgerRefused({
        next: ["status", options.pipeline],
        message: noLedger(project),
      })
    }
    const { ledger, pipeline, view } = opened
    const session = yield* view.hold(yield* newRunId)
    const found = options.map === undefined
      ? yield* pairsOfSource(project, pipeline, options, ledger, view)
      : yield* pairsOfMap(options.map, ledger, view)
    if (found.pairs.length === 0 || !(yield* options.agreed(found))) return { ...found, recorded: 0 }
    const { key } = ledger.digest
    const moved = yield* session.rekey(
      found.pairs.map((pair) => ({
        from: key(pair.old),
        to: key(pair.new),
        key: pair.new,
        isCopied: pair.isCopied === true,
      })),
    )
    return { ...found, recorded: moved + found.pairs.filter(({ isCopied }) => isCopied === true).length }
  }))

const isOriginal = ({ key, old }: Resemblance): boolean => old !== key

/** Returns what the ledger knows under a key. `decided`: nothing was sent under it, but a person skipped the row, or it was fixed and imported under another key. `undone`: nothing of it remains in the form. */
const stateOf = (row: KnownRow | undefined) =>
  row === undefined
    ? "unknown"
    : row.id === 0
    ? "decided"
    : isUnsent(row)
    ? "unsent"
    : row.state === "undone" && row.earlier.length === 0
    ? "undone"
    : "sent"

type KeyState = ReturnType<typeof stateOf>

/** The states that a new key may have, by the state of the row's old key. The ledger must not know more under the new key than under the old one. */
const replaceable: { readonly [S in KeyState]: ReadonlyArray<KeyState> } = {
  unknown: [],
  decided: ["unknown", "decided", "unsent"],
  unsent: ["unknown", "decided"],
  undone: ["unknown", "decided", "unsent"],
  sent: ["unknown", "decided", "unsent", "undone"],
}

/** Returns a key in a map, which may be copied from a file that `ledger export` wrote for spreadsheets. */
const keyIn = (cell: Cell | undefined): string => withoutApostrophe(cellText(cell).trim())

const pairsOfMap = (file: string, ledger: Ledger, view: PipelineLedger) =>
  Effect.gen(function*() {
    const source = yield* openSource(asFound(file))
    const pairs: Array<KeyPair> = []
    const take = ({ rows }: RowChunk) =>
      Effect.sync(() => {
        for (const [old, now] of rows) pairs.push({ old: keyIn(old), new: keyIn(now) })
      })
    yield* eachChunk(source.read(), take)
    const statesOf = (keys: ReadonlyArray<string>) =>
      Effect.map(view.lookUp(keys.map(ledger.digest.key)), (rows) => rows.map(stateOf))
    const keysOf = (which: "old" | "new") => pairs.map((pair) => pair[which])
    const [old, now] = [yield* statesOf(keysOf("old")), yield* statesOf(keysOf("new"))]
    const isRecorded = (at: number) => old[at] === "unknown" && now[at] !== "unknown" && now[at] !== "decided"
    const isOther = (at: number) => !replaceable[old[at] ?? "unknown"].includes(now[at] ?? "unknown")
    // Otherwise, the row with this key would get no new key, and would be sent again.
    const titles = source.columns.slice(0, 2).map(({ title }) => title.trim())
    const isPair = (yield* statesOf(titles)).some((state) => state !== "unknown")
    const wrong = isPair
      ? ["its first line is a pair of keys instead of a header"]
      : pairs.flatMap((pair, at) =>
        pair.new === "" || (old[at] === "unknown" && !isRecorded(at))
          ? [`${JSON.stringify(pair.old)} is not the key of a known row`]
          : old[at] !== "unknown" && isOther(at)
          ? [`${JSON.stringify(pair.new)} is the key of another row`]
          : []
      )
    const isTwice = (which: "old" | "new") => new Set(keysOf(which)).size < pairs.length
    const twice = isTwice("new") ? "two rows would get the same key" : isTwice("old") ? "a row would get two keys" : ""
    if (wrong.length > 0 || twice !== "") {
      return yield* new JobRefused({
        code: "KeyMapWrong",
        next: ["ledger", "export", view.pipeline, "--format", "jsonl"],
        message: `${file} can't be used: ${
          twice || wrong.slice(0, 5).join("; ")
        }. Nothing was recorded. The file has a header and two columns: the earlier key, as \`ledger export --format jsonl\` lists it, and the new one.`,
      })
    }
    const left = pairs.flatMap((pair, at) => isRecorded(at) ? [] : [{ ...pair, isCopied: old[at] === "decided" }])
    return { pairs: left, already: pairs.length - left.length, ambiguous: [] }
  })

const pairsOfSource = (
  project: Project,
  named: Pipeline,
  { source: other, to }: Pick<PrepareOptions, "source" | "to">,
  ledger: Ledger,
  view: PipelineLedger,
) =>
  Effect.gen(function*() {
    const prepared = yield* prepare(project, named, { to, source: other })
    const { mapping, source } = prepared
    const plan = planToRead(prepared, prepared, other)
    const numbering = yield* rowKeys(plan, { ledger, view })
    const added = yield* newRows(plan, { ledger, view })
    const seen = new SeenLedgerRows()
    const contents = makeContents(plan, ledger.digest)
    const keys = new KeyTable()
    const hash = new RowHash()
    const first = numbering()
    let rows = 0
    /** Finds the ledger's rows that the source contains, and the rows that are new. */
    const survey = (chunk: RowChunk) =>
      Effect.gen(function*() {
        yield* showWork("survey", rows += chunk.rows.length)
        const keyed = chunk.rows.flatMap((cells, index) => {
          const fault = chunk.faults.get(index)
          const key = fault === undefined ? first(cells) : certainKey(plan, fault, cells)
          return key === undefined ? [] : [{ cells, key, row: chunk.firstRow + index, isFaulty: fault !== undefined }]
        })
        const known = yield* view.lookUp(keyed.map(({ key }) => ledger.digest.key(key)))
        keyed.forEach(({ cells, isFaulty, key, row }, at) => {
          const found = known[at]
          const [replaced] = found === undefined ? [] : contents.replacedBy(found, cells)
          if (replaced !== undefined) return seen.mark(replaced.fixed, true)
          if (found?.leftOut === true) added.skip(key)
          if (found !== undefined && !isUnsent(found)) {
            seen.mark(found.id, true)
            // An undone row would be sent like a new one with `--resend-undone`.
            if (found.state !== "undone") return
          }
          // With keys from content, a skipped row could get the number of one that is sent.
          if (isFaulty || found?.leftOut === true || (mapping.keyed === "content" && mapping.filtered(cells))) return
          hash.key(key)
          // Later rows with the same key are duplicates.
          if (keys.find(hash) >= 0) return
          keys.add(hash, row)
          added.add(row, key, cells)
        })
      })
    yield* eachChunk(source.read(), survey)
    const old = new Map<number, ReadonlyArray<Resemblance>>()
    const several = new Set<number>()
    const ambiguous = new Set<string>()
    yield* added.compare(view, seen.marks, (pair) => {
      const others = old.get(pair.row) ?? []
      // A rejected duplicate has the key of the row that was imported.
      if (pair.ambiguous || others.some(({ id, old }) => id !== pair.id && old !== pair.old)) {
        several.add(pair.row)
        for (const one of [...others, pair]) ambiguous.add(one.old)
      }
      const same = others.find((one) => one.old === pair.old)
      old.set(pair.row, [
        ...others.filter((one) => one !== same),
        same !== undefined && !isOriginal(same) ? same : pair,
      ])
    })
    const mapped = columnNames(plan.columns).flatMap((name, at) =>
      plan.shape.includes(name) ? plan.columns[at] ?? [] : []
    )
    const shown = (row: number, cells: Cells) => {
      const texts = mapped.map(({ position }) => cellText(cells[position])).filter((text) => text !== "")
      return mapping.keyed === "content"
        ? { shown: `Row ${row}: ${texts.slice(0, shownCells).map(brief).join(", ")}` }
        : {}
    }
    /** The ids of rows that resemble a new row by their own key, not by the key of a rejected row, which may be a duplicate of another row. */
    const own = new Set([...old.values()].flat().flatMap((one) => isOriginal(one) ? [] : one.id))
    const pairs: Array<KeyPair> = []
    const second = numbering()
    const pair = (chunk: RowChunk) =>
      Effect.suspend(() => {
        chunk.rows.forEach((cells, at) => {
          const key = chunk.faults.has(at) ? undefined : second(cells)
          const row = chunk.firstRow + at
          if (key === undefined || several.has(row)) return
          const found = old.get(row) ?? []
          const original = found.find((one) => one.old === key)
          if (original === undefined) {
            for (const one of found) {
              pairs.push({ old: one.old, new: key, isCopied: isOriginal(one) || one.id === 0, ...shown(row, cells) })
            }
          } else if (!own.has(original.id) && "item" in mapping.map(cells, "")) {
            // The original itself was corrected in the source, so the fixed row gets its key.
            pairs.push({ old: original.key, new: key })
          }
        })
        return showWork("survey", chunk.firstRow - 1 + chunk.rows.length, rows)
      })
    if (old.size > 0) yield* eachChunk(source.read(), pair)
    return { pairs, already: 0, ambiguous: [...ambiguous] }
  })
