import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Json } from "../../domain/json.ts"
import type { Pull } from "../../project/pull.ts"
import { valueAt } from "../json/pointer.ts"
import { type ConnectionUnusable, PullProgress, refusing, type SourceError, unusableBy } from "../Source.ts"
import { linkIn, readJson } from "./answer.ts"
import { type Account, exchange, type PullRequest, shownConnection } from "./exchange.ts"

/** Statuses of an answer to a request that starts a job. */
const started = [200, 201, 202]

/** Whether a text can be a segment of a path. Dots alone would lead to a different path. */
const isSegment = (text: string): boolean =>
  text.length <= 500 && text.isWellFormed() && !/^\.*$/.test(text) && !/\p{Cc}/u.test(text)

/** Returns an id of an answer as a segment of a path, or undefined. */
const segment = (id: Json | undefined): string | undefined =>
  Number.isSafeInteger(id) ? String(id) : typeof id === "string" && isSegment(id) ? encodeURIComponent(id) : undefined

/** Returns a state as text. Some tools use numbers. */
const stateText = (state: Json | undefined): string | undefined =>
  typeof state === "string" || typeof state === "number" ? String(state) : undefined

/** Returns a state as messages show it: a word or two or a small number, but nothing that may be an id, an answer or a secret. */
const shownState = (state: Json | undefined): string =>
  (typeof state === "string" && /^[A-Za-z][A-Za-z _-]{0,29}$/.test(state)) || /^\d{1,4}$/.test(stateText(state) ?? "")
    ? `the state \`${stateText(state)}\``
    : "a state"

/**
 * Starts a tool's job that creates a file, and waits until it is complete. Returns the request for the file.
 *
 * @param start the request that starts the job
 * @param get returns a request of the connection for a path, or for an address that an answer contains
 */
export const finishJob = (
  job: NonNullable<Pull["job"]>,
  connection: Account,
  start: PullRequest,
  get: (path: string, link?: URL) => PullRequest,
): Effect.Effect<PullRequest, SourceError | ConnectionUnusable> =>
  Effect.gen(function*() {
    const { every, status, within } = job
    const file = shownConnection(connection)
    const wrong = refusing(file)
    const unusable = unusableBy(file)
    const read = readJson(file, {
      called: "an answer about its job",
      tooLarge: "Correct `source.job`.",
      notJson: "Correct `source.request` or `source.job`. If the answer is the file, remove `job`.",
    })
    const request = (path: string, link?: URL) => ({ ...get(path, link), place: "source.job" })

    const id = segment(valueAt(yield* exchange(connection, start, read, started), job.id))
    if (id === undefined) {
      return yield* wrong(`sent no job id at ${job.id}. Correct \`source.request\` or \`source.job.id\`.`)
    }
    const poll = request(job.poll.replaceAll("{job}", () => id))
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(within)
    const show = yield* PullProgress
    yield* show("job")
    const completed = Effect.gen(function*() {
      while (true) {
        const answer = yield* exchange(connection, poll, read)
        const state = valueAt(answer, status.at)
        const isAmong = (states: ReadonlyArray<string | number>) =>
          states.some((one) => String(one) === stateText(state))
        if (isAmong(status.completed)) return answer
        if (isAmong(status.failed)) {
          return yield* unusable(
            `could not create the file: its job ended in ${shownState(state)}. Nothing was imported. Run again later.`,
          )
        }
        if (!isAmong(status.running)) {
          return yield* wrong(
            `reports ${
              shownState(state)
            } at ${status.at} that \`source.job.status\` doesn't list. Add it there, or correct \`source.job.status.at\`.`,
          )
        }
        if ((yield* Clock.currentTimeMillis) + Duration.toMillis(every) > deadline) {
          return yield* unusable(
            `did not create the file within ${Duration.format(within)}: its job is still in ${
              shownState(state)
            }. Nothing was imported. Run again later, or increase \`source.job.within\`.`,
          )
        }
        yield* Effect.sleep(every)
      }
    })
    const made = valueAt(yield* completed, job.file)
    if (job.download !== undefined) {
      const name = segment(made)
      if (name !== undefined) return request(job.download.replaceAll("{file}", () => name))
      return yield* wrong(`completed its job, but sent no file id at ${job.file}. Correct \`source.job.file\`.`)
    }
    const link = typeof made === "string" && made !== "" ? linkIn(made, poll.url, "the file") : undefined
    if (typeof link === "string") return yield* wrong(link)
    if (link !== undefined) return request("", link)
    return yield* wrong(
      `completed its job, but sent no address of the file at ${job.file}. Correct \`source.job.file\`, or add \`source.job.download\`.`,
    )
  })
