import { canonicalJson } from "../domain/canonical.ts"
import type { Item } from "../domain/item.ts"
import type { Cells } from "../domain/row.ts"
import type { DoubtfulRow, SettledRow } from "../ledger/Ledger.ts"
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

/** @param likenessOf makes an item ready to be looked for */
export const makeSettling = (
  rows: ReadonlyArray<DoubtfulRow>,
  likenessOf: (item: Item) => (cells: Cells) => Likeness,
): Settling => {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const key = row.item === undefined ? `row ${row.keyDigest.toString("hex")}` : canonicalJson(row.item)
    const group = groups.get(key) ?? {
      rows: [],
      likeness: row.item === undefined ? undefined : likenessOf(row.item),
      fits: [],
      resembling: 0,
      example: undefined,
    }
    group.rows.push(row)
    groups.set(key, group)
  }
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
      const used = new Set(decided.flatMap(({ found }) => (found._tag === "Landed" ? found.ids : [])))
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
  | { readonly _tag: "Landed"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Unclear"; readonly reason: string }

/** Which submissions the rows of a group became; ids none, one, or as many as there are rows at most. */
const found = (group: Group): Found => {
  if (group.likeness === undefined) {
    return { _tag: "Unclear", reason: "what was sent for it is not known any more, so that it can't be looked for" }
  }
  const shared = group.fits.find((candidate) => candidate.fits.length > 1)
  if (shared !== undefined) {
    return { _tag: "Unclear", reason: `submission ${shared.id} of the export fits other rows in doubt as well` }
  }
  const { length } = group.fits
  if (length > group.rows.length) {
    const ids = group.fits.slice(0, 3).map(({ id }) => id).join(", ")
    const which = group.rows.length === 1 ? "it" : `the ${group.rows.length} rows that are alike`
    const twice = group.rows.some((row) => row.resent) ? " It was sent twice and may have landed twice." : ""
    return {
      _tag: "Unclear",
      reason: `${length} submissions of the export fit ${which}: ${ids}${length > 3 ? ", …" : ""}.${twice}`.replace(
        /\.$/,
        "",
      ),
    }
  }
  return { _tag: "Landed", ids: group.fits.map(({ id }) => id) }
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
  if (lacking.count > 0) {
    return {
      reason:
        `the export is not complete: it lacks ${lacking.count} of the submissions that the ledger knows, such as ${lacking.example}`,
      wants: "another export",
    }
  }
  return undefined
}
