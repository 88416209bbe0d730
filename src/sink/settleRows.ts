import { type Item, withoutParameters } from "../domain/item.ts"
import { canonicalJson } from "../domain/json.ts"
import { counted } from "../domain/words.ts"
import type { Evidence, SettledRow } from "../ledger/evidence.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import type { Likeness } from "./settleFit.ts"

/** Facts about an export or a list that was read to its end. They decide whether the absence of a row proves anything. */
interface Standing {
  /** Submissions that the ledger knows and the export or the list should contain, but does not: their number and an example. */
  readonly lacking: { readonly count: number; readonly example: string | undefined }
  /** Number of submissions that could not be read or have no submission id. */
  readonly unreadable: number
  readonly evidenceOf: (row: DoubtfulRow) => Evidence
  /** Milliseconds: when the export was read, or when the list began. */
  readonly now: number
  /** Returns a time in milliseconds since 1970 as a message shows it. */
  readonly shown: (millis: number) => string
}

/** Facts about a list of the form's submissions that the service returned page by page. */
export interface ListStanding extends Standing {
  readonly _tag: "List"
  /** Why nothing proves that the list shows every submission. Undefined if it certainly does. */
  readonly gap: string | undefined
  /** The number of submissions of the list. */
  readonly submissions: number
}

/** Facts about an export of the form's results. */
export interface ExportStanding extends Standing {
  readonly _tag: "Export"
  /** Whether the export lists the submissions that the ledger knows in order of creation or submission time, ascending or descending. */
  readonly isInOrder: boolean
  /** Whether a person vouches that the export is complete. */
  readonly isComplete: boolean
  /**
   * The earliest and the latest time of the submissions that the export should contain, in milliseconds since 1970. Undefined if the pipeline sends
   * no times.
   */
  readonly times: { readonly earliest: number; readonly latest: number } | undefined
}

/** A row that remains in doubt, and the reason. */
export interface OpenRow {
  readonly row: DoubtfulRow
  readonly reason: string
  /**
   * What may settle the row: time, a different export or list, a later submission such as a test entry, a person who vouches for the export, or only
   * a person who looks at the row.
   */
  readonly wants: "time" | "another export" | "another list" | "a witness" | "a vouched export" | "a person"
}

export interface Settled {
  readonly settled: ReadonlyArray<{ readonly row: DoubtfulRow; readonly as: SettledRow }>
  readonly open: ReadonlyArray<OpenRow>
}

/** Rows with the same item, which are interchangeable. `S` is a submission. */
interface Group<S> {
  readonly item: Item | undefined
  readonly rows: Array<DoubtfulRow>
  /** How many such rows a person settled as landed. Their submissions exist, but it is unknown which ones they are. */
  spoken: number
  /** Undefined if the item is no longer known. */
  likeness: ((submission: S) => Likeness) | undefined
  /** Submissions that fit the item. */
  readonly fits: Array<Candidate<S>>
  /** How many submissions resemble the item and fit no other row, and an example. */
  resembling: number
  example: Pick<Resemblance<S>, "id" | "likeness"> | undefined
}

interface Candidate<S> {
  readonly id: string
  readonly fits: ReadonlyArray<Group<S>>
  readonly resembles: ReadonlyArray<Resemblance<S>>
}

/** A submission that resembles the item of a group. */
interface Resemblance<S> {
  readonly id: string
  readonly group: Group<S>
  readonly likeness: Exclude<Likeness, "fits" | "no">
}

/**
 * Looks for rows in doubt among those submissions of an export or a list that the ledger does not know. Memory use grows with the number of rows in
 * doubt and of submissions that fit them, not with the number of submissions.
 */
export interface Settling<S> {
  /** Adds a submission that the ledger does not know. */
  readonly offer: (id: string, submission: S) => void
  /** Returns the outcome of each row. Call it after all submissions were added. */
  readonly decide: (standing: ExportStanding | ListStanding) => Settled
}

const none: ReadonlySet<string> = new Set()

/** How a submission resembles a row, in messages. */
const likenessWords: { readonly [L in Resemblance<never>["likeness"]]: string } = {
  resembles: "some answers are the same, others are not or can't be read",
  older: "it has the same answers, but is more than 24 hours older than the row's request",
  sameAnswers:
    "it has the same answers, but something else is different, such as its submission time or the run that sent it",
}

/** The names of the evidence in messages. */
const wordsOf = { Export: "the export", List: "the form's list" } as const

/**
 * @param likenessOf returns a function that compares an item with a submission. `sentAt`: when the item was first sent, in milliseconds. Undefined if
 *   that is unknown
 * @param spoken items of rows that a person said had landed. Their submissions exist, but belong to no row in doubt
 * @param origin ids of the URL parameters with the run's id and the pipeline's name. `unseen`: those of them that submissions may lack. A row that was
 *   resent may have landed from either run, as may a row that a person settled, so their origin is not compared
 */
export const makeSettling = <S>(
  rows: ReadonlyArray<DoubtfulRow>,
  likenessOf: (item: Item, sentAt: number | undefined) => (submission: S) => Likeness,
  spoken: ReadonlyArray<Item> = [],
  origin: { readonly all: ReadonlySet<string>; readonly unseen: ReadonlySet<string> } = { all: none, unseen: none },
): Settling<S> => {
  const groups = new Map<string, Group<S>>()
  const groupOf = (key: string, item: Item | undefined): Group<S> => {
    const group = groups.get(key)
      ?? {
        item,
        rows: [],
        spoken: 0,
        likeness: undefined,
        fits: [],
        resembling: 0,
        example: undefined,
      }
    groups.set(key, group)
    return group
  }
  for (const row of rows) {
    const item = row.item && withoutParameters(row.item, row.resent ? origin.all : origin.unseen)
    const key = item === undefined ? `row ${row.keyDigest.toString("hex")}` : canonicalJson(item)
    groupOf(key, item).rows.push(row)
  }
  if (rows.length > 0) {
    for (const one of spoken) {
      const item = withoutParameters(one, origin.all)
      groupOf(canonicalJson(item), item).spoken++
    }
  }
  for (const group of groups.values()) group.likeness = group.item && likenessOf(group.item, sentFrom(group))
  const candidates = new Map<string, Candidate<S>>()

  const resembled = ({ group, ...example }: Resemblance<S>): void => {
    group.resembling++
    group.example ??= example
  }

  return {
    offer: (id, submission) => {
      // A submission that occurs twice counts once.
      if (candidates.has(id)) return
      const fits: Array<Group<S>> = []
      const resembles: Array<Resemblance<S>> = []
      for (const group of groups.values()) {
        const likeness = group.likeness?.(submission) ?? "no"
        if (likeness === "fits") fits.push(group)
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
    decide: (standing) => {
      const words = wordsOf[standing._tag]
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
        const shown = absence(row, group, standing, foundFrom)
        if ("wants" in shown) open.push({ row, ...shown })
        else settled.push({ row, as: { keyDigest: row.keyDigest, outcome: { _tag: "NotLanded" }, ...shown } })
      }
      return { settled, open }
    },
  }
}

/** Returns when the first row of a group was sent, in milliseconds. Undefined if some row was also sent earlier, or is settled. */
const sentFrom = ({ rows, spoken }: Group<never>): number | undefined =>
  spoken > 0 || rows.some((row) => row.resent || row.first !== row.batch)
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
  const taken = group.fits.slice(0, group.spoken).map(({ id }) => id)
  const { length } = group.fits
  if (length > group.rows.length + group.spoken) {
    const ids = group.fits.slice(0, 3).map(({ id }) => id).join(", ")
    const which = group.rows.length === 1 ? "it" : `the ${group.rows.length} identical rows`
    const spoken = group.spoken === 0 ? "" : `, and ${counted(group.spoken, "more row")} that a person said had landed`
    const twice = group.rows.some((row) => row.resent) ? " It was sent twice and may have landed twice." : ""
    return {
      _tag: "Unclear",
      reason: `${length} submissions of ${words} fit ${which}${spoken}: ${ids}${length > 3 ? ", …" : ""}.${twice}`
        .replace(
          /\.$/,
          "",
        ),
    }
  }
  return { _tag: "Landed", ids: group.fits.slice(group.spoken).map(({ id }) => id), taken }
}

/**
 * Returns whether a row has not landed, if no submission of the export fits it. A cut or filtered export must not prove that. So the export must
 * contain all submissions that the ledger knows. They must be in an order in which a cut would also remove known submissions, and some must be older
 * and some newer than the row.
 *
 * @param foundFrom for each row that was found now, the highest batch number when its request ended
 */
const absence = (
  row: DoubtfulRow,
  group: Group<never>,
  standing: ExportStanding | ListStanding,
  foundFrom: ReadonlyArray<number | undefined>,
): Absence => {
  const { lacking, now, shown, unreadable } = standing
  const words = wordsOf[standing._tag]
  const wantsAnother = standing._tag === "Export" ? "another export" : "another list"
  const { example } = group
  if (example !== undefined) {
    const others = group.resembling === 1 ? "" : ` (as do ${group.resembling - 1} more)`
    return {
      reason: `submission ${example.id} of ${words} resembles it${others}: ${likenessWords[example.likeness]}`,
      wants: "a person",
    }
  }
  if (group.fits.length < group.spoken) {
    return {
      reason: `${words} is not complete: a person said that ${
        counted(group.spoken, "identical row")
      } had landed, but it contains ${group.fits.length}`,
      wants: wantsAnother,
    }
  }
  if (unreadable > 0) {
    const what = standing._tag === "Export" ? "line" : "submission"
    return {
      reason: `${counted(unreadable, what)} of ${words} can't be read or ${
        unreadable === 1 ? "has" : "have"
      } no submission id, and may belong to this row`,
      wants: wantsAnother,
    }
  }
  if (lacking.count > 0) {
    return {
      reason:
        `${words} is not complete: it lacks ${lacking.count} of the submissions in the ledger, such as ${lacking.example}`,
      wants: wantsAnother,
    }
  }
  const evidence = standing.evidenceOf(row)
  const { visibleFrom } = evidence
  if (visibleFrom === undefined) {
    return {
      reason: "the run that sent it lost its lock and is not known to have ended, so it may still send",
      wants: "a person",
    }
  }
  if (now < visibleFrom) {
    return { reason: `its submission might not be visible before ${shown(visibleFrom)}`, wants: "time" }
  }
  return standing._tag === "List"
    ? absenceInList(standing, evidence)
    : absenceInExport(row, standing, evidence, visibleFrom, foundFrom)
}

type Absence = Pick<SettledRow, "reason" | "proof"> | Pick<OpenRow, "reason" | "wants">

/**
 * Returns whether a row has not landed, if the list was made late enough and does not show it. The list counts as a test entry: it was made after the
 * row's submission had to be visible, if no clock was set back meanwhile.
 */
const absenceInList = ({ gap, submissions }: ListStanding, { testEntry }: Evidence): Absence => {
  if (gap !== undefined) return { reason: gap, wants: "another list" }
  if (testEntry === undefined) {
    return {
      reason: "the clock was set back after the row was sent, so it is unknown how long ago that was",
      wants: "a person",
    }
  }
  return {
    reason: `the form's list, read twice, shows all of the form's ${
      counted(submissions, "submission")
    }, and none belongs to this row`,
    proof: "list",
  }
}

/** Returns whether a row has not landed, if the export has all known submissions and was read late enough. */
const absenceInExport = (
  row: DoubtfulRow,
  standing: ExportStanding,
  { before, hasClockGoneBack, testEntry, witness }: Evidence,
  visibleFrom: number,
  foundFrom: ReadonlyArray<number | undefined>,
): Absence => {
  const { shown, times } = standing
  const none = "no submission of the export belongs to this row"
  if (standing.isComplete) {
    return { reason: `${none}, and a person vouches that the export is complete`, proof: "complete" }
  }
  if (!standing.isInOrder) {
    return {
      reason: "the export is not sorted by time, so the row might be in a part that is missing",
      wants: "a vouched export",
    }
  }
  if (before === undefined && !foundFrom.some((closed) => closed !== undefined && closed < row.first)) {
    return {
      reason:
        "nothing in the export is known to be older than the row, so an export that begins later would look the same",
      wants: "a vouched export",
    }
  }
  if (times !== undefined) {
    const time = row.item?.submissionTime === undefined ? NaN : Date.parse(row.item.submissionTime)
    const latest = Math.max(times.latest, testEntry?.at ?? -Infinity)
    if (!(times.earliest < time && time < latest)) {
      return {
        reason:
          "the row's submission time is not between those of known submissions, so an export of only some days would look the same",
        wants: "a vouched export",
      }
    }
  }
  if (witness !== undefined) {
    const { batch, submissionId } = witness
    return {
      reason: `${none}, although it contains submission ${submissionId} of batch ${batch}, which was sent later`,
      proof: "witness",
    }
  }
  if (testEntry !== undefined) {
    return {
      reason: `${none}, although it contains the test entry ${testEntry.text}, which was made later`,
      proof: "test entry",
    }
  }
  return hasClockGoneBack
    ? {
      reason:
        "the clock was set back after the row was sent, so later submissions can't be distinguished from earlier ones",
      wants: "a vouched export",
    }
    : {
      reason: `nothing in the export is known to be later than ${
        shown(visibleFrom)
      }, so the export may be too early or incomplete`,
      wants: "a witness",
    }
}

/** Whether time spans come in ascending or in descending order. Spans that overlap may be in any order. */
export class ExportOrder {
  private rises = true
  private falls = true
  private latestStart = -Infinity
  private earliestEnd = Infinity

  see(start: number, end: number): void {
    if (this.latestStart > end) this.rises = false
    if (this.earliestEnd < start) this.falls = false
    this.latestStart = Math.max(this.latestStart, start)
    this.earliestEnd = Math.min(this.earliestEnd, end)
  }

  get isSorted(): boolean {
    return this.rises || this.falls
  }
}

/** A list of numbers that grows as needed and takes 8 bytes per element. NaN if an element was not set. */
export class Numbers {
  private values = new Float64Array(1024).fill(NaN)

  set(at: number, value: number): void {
    if (at >= this.values.length) {
      const grown = new Float64Array(Math.max(at + 1, this.values.length * 2)).fill(NaN)
      grown.set(this.values)
      this.values = grown
    }
    this.values[at] = value
  }

  get(at: number): number {
    return this.values[at] ?? NaN
  }
}
