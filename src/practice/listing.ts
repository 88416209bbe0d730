import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { pageRows } from "../service/FormService.ts"
import { DateTime } from "../service/wire.ts"
import { invalid, issuesOf, json, type PracticeAnswer } from "./refusals.ts"
import { countBefore, type StoredSubmission } from "./store.ts"

/** Sets the message of a refused parameter. It never contains the value. */
const expects = (expected: string) => ({
  message: () => ({ message: `Invalid parameter: expected ${expected}`, override: true }),
})

const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  Schema.NumberFromString.pipe(Schema.int(), Schema.between(least, most)).annotations(
    expects(`a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}`),
  )

const Moment = Schema.compose(DateTime, Schema.Date).annotations(
  expects("a date and time with an offset, such as 2024-01-31T08:00:00Z"),
)

const oneOf = <const A extends string>(first: A, second: A) =>
  Schema.optionalWith(Schema.Literal(first, second).annotations(expects(`${first} or ${second}`)), {
    exact: true,
    default: () => first,
  })

const decodeQuery = Schema.decodeUnknownEither(
  Schema.Struct({
    limit: Schema.optionalWith(whole(1, pageRows), { exact: true, default: () => 50 }),
    offset: Schema.optionalWith(whole(0), { exact: true, default: () => 0 }),
    afterDate: Schema.optionalWith(Moment, { exact: true }),
    beforeDate: Schema.optionalWith(Moment, { exact: true }),
    status: oneOf("finished", "in_progress"),
    sort: oneOf("asc", "desc"),
    search: Schema.optionalWith(Schema.String, { exact: true, default: () => "" }),
  }),
  { errors: "all" },
)

type Query = Either.Either.Right<ReturnType<typeof decodeQuery>>
type Sorted = ReadonlyArray<StoredSubmission>

/** The searched text of submissions that were searched before, so that each is parsed once. */
const searched = new WeakMap<StoredSubmission, string>()

/** Returns the values of a submission's questions and URL parameters as JSON in lower case. */
const searchedText = (submission: StoredSubmission): string => {
  const known = searched.get(submission)
  if (known !== undefined) return known
  // `submit` wrote this text.
  const { questions, urlParameters } = JSON.parse(submission.json) as Readonly<
    Record<"questions" | "urlParameters", ReadonlyArray<{ readonly value: unknown }>>
  >
  const text = JSON.stringify([...questions, ...urlParameters].map(({ value }) => value)).toLowerCase()
  searched.set(submission, text)
  return text
}

/** Returns the submissions that a query selects, oldest first. */
const selected = (
  all: Sorted,
  { afterDate, beforeDate, search, status }: Query,
  isListed: ((id: string) => boolean) | undefined,
): Sorted => {
  if (status === "in_progress") return []
  const dated = afterDate === undefined && beforeDate === undefined ? all : all.slice(
    afterDate === undefined ? 0 : countBefore(all, afterDate.getTime() + 1),
    beforeDate === undefined ? all.length : countBefore(all, beforeDate.getTime()),
  )
  const listed = isListed === undefined ? dated : dated.filter(({ id }) => isListed(id))
  if (search === "") return listed
  const text = JSON.stringify(search).slice(1, -1).toLowerCase()
  return listed.filter((submission) => searchedText(submission).includes(text))
}

/** Returns the submission at a position, counting from the newest. Submissions of the same time are in order of creation. */
const newestFirst = (sorted: Sorted, position: number): StoredSubmission | undefined => {
  const mirrored = sorted.length - 1 - position
  const time = sorted[mirrored]?.time ?? 0
  return sorted[countBefore(sorted, time) + countBefore(sorted, time + 1) - 1 - mirrored]
}

/**
 * Responds to a request for the list of a form's submissions. `afterDate` and `beforeDate` are exclusive.
 *
 * @param all the form's submissions, oldest first
 * @param isListed whether the list shows a submission; undefined if it shows all
 * @param shown returns a submission as JSON
 */
export const listing = (
  all: Sorted,
  query: URLSearchParams,
  isListed: ((id: string) => boolean) | undefined,
  shown: (submission: StoredSubmission) => string,
): PracticeAnswer => {
  const sent = Object.fromEntries(query)
  const decoded = decodeQuery(sent)
  if (Either.isLeft(decoded)) return invalid(issuesOf(sent, decoded.left))
  const { limit, offset, sort } = decoded.right
  const found = selected(all, decoded.right, isListed)
  const end = Math.min(offset + limit, found.length)
  const responses: Array<string> = []
  for (let position = offset; position < end; position++) {
    const submission = sort === "asc" ? found[position] : newestFirst(found, position)
    if (submission !== undefined) responses.push(shown(submission))
  }
  const pages = Math.ceil(found.length / limit)
  return json(200, `{"responses":[${responses.join(",")}],"totalResponses":${found.length},"pageCount":${pages}}`)
}
