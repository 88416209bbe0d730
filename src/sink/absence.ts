import type { Wanted } from "../domain/settled.ts"
import { isoOf } from "../domain/times.ts"
import { counted } from "../domain/words.ts"
import type { Evidence, SettledRow } from "../ledger/evidence.ts"
import type { DoubtfulRow } from "../ledger/pages.ts"
import type { Likeness } from "./likeness.ts"

/** Facts about an export or a list that was read to its end. They decide whether the absence of a row proves anything. */
interface Facts {
  /** Submissions that the ledger knows and the export or the list should contain, but does not: their number and an example. */
  readonly lacking: { readonly count: number; readonly example: string | undefined }
  /** Number of submissions that could not be read or have no submission id. */
  readonly unreadable: number
  readonly evidenceOf: (row: DoubtfulRow) => Evidence
  /** Milliseconds: when the export was read, or when the list began. */
  readonly now: number
}

/** Facts about a list of the form's submissions that the service returned page by page. */
export interface ListFacts extends Facts {
  readonly _tag: "List"
  /** Why nothing proves that the list shows every submission. Undefined if it certainly does. */
  readonly gap: string | undefined
  /** The number of submissions of the list. */
  readonly submissions: number
}

/** Facts about an export of the form's results. */
export interface ExportFacts extends Facts {
  readonly _tag: "Export"
  /** Whether the export lists the submissions that the ledger knows in order of creation or submission time, ascending or descending. */
  readonly isInOrder: boolean
  /** Whether a person confirms that the export is complete. */
  readonly isComplete: boolean
  /**
   * The earliest and the latest time of the submissions that the export should contain, in milliseconds since 1970. Undefined if the pipeline sends
   * no times, and no row in doubt was sent with one.
   */
  readonly times: { readonly earliest: number; readonly latest: number } | undefined
}

/** A row that remains in doubt, and the reason. */
export interface OpenRow {
  readonly row: DoubtfulRow
  readonly reason: string
  readonly wants: Wanted
}

/** A submission that resembles a row without fitting it. */
export interface Example {
  readonly id: string
  readonly likeness: Exclude<Likeness, "fits" | "no"> | "unproven"
}

/** What was found for rows with the same item, apart from submissions that fit it. */
export interface Resembled {
  /** How many such rows a person settled as landed. Their submissions exist, but it is unknown which ones they are. */
  landedByWord: number
  /** How many submissions resemble the item and fit no other row, and an example. */
  resembling: number
  example: Example | undefined
}

/** How a submission resembles a row, in messages. */
const likenessWords: { readonly [L in Example["likeness"]]: string } = {
  resembles: "some answers are the same, others are not or can't be read",
  older: "it has the same answers, but is more than 24 hours older than the row's request",
  sameAnswers:
    "it has the same answers, but something else is different, such as its submission time or the run that sent it",
  unproven:
    "it has the same answers, but the service returned its id for another row, whose submission is not verified",
}

/** The names of the evidence in messages. */
export const wordsOf = { Export: "the export", List: "the form's list" } as const

/**
 * Returns whether a row has not landed, if no submission of the export fits it. A cut or filtered export must not prove that. So the export must
 * contain all submissions that the ledger knows. They must be in an order in which a cut would also remove known submissions, and some must be older
 * and some newer than the row.
 *
 * @param foundFrom for each row that was found now, the highest batch number when its request ended
 */
export const absence = (
  row: DoubtfulRow,
  group: Resembled & { readonly fits: ReadonlyArray<unknown> },
  facts: ExportFacts | ListFacts,
  foundFrom: ReadonlyArray<number | undefined>,
): Absence => {
  const { lacking, now, unreadable } = facts
  const words = wordsOf[facts._tag]
  const wantsAnother = facts._tag === "Export" ? "another export" : "another list"
  const { example } = group
  const evidence = facts.evidenceOf(row)
  const { visibleFrom } = evidence
  const isEarly = visibleFrom !== undefined && now < visibleFrom
  // The row's own submission may still become visible if the submission that resembles it is really another row's.
  if (example !== undefined && !(isEarly && example.likeness === "unproven")) {
    const others = group.resembling === 1 ? "" : ` (as do ${group.resembling - 1} more)`
    return open(
      "a person",
      `submission ${example.id} of ${words} resembles it${others}: ${likenessWords[example.likeness]}`,
    )
  }
  if (group.fits.length < group.landedByWord) {
    return open(
      wantsAnother,
      `${words} is not complete: a person said that ${
        counted(group.landedByWord, "identical row")
      } had landed, but it contains ${group.fits.length}`,
    )
  }
  if (unreadable > 0) {
    const what = facts._tag === "Export" ? "line" : "submission"
    return open(
      wantsAnother,
      `${counted(unreadable, what)} of ${words} can't be read or ${
        unreadable === 1 ? "has" : "have"
      } no submission id, and may belong to this row`,
    )
  }
  if (lacking.count > 0) {
    return open(
      wantsAnother,
      `${words} is not complete: it lacks ${lacking.count} of the submissions in the ledger, such as ${lacking.example}`,
    )
  }
  if (visibleFrom === undefined) {
    return open("a person", "the run that sent it lost its lock and is not known to have ended, so it may still send")
  }
  if (isEarly) {
    return open("time", `its submission might not be visible before ${isoOf(visibleFrom)}`)
  }
  return facts._tag === "List"
    ? absenceInList(facts, evidence)
    : absenceInExport(row, facts, evidence, visibleFrom, foundFrom)
}

type Absence = Pick<SettledRow, "reason" | "proof"> | Pick<OpenRow, "reason" | "wants">

const open = (wants: OpenRow["wants"], reason: string): Absence => ({ reason, wants })
const proven = (proof: SettledRow["proof"], reason: string): Absence => ({ reason, proof })

/**
 * Returns whether a row has not landed, if the list was made late enough and does not show it. The list counts as a test entry: it was made after the
 * row's submission had to be visible, if no clock was set back meanwhile.
 */
const absenceInList = ({ gap, submissions }: ListFacts, { testEntry }: Evidence): Absence => {
  if (gap !== undefined) return open("another list", gap)
  if (testEntry === undefined) {
    return open("a person", "the clock was set back after the row was sent, so it is unknown how long ago that was")
  }
  return proven(
    "list",
    `the form's list, read twice, shows all of the form's ${
      counted(submissions, "submission")
    }, and none belongs to this row`,
  )
}

/** Returns whether a row has not landed, if the export has all known submissions and was read late enough. */
const absenceInExport = (
  row: DoubtfulRow,
  facts: ExportFacts,
  { before, hasClockGoneBack, testEntry, witness }: Evidence,
  visibleFrom: number,
  foundFrom: ReadonlyArray<number | undefined>,
): Absence => {
  const { times } = facts
  const none = "no submission of the export belongs to this row"
  if (facts.isComplete) {
    return proven("complete", `${none}, and a person confirms that the export is complete`)
  }
  if (!facts.isInOrder) {
    return open("a vouched export", "the export is not sorted by time, so the row might be in a part that is missing")
  }
  if (before === undefined && !foundFrom.some((closed) => closed !== undefined && closed < row.first)) {
    return open(
      "a vouched export",
      "nothing in the export is known to be older than the row, so an export that begins later would look the same",
    )
  }
  if (times !== undefined) {
    const time = row.item?.submissionTime === undefined ? NaN : Date.parse(row.item.submissionTime)
    const latest = Math.max(times.latest, testEntry?.at ?? -Infinity)
    if (!(times.earliest < time && time < latest)) {
      return open(
        "a vouched export",
        "the row's submission time is not between those of known submissions, so an export of only some days would look the same",
      )
    }
  }
  if (witness !== undefined) {
    const { batch, submissionId } = witness
    return proven(
      "witness",
      `${none}, although it contains submission ${submissionId} of batch ${batch}, which was sent later`,
    )
  }
  if (testEntry !== undefined) {
    return proven("test entry", `${none}, although it contains the test entry ${testEntry.text}, which was made later`)
  }
  return hasClockGoneBack
    ? open(
      "a vouched export",
      "the clock was set back after the row was sent, so later submissions can't be distinguished from earlier ones",
    )
    : open(
      "a witness",
      `nothing in the export is known to be later than ${
        isoOf(visibleFrom)
      }, so the export may be too early or incomplete`,
    )
}
