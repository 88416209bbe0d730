import { type Item, withoutParameters } from "../domain/item.ts"
import { canonicalJson } from "../domain/json.ts"
import { counted, firstOf } from "../domain/words.ts"
import type { SettledRow } from "../ledger/evidence.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import {
  absence,
  type Example,
  type ExportFacts,
  type ListFacts,
  type OpenRow,
  type Resembled,
  wordsOf,
} from "./absence.ts"
import type { Likeness } from "./likeness.ts"

export interface Settled {
  readonly settled: ReadonlyArray<{ readonly row: DoubtfulRow; readonly as: SettledRow }>
  readonly open: ReadonlyArray<OpenRow>
}

/** Rows with the same item, which are interchangeable. `S` is a submission. */
interface Group<S> extends Resembled {
  readonly item: Item | undefined
  readonly rows: Array<DoubtfulRow>
  /** Undefined if the item is no longer known. */
  likeness: ((submission: S) => Likeness) | undefined
  /** Submissions that fit the item. */
  readonly fits: Array<Candidate<S>>
}

/** Whether a row of the ledger has a submission. `unproven`: a row has its id, but nothing proves that the submission is that row's. */
export type Owner = "none" | "certain" | "unproven"

/** A submission that fits the items of groups. */
interface Candidate<S> {
  readonly id: string
  readonly fits: ReadonlyArray<Group<S>>
  readonly resembles: ReadonlyArray<Resemblance<S>>
}

/** A submission that resembles the item of a group. */
interface Resemblance<S> extends Example {
  readonly group: Group<S>
}

/**
 * Looks for rows in doubt among those submissions of an export or a list that the ledger does not know. Memory use grows with the number of rows in
 * doubt and of submissions that fit them, not with the number of submissions.
 */
export interface Settling<S> {
  /**
   * Adds a submission. One that a row has belongs to no row in doubt. But if that is unproven, the service may have returned the id for the wrong row, so
   * a row with the same answers is not absent.
   */
  readonly offer: (id: string, submission: S, owner?: Owner) => void
  /** Returns the outcome of each row. Call it after all submissions were added. */
  readonly decide: (facts: ExportFacts | ListFacts) => Settled
}

/**
 * @param likenessOf returns a function that compares an item with a submission. `sentAt`: when the item was first sent, in milliseconds. Undefined if
 *   that is unknown
 * @param landedByWord items of rows that a person said had landed. Their submissions exist, but belong to no row in doubt
 * @param origin ids of the URL parameters with the run's id and the pipeline's name. `unseen`: those of them that submissions may lack. A row that was
 *   resent may have landed from either run, as may a row that a person settled, so their origin is not compared
 */
export const makeSettling = <S>(
  rows: ReadonlyArray<DoubtfulRow>,
  likenessOf: (item: Item, sentAt: number | undefined) => (submission: S) => Likeness,
  landedByWord: ReadonlyArray<Item>,
  origin: { readonly all: ReadonlySet<string>; readonly unseen: ReadonlySet<string> },
): Settling<S> => {
  const groups = new Map<string, Group<S>>()
  const groupOf = (key: string, item: Item | undefined): Group<S> => {
    const group = groups.get(key)
      ?? { item, rows: [], landedByWord: 0, likeness: undefined, fits: [], resembling: 0, example: undefined }
    groups.set(key, group)
    return group
  }
  for (const row of rows) {
    const item = row.item && withoutParameters(row.item, row.resent ? origin.all : origin.unseen)
    const key = item === undefined ? `row ${row.keyDigest.toString("hex")}` : canonicalJson(item)
    groupOf(key, item).rows.push(row)
  }
  if (rows.length > 0) {
    for (const one of landedByWord) {
      const item = withoutParameters(one, origin.all)
      groupOf(canonicalJson(item), item).landedByWord++
    }
  }
  for (const group of groups.values()) group.likeness = group.item && likenessOf(group.item, sentFrom(group))
  const candidates = new Map<string, Candidate<S>>()

  const resembled = ({ group, ...example }: Resemblance<S>): void => {
    group.resembling++
    group.example ??= example
  }

  return {
    offer: (id, submission, owner = "none") => {
      // A submission that occurs twice counts once.
      if (owner === "certain" || candidates.has(id)) return
      const fits: Array<Group<S>> = []
      const resembles: Array<Resemblance<S>> = []
      for (const group of groups.values()) {
        const likeness = group.likeness?.(submission) ?? "no"
        if (owner === "unproven") {
          if (likeness !== "no" && likeness !== "resembles") resembled({ id, group, likeness: "unproven" })
        } else if (likeness === "fits") fits.push(group)
        else if (likeness !== "no") resembles.push({ id, group, likeness })
      }
      if (fits.length === 0) {
        for (const one of resembles) resembled(one)
        return
      }
      const candidate = { id, fits, resembles }
      candidates.set(id, candidate)
      for (const group of fits) group.fits.push(candidate)
    },
    decide: (facts) => {
      const words = wordsOf[facts._tag]
      const decided = [...groups.values()].map((group) => ({ group, found: found(group, words) }))
      const used = new Set(
        decided.flatMap(({ found }) => (found._tag === "Landed" ? [...found.ids, ...found.taken] : [])),
      )
      for (const { id, resembles } of candidates.values()) {
        if (!used.has(id)) { for (const one of resembles) resembled(one) }
      }
      const settled: Array<Settled["settled"][number]> = []
      const open: Array<OpenRow> = []
      const missing: Array<{ readonly row: DoubtfulRow; readonly group: Group<S> }> = []
      for (const { group, found } of decided) {
        if (found._tag === "Unclear") {
          for (const row of group.rows) open.push({ row, reason: found.reason, wants: "a person" })
          continue
        }
        group.rows.forEach((row, at) => {
          const submissionId = found.ids[at]
          if (submissionId !== undefined) {
            const reason = `submission ${submissionId} of ${words} belongs to this row`
            const outcome = { _tag: "Landed", submissionId } as const
            settled.push({ row, as: { keyDigest: row.keyDigest, outcome, reason, proof: "found" } })
            return
          }
          missing.push({ row, group })
        })
      }
      // Rows that were found now also prove that the export goes back to their batch, as known submissions do.
      const foundFrom = settled.map(({ row }) => row.closed)
      for (const { group, row } of missing) {
        const shown = absence(row, group, facts, foundFrom)
        if ("wants" in shown) open.push({ row, ...shown })
        else settled.push({ row, as: { keyDigest: row.keyDigest, outcome: { _tag: "NotLanded" }, ...shown } })
      }
      return { settled, open }
    },
  }
}

/** Returns when the first row of a group was sent, in milliseconds. Undefined if some row was also sent earlier, or is settled. */
const sentFrom = ({ rows, landedByWord }: Group<never>): number | undefined =>
  landedByWord > 0 || rows.some((row) => row.resent || row.first !== row.batch)
    ? undefined
    : rows.reduce((earliest, { sentAt }) => Math.min(earliest, Date.parse(sentAt)), Infinity)

type Found =
  /** `taken` lists the submissions of rows that a person said had landed. */
  | { readonly _tag: "Landed"; readonly ids: ReadonlyArray<string>; readonly taken: ReadonlyArray<string> }
  | { readonly _tag: "Unclear"; readonly reason: string }

/** Returns the submissions that belong to the rows of a group, at most one for each row. */
const found = (group: Group<never>, words: string): Found => {
  if (group.likeness === undefined) {
    return { _tag: "Unclear", reason: "what was sent for it is no longer known, so its submission can't be found" }
  }
  const shared = group.fits.find((candidate) => candidate.fits.length > 1)
  if (shared !== undefined) {
    const which = shared.fits.every(({ rows }) => rows.length > 0)
      ? "other rows in doubt"
      : "a row that a person said had landed"
    return { _tag: "Unclear", reason: `submission ${shared.id} of ${words} fits ${which} as well` }
  }
  const taken = group.fits.slice(0, group.landedByWord).map(({ id }) => id)
  const { length } = group.fits
  if (length > group.rows.length + group.landedByWord) {
    const ids = firstOf(group.fits.map(({ id }) => id), 3)
    const which = group.rows.length === 1 ? "it" : `the ${group.rows.length} identical rows`
    const more = group.landedByWord === 0
      ? ""
      : `, and ${counted(group.landedByWord, "more row")} that a person said had landed`
    const twice = group.rows.some((row) => row.resent) ? " It was sent twice and may have landed twice." : ""
    return {
      _tag: "Unclear",
      reason: `${length} submissions in ${words} fit ${which}${more}: ${ids}.${twice}`.replace(/\.$/, ""),
    }
  }
  return { _tag: "Landed", ids: group.fits.slice(group.landedByWord).map(({ id }) => id), taken }
}
