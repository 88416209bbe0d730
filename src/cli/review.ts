import * as Effect from "effect/Effect"
import { calledName, optionNamer, optionTitle, type Question } from "../domain/form.ts"
import { visible } from "../domain/visible.ts"
import { count, counted } from "../domain/words.ts"
import { columnsTyped, openReview, type Review, type ReviewItem, type ReviewOptions } from "../jobs/review.ts"
import { type OpenChoice, type ReviewCandidate, type ReviewedEntry, settingFault } from "../jobs/reviewedEntry.ts"
import { scored } from "../project/pipelineEdits.ts"
import { samplesOf } from "../suggest/draft/draftPipeline.ts"
import { indexOptions, isShared } from "../suggest/optionIndex.ts"
import { columnsOf, type Origin } from "../suggest/Suggestion.ts"
import { ask, choose, say, unless } from "./terminal/prompt.ts"
import { cutToWidth } from "./terminal/screen.ts"

/** How many questions of a review were answered, and how many were skipped. */
interface Reviewed {
  readonly answered: number
  readonly skipped: number
}

const cellsOf = (cells: ReadonlyArray<string>): string =>
  cells.length === 0 ? "empty" : cells.map((cell) => cutToWidth(cell, 40)).join(", ")

const candidateTitle = ({ because, cells, confidence, shown }: ReviewCandidate): string =>
  `${cutToWidth(shown, 60)}: ${cellsOf(cells)} (${[scored(confidence), ...because.map(visible)].join(", ")})`

const named = ({ id: question, name }: Question) => ({ question, name })

const skip = { title: "skip: decide later", value: undefined }

/** What the steps of a review share. */
interface Session {
  readonly review: Review
  /** The last answer for each key, because a time zone or country is usually the same for every entry. */
  readonly last: Map<string, string>
  /** Positions of the columns that were chosen. */
  readonly used: Set<number>
  /** Texts that mean "no answer", as the person answered. */
  readonly empty: Set<string>
}

/** Asks for an entry's missing settings. Returns undefined if the person skipped one. */
const askSettings = ({ last }: Session, name: string, { asks, kind, misfit }: ReviewedEntry) =>
  Effect.gen(function*() {
    const about = `"${cutToWidth(name, 60)}": `
    if (misfit !== undefined) {
      const isMeant = yield* choose(`${about}${misfit}. Rows with such cells would not be sent.`, [
        { title: "use this column anyway", value: true },
        { title: skip.title, value: false },
      ])
      if (!isMeant) return undefined
    }
    const answers = new Map<string, string>()
    for (const { choices, key, why } of asks) {
      const before = last.get(key)
      const known = choices.length > 0 ? choices : before === undefined ? [] : [before]
      const typed = ask(
        `${about}${why}. Type the ${key}, or nothing to skip`,
        unless((text) => text === "" ? undefined : settingFault(kind, key, text)),
      )
      const answer = known.length === 0 ? yield* typed : yield* Effect.flatMap(
        choose(`${about}${why}. Which ${key}?`, [
          ...known.map((value) => ({ title: value, value })),
          ...(choices.length > 0 ? [] : [{ title: "another", value: undefined }]),
          { title: skip.title, value: "" },
        ]),
        (value) => value === undefined ? typed : Effect.succeed(value),
      )
      if (answer === "") return undefined
      answers.set(key, answer)
      last.set(key, answer)
    }
    return answers
  })

/**
 * Asks which option is meant by a choice found in cells, and writes the answer. Returns whether the person answered.
 *
 * @param prepare writes what the answer is added to
 */
const reviewChoice = <E, R>(
  { review }: Session,
  { choice, count: cells, kind, likely, question }: OpenChoice,
  prepare: Effect.Effect<void, E, R>,
) =>
  Effect.gen(function*() {
    const { options: all = [] } = question
    const options = all.toSorted((a, b) => Number(b === likely) - Number(a === likely))
    const nameOf = optionNamer(all)
    const chosen = yield* choose(
      `"${cutToWidth(calledName(question), 60)}": "${cutToWidth(choice, 60)}" (${counted(cells, "cell")}) is ${
        isShared(indexOptions(all), choice) ? "the name of several options" : "not an option"
      }. What does it mean?`,
      [
        ...options.map((option) => ({
          title: `${cutToWidth(optionTitle(option, nameOf(option)), 70)}${option === likely ? " (suggested)" : ""}`,
          value: nameOf(option) as string | null | undefined,
        })),
        { title: "no answer", value: null },
        skip,
      ],
    )
    if (chosen === undefined) return false
    yield* prepare
    yield* review.write({ _tag: "SetChoice", ...named(question), choice, option: chosen, as: kind })
    return true
  })

/** Asks for the settings of a chosen column's entry, then writes the entry. Returns whether all settings were answered. */
const writeEntry = (session: Session, list: "questions" | "own", name: string, made: ReviewedEntry) =>
  Effect.gen(function*() {
    const answers = yield* askSettings(session, name, made)
    if (answers === undefined) return false
    const entry = made.entry(answers)
    const put = session.review.write({ _tag: "PutEntry", list, entry })
    const choices = made.choices.filter(({ choice }) => !session.empty.has(choice))
    if (entry.open || choices.length === 0) {
      yield* put
      return !entry.open
    }
    // The entry stays open until a choice is answered.
    const once = yield* Effect.once(put)
    let left = 0
    for (const choice of choices) if (!(yield* reviewChoice(session, choice, once))) left++
    if (left > 0 && left < choices.length) {
      yield* say(
        `Rows with ${left === 1 ? "the skipped choice" : `the ${left} skipped choices`} can't be imported yet.`,
      )
    }
    return left === 0
  })

const reviewQuestion = (session: Session, item: Extract<ReviewItem, { readonly _tag: "Question" }>, where: string) =>
  Effect.gen(function*() {
    const { review, used } = session
    const { question, written } = item
    const candidates = item.candidates.filter(({ origin }) =>
      columnsOf(origin).every(({ position }) => !used.has(position))
    )
    const taken = new Set(candidates.flatMap(({ origin }) => columnsOf(origin).map(({ position }) => position)))
    const others = review.free.filter(({ column }) => !used.has(column.position) && !taken.has(column.position))
    const options = question.options ?? []
    const about = [
      `${where} "${cutToWidth(calledName(question), 70)}"${question.type === undefined ? "" : ` (${question.type})`}`,
      ...(options.length === 0
        ? []
        : [`options ${cutToWidth(options.map(({ label }) => label).join(" · "), 100)}`]),
    ].join(", ")
    const write = (origin: Origin, made: ReviewedEntry) =>
      Effect.gen(function*() {
        const complete = yield* writeEntry(session, "questions", calledName(question), made)
        if (complete) { for (const { position } of columnsOf(origin)) used.add(position) }
        return complete
      })
    const [best] = candidates
    const settled = best === undefined || best.origin !== item.sure
      ? undefined
      : review.entryFor(question, best.origin)
    if (
      best !== undefined && settled !== undefined && settled.misfit === undefined
      && settled.asks.length + settled.choices.length > 0
    ) {
      yield* say(`${about}: ${candidateTitle(best)}`)
      return yield* write(best.origin, settled)
    }
    const chosen = yield* choose<Origin | "keep" | "other" | "unanswered" | undefined>(
      written === undefined
        ? `${about}: ${candidates.length === 0 ? "no column seems to answer it" : "which column answers it?"}`
        : `${about}: is it answered by ${cutToWidth(written.from, 60)}? (confidence ${written.confidence.toFixed(2)})`,
      [
        ...(written === undefined ? [] : [{ title: "yes", value: "keep" as const }]),
        ...candidates.map((candidate) => ({ title: candidateTitle(candidate), value: candidate.origin })),
        ...(others.length === 0 ? [] : [{ title: "another column", value: "other" as const }]),
        { title: "leave it unanswered on purpose", value: "unanswered" },
        skip,
      ],
    )
    const chosenColumn = (origin: Origin) => write(origin, review.entryFor(question, origin))
    if (chosen === undefined) return false
    if (chosen === "keep") yield* review.write({ _tag: "Accept", ...named(question) })
    else if (chosen === "unanswered") yield* review.write({ _tag: "LeaveUnanswered", question })
    else if (chosen !== "other") return yield* chosenColumn(chosen)
    else {
      const other = yield* choose("Which column?", [
        ...others.map((one) => ({
          title: `${cutToWidth(one.column.name ?? "", 60)}: ${cellsOf(samplesOf(one))}`,
          value: { _tag: "Column" as const, ...one },
        })),
        skip,
      ])
      return other === undefined ? false : yield* chosenColumn(other)
    }
    return true
  })

const reviewRowKey = ({ review }: Session, item: Extract<ReviewItem, { readonly _tag: "RowKey" }>, where: string) =>
  Effect.gen(function*() {
    const chosen = yield* choose<ReadonlyArray<string> | "several" | "content" | undefined>(
      `${where} Which columns identify a row in later runs?`,
      [
        ...item.candidates.map(({ cells, names }) => ({
          title: `${names.map((name) => cutToWidth(name, 60)).join(", ")}: ${cellsOf(cells)}`,
          value: names,
        })),
        { title: "several columns together", value: "several" },
        {
          title:
            "none: compare whole rows (`content`), only for a file whose rows are never changed once they are added",
          value: "content",
        },
        skip,
      ],
    )
    const names = chosen !== "several" ? chosen : yield* ask("Their names, separated by commas", (text) => {
      const names = columnsTyped(text, item.columns)
      const unknown = names.find((name) => !item.columns.includes(name))
      return names.length === 0
        ? Effect.fail("Type the name of a column.")
        : unknown === undefined
        ? Effect.succeed(names)
        : Effect.fail(`There is no column "${visible(unknown)}".`)
    })
    if (names === undefined) return false
    yield* review.write({ _tag: "SetRowKey", columns: names === "content" ? [] : names })
    return true
  })

const reviewProposal = (
  { empty, review }: Session,
  { key, value }: Extract<ReviewItem, { readonly _tag: "Proposal" }>,
  where: string,
) =>
  Effect.gen(function*() {
    const shown = cutToWidth(JSON.stringify(value), 100)
    const chosen = yield* choose(
      key === "empty"
        ? `${where} Do cells with one of these texts mean "no answer"? ${shown}`
        : `${where} The file has responses that were never finished. Import only the finished ones, ${shown}?`,
      [{ title: "yes", value: true }, { title: "no", value: false }, skip],
    )
    if (chosen === undefined) return false
    const isEmpty = chosen && key === "empty"
    for (const text of isEmpty ? [value].flat() : []) empty.add(String(text))
    yield* review.write({ _tag: chosen ? "AcceptProposal" : "RejectProposal", key })
    return true
  })

/** Asks what is open or unsure in a pipeline, one question at a time. Writes each answer at once. */
export const reviewPipeline = (root: string, name: string, options: ReviewOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const review = yield* openReview(root, name, options)
    const session: Session = { review, last: new Map(), used: new Set(), empty: new Set() }
    let answered = 0
    let skipped = 0
    for (const [at, item] of review.items.entries()) {
      if (item._tag === "Choice" && session.empty.has(item.choice)) continue
      const where = `${count(at + 1)} of ${count(review.items.length)}:`
      const isAnswered = yield* askItem(session, item, where)
      if (isAnswered) answered++
      else skipped++
    }
    return { answered, skipped } satisfies Reviewed
  }))

const askItem = (session: Session, item: ReviewItem, where: string) => {
  switch (item._tag) {
    case "RowKey":
      return reviewRowKey(session, item, where)
    case "Proposal":
      return reviewProposal(session, item, where)
    case "Question":
      return reviewQuestion(session, item, where)
    case "Time":
      return writeEntry(session, "own", item.of, session.review.entryForTime(item))
    case "Choice":
      return reviewChoice(session, item, Effect.void)
  }
}
