import { canonicalJson } from "../domain/canonical.ts"
import type { Item } from "../domain/item.ts"
import type { Cells } from "../domain/row.ts"
import type { DoubtfulRow, SettledRow } from "../ledger/records.ts"
import type { Likeness } from "./settleFit.ts"

/** What an export can prove about rows that did not land. */
export interface ExportStanding {
  /** Submissions that the ledger knows for the pipeline and the export does not hold: how many, and one of them. */
  readonly lacking: { readonly count: number; readonly example: string | undefined }
  /** When the export was made, and how long a submission may take to be seen: milliseconds. */
  readonly exportedAt: number
  readonly visibleWithin: number
  /** For people: a time of these milliseconds. */
  readonly shown: (millis: number) => string
}

/** A row that stays in doubt, and why. */
export interface OpenRow {
  readonly row: DoubtfulRow
  readonly reason: string
  /** Whether a later or more complete export may tell. */
  readonly wants: "another export" | "a person"
}

export interface Settled {
  readonly settled: ReadonlyArray<{ readonly row: DoubtfulRow; readonly as: SettledRow }>
  readonly open: ReadonlyArray<OpenRow>
}

/** Rows with one and the same item: which is which does not matter. */
interface Group {
  readonly rows: Array<DoubtfulRow>
  /** Such rows that landed by a person's word: so many submissions are theirs, nobody knows which. */
  spoken: number
  readonly likeness: ((cells: Cells) => Likeness) | undefined
  /** Submissions that are such an item. */
  readonly fits: Array<Candidate>
  /** Submissions that may be one, and that fit no other row: how many, and one of them. */
  resembling: number
  example: string | undefined
}

interface Candidate {
  readonly id: string
  readonly fits: ReadonlyArray<Group>
  readonly resembles: ReadonlyArray<Group>
}

/**
 * Looks rows in doubt up among the submissions of an export that no row of the ledger is known to be (product.md, "Settling what is in doubt"). Memory grows with the
 * rows in doubt and the submissions that fit them, not with the export.
 */
export interface Settling {
  /** A submission of the export that the ledger does not know. */
  readonly offer: (id: string, cells: Cells) => void
  /** What became of each row, once the whole export was offered. */
  readonly decide: (standing: ExportStanding) => Settled
}

/**
 * @param likenessOf makes an item ready to be looked for
 * @param spoken items of rows that landed by a person's word: what they became stands in the export and is no row in doubt
 */
export const makeSettling = (
  rows: ReadonlyArray<DoubtfulRow>,
  likenessOf: (item: Item) => (cells: Cells) => Likeness,
  spoken: ReadonlyArray<Item> = [],
): Settling => {
  const groups = new Map<string, Group>()
  const groupOf = (key: string, item: Item | undefined): Group => {
    const likeness = item === undefined ? undefined : likenessOf(item)
    const group = groups.get(key) ?? { rows: [], spoken: 0, likeness, fits: [], resembling: 0, example: undefined }
    groups.set(key, group)
    return group
  }
  for (const row of rows) {
    const key = row.item === undefined ? `row ${row.keyDigest.toString("hex")}` : canonicalJson(row.item)
    groupOf(key, row.item).rows.push(row)
  }
  if (rows.length > 0) { for (const item of spoken) groupOf(canonicalJson(item), item).spoken++ }
  const candidates = new Map<string, Candidate>()

  const resembled = (group: Group, id: string): void => {
    group.resembling++
    group.example ??= id
  }

  return {
    offer: (id, cells) => {
      // One submission on two lines of the export is still one.
      if (candidates.has(id)) return
      const fits: Array<Group> = []
      const resembles: Array<Group> = []
      for (const group of groups.values()) {
        const likeness = group.likeness?.(cells) ?? "no"
        if (likeness === "fits") fits.push(group)
        else if (likeness === "resembles") resembles.push(group)
      }
      if (fits.length === 0) {
        for (const group of resembles) resembled(group, id)
        return
      }
      const candidate = { id, fits, resembles }
      candidates.set(id, candidate)
      for (const group of fits) group.fits.push(candidate)
    },
    decide: (standing) => {
      const decided = [...groups.values()].map((group) => ({ group, found: found(group) }))
      const used = new Set(
        decided.flatMap(({ found }) => (found._tag === "Landed" ? [...found.ids, ...found.taken] : [])),
      )
      for (const { id, resembles } of candidates.values()) {
        if (!used.has(id)) { for (const group of resembles) resembled(group, id) }
      }
      const settled: Array<Settled["settled"][number]> = []
      const open: Array<OpenRow> = []
      for (const { group, found } of decided) {
        if (found._tag === "Unclear") {
          for (const row of group.rows) open.push({ row, reason: found.reason, wants: "a person" })
          continue
        }
        group.rows.forEach((row, at) => {
          const submissionId = found.ids[at]
          if (submissionId !== undefined) {
            const reason = `submission ${submissionId} of the export is this row`
            const outcome = { _tag: "Landed", submissionId } as const
            settled.push({ row, as: { keyDigest: row.keyDigest, outcome, reason } })
            return
          }
          const why = unproven(row, group, standing)
          if (why !== undefined) open.push({ row, ...why })
          else {
            const reason = "no submission of the export is this row, and the export is complete and late enough"
            settled.push({ row, as: { keyDigest: row.keyDigest, outcome: { _tag: "NotLanded" }, reason } })
          }
        })
      }
      return { settled, open }
    },
  }
}

type Found =
  /** taken: those of rows that landed by a person's word. */
  | { readonly _tag: "Landed"; readonly ids: ReadonlyArray<string>; readonly taken: ReadonlyArray<string> }
  | { readonly _tag: "Unclear"; readonly reason: string }

/** Which submissions the rows of a group became; ids none, one, or as many as there are rows at most. */
const found = (group: Group): Found => {
  if (group.likeness === undefined) {
    return { _tag: "Unclear", reason: "what was sent for it is not known any more, so that it can't be looked for" }
  }
  const shared = group.fits.find((candidate) => candidate.fits.length > 1)
  if (shared !== undefined) {
    const which = shared.fits.every(({ rows }) => rows.length > 0)
      ? "other rows in doubt"
      : "a row that landed by somebody's word"
    return { _tag: "Unclear", reason: `submission ${shared.id} of the export fits ${which} as well` }
  }
  const taken = group.fits.slice(0, group.spoken).map(({ id }) => id)
  const { length } = group.fits
  if (length > group.rows.length + group.spoken) {
    const ids = group.fits.slice(0, 3).map(({ id }) => id).join(", ")
    const which = group.rows.length === 1 ? "it" : `the ${group.rows.length} rows that are alike`
    const spoken = group.spoken === 0 ? "" : `, and ${group.spoken} that landed by somebody's word`
    const twice = group.rows.some((row) => row.resent) ? " It was sent twice and may have landed twice." : ""
    return {
      _tag: "Unclear",
      reason: `${length} submissions of the export fit ${which}${spoken}: ${ids}${length > 3 ? ", …" : ""}.${twice}`
        .replace(
          /\.$/,
          "",
        ),
    }
  }
  return { _tag: "Landed", ids: group.fits.slice(group.spoken).map(({ id }) => id), taken }
}

/** Why it can't be said that a row did not land though nothing in the export fits it; undefined: it can. */
const unproven = (
  row: DoubtfulRow,
  group: Group,
  { exportedAt, lacking, shown, visibleWithin }: ExportStanding,
): Pick<OpenRow, "reason" | "wants"> | undefined => {
  if (group.resembling > 0) {
    const others = group.resembling === 1 ? "" : ` (as do ${group.resembling - 1} more)`
    return {
      reason:
        `submission ${group.example} of the export resembles it${others}: some answers are the same, others are not or can't be read`,
      wants: "a person",
    }
  }
  const from = Date.parse(row.since) + visibleWithin
  if (exportedAt < from) {
    return {
      reason: `the export was made at ${shown(exportedAt)}, and the submission may not have been seen before ${
        shown(from)
      }`,
      wants: "another export",
    }
  }
  if (group.fits.length < group.spoken) {
    return {
      reason:
        `the export is not complete: ${group.spoken} such rows landed by somebody's word, and it holds ${group.fits.length}`,
      wants: "another export",
    }
  }
  if (lacking.count > 0) {
    return {
      reason:
        `the export is not complete: it lacks ${lacking.count} of the submissions that the ledger knows, such as ${lacking.example}`,
      wants: "another export",
    }
  }
  return undefined
}
