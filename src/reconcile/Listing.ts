import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Submission } from "../domain/submission.ts"
import { type FormService, type ListedPage, pageRows } from "../service/FormService.ts"

/** Finds submissions in a form's list for several callers, so that one request shows up to 150 of them. */
export interface Listing {
  /**
   * Looks for submissions until each is found or is no longer expected in the list. Returns the indexes of those to
   * read one by one: they were not found, or `accept` returned false. Never fails, because reading one by one shows
   * what is wrong.
   *
   * @param areJustCreated whether the submissions have the time of their creation, which was just now. Then they are the
   * newest of the form, and will appear in a list that doesn't show them yet
   */
  readonly find: (
    ids: ReadonlyArray<string>,
    areJustCreated: boolean,
    accept: (index: number, submission: Submission) => boolean,
  ) => Effect.Effect<ReadonlyArray<number>>
}

/** The milliseconds in which ids are collected before the list is read, unless there are enough for a page earlier. */
const collecting = 500
/** The most pages without a hit that are read before a round stops reading. */
const patience = 3
/** The number of submissions that are read one by one after the first round in which the list lags. Doubles with each further one. */
const firstReleased = 10
/** The number of consecutive rounds without most submissions after which a list that saves no requests is not used again. */
const mostRounds = 6

/** A place in the list. */
interface Place {
  readonly sort: "asc" | "desc"
  readonly offset: number
}

const newest: Place = { sort: "desc", offset: 0 }
const oldest: Place = { sort: "asc", offset: 0 }

/** The submissions that a caller of `find` still waits for. */
interface Search {
  /** Indexes by submission id. */
  readonly waiting: Map<string, number>
  readonly areJustCreated: boolean
  readonly accept: (index: number, submission: Submission) => boolean
  readonly refused: Array<number>
  readonly done: Deferred.Deferred<void>
}

/** Returns the submissions of a page. One whose id occurs twice is omitted, because it is unknown which of the two is right. */
const distinct = ({ submissions }: ListedPage): ReadonlyArray<Submission> => {
  const found = new Map<string, Submission | undefined>()
  for (const one of submissions) found.set(one.submissionId, found.has(one.submissionId) ? undefined : one)
  return [...found.values()].filter((one) => one !== undefined)
}

/** The searches that still wait for submissions. The methods are synchronous. */
class Searches {
  readonly #waiting = new Set<Search>()
  readonly #byId = new Map<string, Search>()

  get all(): ReadonlyArray<Search> {
    return [...this.#waiting]
  }

  /** Adds a search for these ids, unless it has to wait for none of them. */
  add(search: Search, ids: ReadonlyArray<string>): void {
    for (const [index, id] of ids.entries()) {
      // Two searches can't share a submission, so the second one reads it.
      if (this.#byId.has(id)) search.refused.push(index)
      else {
        this.#byId.set(id, search)
        search.waiting.set(id, index)
      }
    }
    if (search.waiting.size > 0) this.#waiting.add(search)
  }

  /** Passes a page's submissions to their searches. Returns how many were looked for. */
  take(page: ListedPage): number {
    let found = 0
    for (const submission of distinct(page)) {
      const search = this.#byId.get(submission.submissionId)
      const index = search?.waiting.get(submission.submissionId)
      if (search === undefined || index === undefined) continue
      found++
      if (!search.accept(index, submission)) search.refused.push(index)
      this.#byId.delete(submission.submissionId)
      search.waiting.delete(submission.submissionId)
      if (search.waiting.size === 0) this.end(search)
    }
    return found
  }

  /** Ends a search. Its caller then reads what it still waits for. */
  end(search: Search): void {
    if (!this.#waiting.delete(search)) return
    for (const id of search.waiting.keys()) this.#byId.delete(id)
    Deferred.unsafeDone(search.done, Effect.void)
  }

  endAll(): void {
    for (const search of this.#waiting) this.end(search)
  }
}

/**
 * Opens the list of a form's submissions. One round reads it at a time, until the scope closes. A round starts with the
 * newest submissions, or where the previous round found most, and continues while pages show what is looked for. New
 * submissions move others to later pages, so a page can repeat some but skips none.
 */
export const makeListing = (
  { baseUrl, formId, list }: {
    readonly baseUrl: string
    readonly formId: string
    readonly list: NonNullable<FormService["list"]>
  },
): Effect.Effect<Listing, never, Scope.Scope> =>
  Effect.gen(function*() {
    const searches = new Searches()
    /** `some` is open while a submission is looked for, and `many` opens when a full page of them is. */
    const some = yield* Effect.makeLatch(false)
    const many = yield* Effect.makeLatch(false)
    let added = 0
    let lagging = 0
    let places: ReadonlyArray<Place> = [newest, oldest]
    let isOff = false

    /** Reads pages, starting at a place, while they show what is looked for. */
    const walk = (from: Place, left: () => number) =>
      Effect.gen(function*() {
        let [pages, found] = [0, 0]
        // The page after the last hit of the previous round may contain the next one.
        let credit = from.offset === 0 ? 0 : 2
        let last = from
        for (let offset = from.offset;;) {
          const page = yield* list(formId, { offset, sort: from.sort })
          const hits = searches.take(page)
          pages++
          found += hits
          if (hits > 0) last = { sort: from.sort, offset }
          offset += page.submissions.length + page.malformed
          // A page with one hit costs as much as reading that submission.
          credit = Math.min(credit + hits - 1, patience, left() - 1)
          const isEnd = page.submissions.length + page.malformed === 0 || offset >= page.total
          if (credit <= 0 || isEnd) return { pages, found, last }
        }
      })

    const round = Effect.gen(function*() {
      yield* some.await
      yield* Effect.raceFirst(many.await, Effect.sleep(collecting))
      yield* many.close
      added = 0
      const asked = searches.all
      const left = () => asked.reduce((sum, { waiting }) => sum + waiting.size, 0)
      const wanted = left()
      let [pages, found] = [0, 0]
      for (const place of places) {
        if (left() < 2 || (place === oldest && asked.every(({ areJustCreated }) => areJustCreated))) continue
        const walked = yield* walk(place, left)
        pages += walked.pages
        found += walked.found
        if (walked.found <= walked.pages) continue
        const known = [place, walked.last, newest, oldest]
        places = known.filter((one, at) =>
          at === known.findIndex(({ offset, sort }) => offset === one.offset && sort === one.sort)
        )
        break
      }
      // A single submission is not looked for, because reading it costs one request as well.
      const wasShown = found * 2 >= wanted - 1
      lagging = wasShown ? 0 : lagging + 1
      if (lagging >= mostRounds && found <= pages) {
        isOff = true
        yield* Effect.logWarning(
          `The list of submissions of ${baseUrl} shows too few of the submissions to read back, so submissions are read one by one for the rest of the run.`,
        )
      }
      // The rest can still appear in the list. Meanwhile some are read one by one, so that waiting costs no time.
      let released = 0
      for (const search of asked) {
        if (!search.areJustCreated || wasShown || isOff || released < firstReleased * 2 ** (lagging - 1)) {
          if (search.areJustCreated) released += search.waiting.size
          searches.end(search)
        }
      }
      if (searches.all.length === 0) yield* some.close
    })

    const off = (cause: Cause.Cause<{ readonly message: string }>) => {
      isOff = true
      const failure = Cause.failureOption(cause)
      const why = failure._tag === "Some" ? failure.value.message : Cause.pretty(cause)
      return Effect.logWarning(
        `The list of submissions can't be used, so submissions are read one by one for the rest of the run: ${why}`,
      )
    }
    yield* Effect.repeat(round, { while: () => !isOff }).pipe(
      Effect.catchAllCause((cause) => Cause.isInterruptedOnly(cause) ? Effect.void : off(cause)),
      Effect.ensuring(Effect.sync(() => {
        isOff = true
        searches.endAll()
      })),
      Effect.interruptible,
      Effect.forkScoped,
    )

    return {
      find: (ids, areJustCreated, accept) =>
        Effect.gen(function*() {
          const search: Search = {
            waiting: new Map(),
            areJustCreated,
            accept,
            refused: [],
            done: yield* Deferred.make<void>(),
          }
          if (isOff) return ids.map((_, index) => index)
          searches.add(search, ids)
          if (search.waiting.size > 0) {
            added += search.waiting.size
            yield* some.open
            if (added >= pageRows) yield* many.open
            yield* Effect.onInterrupt(Deferred.await(search.done), () => Effect.sync(() => searches.end(search)))
          }
          return [...search.refused, ...search.waiting.values()]
        }),
    }
  })
