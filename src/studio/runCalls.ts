import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { StudioApi } from "./Api.ts"
import { Studio } from "./Studio.ts"

export const runCalls = HttpApiBuilder.group(StudioApi, "runs", (handlers) =>
  handlers
    .handle("start", ({ payload }) => Effect.flatMap(Studio, ({ jobs }) => jobs.start(payload)))
    .handle(
      "confirm",
      ({ payload: { job, service } }) => Effect.flatMap(Studio, ({ jobs }) => jobs.answer(job, service)),
    )
    .handle("decline", ({ payload: { job } }) => Effect.flatMap(Studio, ({ jobs }) => jobs.answer(job, undefined)))
    .handle("stop", ({ payload: { job } }) => Effect.flatMap(Studio, ({ jobs }) => jobs.stop(job)))
    .handleRaw("events", () =>
      Effect.map(Studio, ({ jobs }) =>
        HttpServerResponse.stream(
          Stream.encodeText(
            Stream.merge(
              Stream.map(jobs.changes, (job) => `data: ${JSON.stringify(job)}\n\n`),
              // An idle connection may be closed.
              Stream.fromSchedule(Schedule.spaced("15 seconds")).pipe(Stream.as(":\n\n")),
            ).pipe(Stream.prepend(Chunk.of(":\n\n"))),
          ),
          { contentType: "text/event-stream" },
        ))))
