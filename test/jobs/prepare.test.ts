// Tests the steps before a run. The source is opened while the form is being fetched.
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit } from "effect"
import type { Socket } from "node:net"
import { prepare } from "../../src/jobs/prepare.ts"
import { withoutOptions } from "../../src/jobs/run.ts"
import { type Services, shareServices } from "../../src/jobs/services.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { pipelineYaml, platform, projectFolder } from "../project/projectFolder.ts"
import { answerText, rawServer } from "../service/rawServer.ts"

const form = JSON.stringify({
  id: "abc",
  name: "ABC",
  questions: [{ id: "q", name: "Full name", type: "ShortAnswer" }],
})
const csv = (file: string) =>
  pipelineYaml("contacts", "service: live, form: abc").replace("../samples/contacts.csv", file)

/** Prepares a run with this server as the project's service, and returns the error. */
const preparedAt = (
  port: number,
  file: string,
  { digestAhead = false, key = "THE_KEY", services }: {
    readonly digestAhead?: boolean
    readonly key?: string | undefined
    readonly services?: Services
  } = {},
) =>
  Effect.gen(function*() {
    const root = yield* projectFolder({
      "config/formferry.yaml": `services:\n  live: { baseUrl: "http://127.0.0.1:${port}", apiKey: { env: ${key} } }\n`,
      ".env": "THE_KEY=a_key\n",
      "pipelines/contacts.yaml": csv(file),
    })
    const project = yield* loadProject(root)
    const pipeline = project.pipelines.get("contacts")
    if (pipeline === undefined) return yield* Effect.dieMessage("the pipeline does not exist")
    return yield* Effect.scoped(
      Effect.either(prepare(project, pipeline, { ...withoutOptions, digestAhead, services })),
    )
  })

it.scopedLive("the form is requested while the source is being opened", () =>
  Effect.gen(function*() {
    const held: Array<() => void> = []
    const server = yield* rawServer((socket: Socket, soFar) => {
      const isForm = soFar.includes("/forms/abc")
      held.push(() => void socket.write(answerText(200, isForm ? form : "Id,Name\n1,Ada\n")))
      // The first request is answered only after the second request.
      if (held.length === 2) held.forEach((answer) => answer())
    })
    const prepared = yield* preparedAt(server.port, `http://127.0.0.1:${server.port}/contacts.csv`)
    expect(Either.isRight(prepared) && prepared.right.form.name).toBe("ABC")
    expect(server.requests().length).toBe(2)
  }).pipe(Effect.provide(platform)))

it.scopedLive("the form is requested after the source is open if opening computes the source's digest", () =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const server = yield* rawServer((socket: Socket, soFar) => {
      const isForm = soFar.includes("/forms/abc")
      asked.push(isForm ? "form" : "source")
      socket.write(answerText(200, isForm ? form : "Id,Name\n1,Ada\n"))
    })
    const file = `http://127.0.0.1:${server.port}/contacts.csv`
    expect(Either.isRight(yield* preparedAt(server.port, file, { digestAhead: true }))).toBe(true)
    expect(asked).toEqual(["source", "form"])
  }).pipe(Effect.provide(platform)))

it.scopedLive("an unreadable source is reported immediately, even if the form never arrives", () =>
  Effect.gen(function*() {
    const server = yield* rawServer(() => undefined)
    const prepared = yield* preparedAt(server.port, "../nowhere.csv")
    expect(Either.isLeft(prepared) && [prepared.left._tag, prepared.left.message]).toEqual([
      "SourceError",
      expect.stringContaining("There is no file"),
    ])
  }).pipe(Effect.provide(platform)))

it.scopedLive("the form's request is cancelled if the source can't be read, even if the service stays open for other callers", () =>
  Effect.gen(function*() {
    const asked: Array<() => void> = []
    const givenUp = yield* Deferred.make<void>()
    const server = yield* rawServer((socket: Socket, soFar) => {
      const isForm = soFar.includes("/forms/abc")
      if (isForm) socket.once("close", () => Deferred.unsafeDone(givenUp, Exit.void))
      asked.push(() => void (isForm || socket.write(answerText(404, "not here"))))
      // The source fails only after the form was requested, and the form never arrives.
      if (asked.length === 2) asked.forEach((answer) => answer())
    })
    const services = yield* shareServices
    const prepared = yield* preparedAt(server.port, `http://127.0.0.1:${server.port}/contacts.csv`, { services })
    expect(Either.isLeft(prepared) && prepared.left._tag).toBe("SourceError")
    // This is much less than the request's own timeout.
    yield* Effect.timeout(Deferred.await(givenUp), "10 seconds")
  }).pipe(Effect.provide(platform)))

it.scopedLive("an unreadable source is reported, even if a form or key is also missing", () =>
  Effect.gen(function*() {
    const server = yield* rawServer((socket) => void socket.write(answerText(404, "{}")))
    const tagOf = (file: string, key?: string) =>
      Effect.map(preparedAt(server.port, file, { key }), (prepared) => Either.isLeft(prepared) && prepared.left._tag)
    expect([yield* tagOf("../nowhere.csv"), yield* tagOf("../nowhere.csv", "OTHER_KEY")]).toEqual([
      "SourceError",
      "SourceError",
    ])
    expect([yield* tagOf("contacts.yaml"), yield* tagOf("contacts.yaml", "OTHER_KEY")]).toEqual([
      "ServiceUnusable",
      "ConfigurationInvalid",
    ])
  }).pipe(Effect.provide(platform)))
