import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as PubSub from "effect/PubSub"
import * as RcRef from "effect/RcRef"
import * as Stream from "effect/Stream"
import { resolve, sep } from "node:path"
import type { ProgressEvent } from "../domain/progress.ts"
import { jobWords, outcomeWord, reasonsOf, type SendQuestion } from "../domain/run.ts"
import { isoOf } from "../domain/times.ts"
import { attempt, type Notifier } from "../jobs/attempt.ts"
import { checked, failed } from "../jobs/jobEnd.ts"
import { orInterrupted } from "../jobs/prepare.ts"
import { rehearsePipeline } from "../jobs/rehearse.ts"
import { fixedFile } from "../jobs/rejectedRows.ts"
import { runPipeline, withoutOptions } from "../jobs/run.ts"
import { type Services, shareServices } from "../jobs/services.ts"
import { SlidingRate } from "../jobs/SlidingRate.ts"
import { findTarget } from "../jobs/target.ts"
import type { Disk } from "../project/disk.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import type { Signal } from "../run/Stop.ts"
import { type Calls, type Job, Refused } from "./Api.ts"

type Start = Calls["runs"]["start"]["payload"]

interface Entry {
  job: Job
  /** Whether listeners don't know the latest progress yet. */
  isNews: boolean
  readonly stop: Deferred.Deferred<Signal>
  answer: Deferred.Deferred<boolean> | undefined
  fiber: Fiber.RuntimeFiber<void> | undefined
}

export interface JobOptions {
  /** The project's folder. */
  readonly root: string
  /** Called with the project before its services are used. */
  readonly guard: (project: Project) => Project
  /** Removes secrets from a message. */
  readonly mask: (text: string) => string
}

/** The keys of sentences and commands. Other texts, such as cells, are shown as they are. */
const sentences = new Set("advice because failures message next note problem reason suggestion warnings".split(" "))

/** Returns a value without secrets, and with the project's files in sentences and commands as they are seen from its folder. */
export const shown = <A>({ mask, root }: Pick<JobOptions, "mask" | "root">, value: A): A => {
  const folder = `${resolve(root)}${sep}`
  const short = (text: unknown): unknown =>
    typeof text === "string" ? text.replaceAll(folder, "") : Array.isArray(text) ? text.map(short) : text
  const json = mask(JSON.stringify(value))
  // Most answers don't name the folder, and examining each text of a wide source takes time.
  const isNamed = json.includes(JSON.stringify(folder).slice(1, -1))
  return JSON.parse(json, isNamed ? (key, of) => sentences.has(key) ? short(of) : of : undefined)
}

/** Milliseconds between two reports of a job's progress. */
const betweenNews = 200

/** How long a question waits. Meanwhile, the pipeline is locked for all other runs. */
const askedFor = "10 minutes"

const refused = (message: string) => new Refused({ code: "JobRefused", message })

/** Makes the checks and runs of a studio. They continue without a page, and end with the scope. */
export const makeJobs = (jobOptions: JobOptions) =>
  Effect.gen(function*() {
    const entries = new Map<string, Entry>()
    const news = yield* PubSub.sliding<Job>(1024)
    const scope = yield* Effect.scope
    const context = yield* Effect.context<Disk | Notifier>()
    // Jobs share the rate limits of services that are configured in the same way.
    const services = yield* RcRef.make({ acquire: shareServices })
    let count = 0
    let isEnding = false

    const tell = (entry: Entry) => {
      entry.isNews = false
      return PubSub.publish(news, entry.job)
    }
    const change = (entry: Entry, by: Partial<Job>) => {
      entry.job = { ...entry.job, ...shown(jobOptions, by) }
      return Effect.as(tell(entry), entry.job)
    }
    const openEntry = (id: string) => {
      const entry = entries.get(id)
      return entry === undefined || entry.job.state._tag === "Ended"
        ? refused("This job has ended.")
        : Effect.succeed(entry)
    }

    const run = (entry: Entry) =>
      Effect.gen(function*() {
        const telling = Effect.forever(
          Effect.delay(Effect.suspend(() => entry.isNews ? tell(entry) : Effect.void), betweenNews),
        )
        // A check has nothing to finish. A run stops by itself.
        const isStopped = entry.job.mode === "check" ? Deferred.await(entry.stop) : Effect.never
        const working = Effect.scoped(Effect.flatMap(
          RcRef.get(services),
          (shared) => work(entry, jobOptions, shared, (state) => change(entry, { state })),
        ))
        const exit = yield* Effect.exit(Effect.raceFirst(orInterrupted(isStopped, working), telling))
        const end = Exit.isSuccess(exit) ? exit.value : failed(exit.cause, entry.job)
        yield* change(entry, { state: { _tag: "Ended", ...end } })
      })

    return {
      list: Effect.sync(() => [...entries.values()].map(({ job }) => job)),
      /** Starts a job. Fails if a job of the same pipeline has not ended. */
      start: (asked: Start) =>
        Effect.gen(function*() {
          if (isEnding) return yield* refused("The studio is ending.")
          const busy = [...entries.values()].find(({ job }) =>
            job.pipeline === asked.pipeline && job.state._tag !== "Ended"
          )
          if (busy !== undefined) {
            const help = busy.job.state._tag === "Asking"
              ? "Confirm or decline it first"
              : "Wait until it has ended, or stop it"
            return yield* refused(`A ${jobWords[busy.job.mode]} of ${asked.pipeline} is in progress. ${help}.`)
          }
          const entry: Entry = {
            job: {
              ...asked,
              id: `job-${++count}`,
              startedAt: isoOf(yield* Clock.currentTimeMillis),
              pace: {},
              state: { _tag: "Running", stopping: false },
            },
            isNews: false,
            stop: yield* Deferred.make<Signal>(),
            answer: undefined,
            fiber: undefined,
          }
          entries.set(entry.job.id, entry)
          yield* tell(entry)
          entry.fiber = yield* Effect.forkIn(Effect.provide(run(entry), context), scope)
          return entry.job
        }),
      /** Answers a job's question. The confirmation is the service's name, as a person typed it. Undefined: no. */
      answer: (id: string, confirmation: string | undefined) =>
        Effect.gen(function*() {
          const entry = yield* openEntry(id)
          const { state } = entry.job
          if (entry.answer === undefined || state._tag !== "Asking") {
            return yield* refused("This job is not waiting for an answer.")
          }
          if (confirmation !== undefined && confirmation !== state.question.service) {
            return yield* refused(`Nothing was sent. To confirm, type ${state.question.service}.`)
          }
          yield* Deferred.succeed(entry.answer, confirmation !== undefined)
          return entry.job
        }),
      /** Stops a job like Ctrl-C: requests in flight are finished and recorded. */
      stop: (id: string) =>
        Effect.gen(function*() {
          const entry = yield* openEntry(id)
          yield* Deferred.succeed(entry.stop, "SIGINT")
          return entry.job.state._tag === "Running"
            ? yield* change(entry, { state: { _tag: "Running", stopping: true } })
            : entry.job
        }),
      /** Stops all jobs, and waits until they have ended. No other job can be started. */
      stopAll: (signal: Signal) =>
        Effect.gen(function*() {
          isEnding = true
          for (const { stop } of entries.values()) yield* Deferred.succeed(stop, signal)
          for (const { fiber } of entries.values()) yield* fiber === undefined ? Effect.void : Fiber.await(fiber)
        }),
      /** Each job now, then whenever one changes. */
      changes: Stream.unwrapScoped(
        Effect.map(Stream.fromPubSub(news, { scoped: true }), (later) =>
          // Listens first, so that no change is missed.
          Stream.concat(Stream.suspend(() => Stream.fromIterable([...entries.values()].map(({ job }) => job))), later)),
      ),
    }
  })

/**
 * Does a job's work. Returns how it ended.
 *
 * @param change changes the state of the job, and publishes the job
 */
const work = (
  entry: Entry,
  { guard, root }: JobOptions,
  services: Services,
  change: (state: Job["state"]) => Effect.Effect<unknown>,
) =>
  Effect.gen(function*() {
    const { fixedOf, mode, pipeline, to } = entry.job
    if (mode === "check") return yield* checked(root, pipeline, { guard, services })
    const project = guard(yield* loadProject(root, { pipelines: [pipeline] }))
    const { target } = yield* findTarget(project, { pipeline, to })
    const service = project.services.get(target.service)
    // Only a run sends requests to the service.
    const pace = mode === "run" && service?._tag === "Live"
      ? { limit: service.requestsPerSecond, concurrency: service.concurrency }
      : {}
    const meter = measure(pace)
    const options = {
      ...withoutOptions,
      pipeline,
      to,
      services,
      source: fixedOf === undefined ? undefined : yield* fixedFile(project, pipeline, fixedOf),
      projectOption: undefined,
      interrupted: Deferred.await(entry.stop),
      warn: () => Effect.void,
      progress: (event: ProgressEvent) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          entry.job = { ...entry.job, ...meter(event, at) }
          entry.isNews = true
        }),
    }
    const ask = ({ form: { id, name }, ...asked }: SendQuestion) =>
      Effect.gen(function*() {
        entry.answer = yield* Deferred.make<boolean>()
        yield* change({ _tag: "Asking", question: { ...asked, form: { id, name } } })
        const answered = yield* Effect.raceFirst(
          Deferred.await(entry.answer),
          Effect.as(Effect.raceFirst(options.interrupted, Effect.sleep(askedFor)), false),
        )
        entry.answer = undefined
        yield* change({ _tag: "Running", stopping: !answered })
        return answered
      })
    const report = yield* mode === "rehearsal"
      ? rehearsePipeline(project, options)
      : attempt(
        project,
        pipeline,
        runPipeline(project, { ...options, dryRun: mode === "dry-run", confirm: () => false, ask }),
      )
    const { exitCode, next, run } = report
    const word = outcomeWord(report)
    const message = [`${word.title}.`, ...reasonsOf(report)].join(" ")
    return { exitCode, word, run, next, message, diagnostics: [] }
  })

/** Returns a function that adds the recent rates to a job's progress. */
const measure = (pace: Job["pace"]) => {
  let rows: { readonly phase: ProgressEvent["phase"]; readonly rate: SlidingRate } | undefined
  let requests: SlidingRate | undefined
  return (event: ProgressEvent, at: number): Pick<Job, "pace" | "progress"> => {
    if (rows?.phase !== event.phase) rows = { phase: event.phase, rate: new SlidingRate(at, event.read) }
    rows.rate.note(at, event.read)
    if (event.requests !== undefined) {
      requests ??= new SlidingRate(at, event.requests)
      requests.note(at, event.requests)
    }
    return { progress: { ...event, rate: rows.rate.rate(at) }, pace: { ...pace, rate: requests?.rate(at) } }
  }
}
