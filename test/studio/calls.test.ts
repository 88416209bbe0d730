import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { listen } from "../localServer.ts"
import { scoped, world } from "../run/world.ts"
import { asked, pageOf, served } from "./opened.ts"

const refuse = (answer: ServerResponse) => answer.writeHead(401).end(JSON.stringify({ message: "Not today" }))

/** A form service that refuses requests, as long as the test lets it answer. */
const slowService = Effect.acquireRelease(
  Effect.promise(async () => {
    const waiting: Array<ServerResponse> = []
    const server = createServer((_, answer) => {
      if (service.answers) refuse(answer)
      else {
        waiting.push(answer)
        server.emit("asked")
      }
    })
    const address = `http://127.0.0.1:${await listen(server)}/v1/api`
    const service = { server, waiting, address, answers: false }
    return service
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    }),
)

scoped(
  "a call that takes longer doesn't keep its connection, and ends if its page leaves",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    const service = yield* slowService
    const { address, server, waiting } = service
    yield* source(["1,Ada,ada@example.org"])
    yield* write("config/formferry.yaml", `services: { live: { baseUrl: "${address}", apiKey: { env: THE_KEY } } }\n`)
    const { ask, call, origin } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const { text } = await call("draft", "open", { pipeline: "people" })
      const payload = JSON.stringify({ pipeline: "people", text })
      const begin = async () => {
        const answer = await ask("/api/draft/state", payload)
        expect(answer.status).toBe(202)
        return String(answer.headers["location"])
      }
      const place = await begin()
      expect((await ask(place)).status).toBe(202)
      expect(await asked(origin, place)).toMatchObject({ status: 403 })
      service.answers = true
      waiting.splice(0).forEach(refuse)
      let answer = await ask(place)
      while (answer.status === 202) answer = await ask(place)
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("Not today") })
      // An answer is given once.
      expect((await ask(place)).status).toBe(404)

      service.answers = false
      const left = await begin()
      if (waiting.length === 0) await once(server, "asked")
      const ended = Promise.all(waiting.map((one) => once(one, "close")))
      expect((await ask(left, "", "DELETE")).status).toBe(200)
      await ended
      expect((await ask(left)).status).toBe(404)
    })
  }),
)
