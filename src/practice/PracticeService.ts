import { Effect, Random, Redacted, Runtime, Schema, Utils } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Form } from "../domain/form.ts"
import type { Submission } from "../domain/submission.ts"
import { makeCodec } from "../service/codec.ts"
import { inProcess as inProcessTransport } from "../service/inProcess.ts"
import type { ServedRequest } from "../service/inProcess.ts"
import type { OpenTransport } from "../service/transport.ts"
import { overview } from "./overview.ts"
import { RateWindow } from "./RateWindow.ts"
import type { RateLimit } from "./RateWindow.ts"
import { refusal } from "./refusals.ts"
import type { PracticeAnswer } from "./refusals.ts"
import { makeRules } from "./rules.ts"
import { memoryStore } from "./store.ts"
import type { PracticeStore } from "./store.ts"

/** The practice service can't listen on the port that it was given. */
export class PracticeNotServed extends Schema.TaggedError<PracticeNotServed>()("PracticeNotServed", {
  port: Schema.Number,
  code: Schema.String,
}) {
  override get message() {
    return `The practice service can't listen on port ${this.port} (${this.code}). Give it another port, or 0 for any free one.`
  }
}

export interface PracticeOptions {
  readonly forms: ReadonlyArray<Form>
  /** Default: in memory. */
  readonly store?: PracticeStore
  /** Default: a key of its own, made anew. */
  readonly apiKey?: Redacted.Redacted
  /** Default: none. */
  readonly rateLimit?: RateLimit
  /** The payment processor's name in the wire's field names; default `gateway`. */
  readonly gateway?: string
  /** Default `includeEditLink`. */
  readonly editLinkParameter?: string
  /** Bytes of a request body at most; default 4 MiB. */
  readonly maxBody?: number
}

/** A practice service, however it is reached. */
export interface Practice {
  readonly apiKey: Redacted.Redacted
  /** The submissions of a form in the order of their creation, as the service returns them. */
  readonly submissions: (form: string) => ReadonlyArray<Submission>
  /** How many there are. */
  readonly count: (form: string) => number
}

export interface ServedPractice extends Practice {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string
}

const prefix = "/v1/api"
const maxBodyDefault = 4 * 1024 * 1024

/** The service behind both ways to reach it. */
const start = (options: PracticeOptions, origin: () => string) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const draw = Random.nextIntBetween(0, 2 ** 31)
    const random = new Utils.PCGRandom(yield* draw, yield* draw)
    const hex = (digits: number) => random.integer(16 ** digits).toString(16).padStart(digits, "0")
    const newId = () => `${hex(6)}${hex(2)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
    const apiKey = options.apiKey ?? Redacted.make(`practice_${hex(6)}${hex(6)}`)
    const store = options.store ?? memoryStore()
    const gateway = options.gateway ?? "gateway"
    const codec = makeCodec(gateway)
    const maxBody = options.maxBody ?? maxBodyDefault
    const rules = makeRules({
      forms: new Map(options.forms.map((form) => [form.id, form])),
      apiKey: Redacted.value(apiKey),
      prefix,
      gateway,
      editLinkParameter: options.editLinkParameter ?? "includeEditLink",
      editLinkBase: `${origin()}/edit/`,
      maxBody,
      rate: options.rateLimit === undefined ? undefined : new RateWindow(options.rateLimit),
    })
    const answer = (request: ServedRequest): Effect.Effect<PracticeAnswer> =>
      Effect.suspend(() => {
        const decision = rules(request, { store, now: clock.unsafeCurrentTimeMillis(), newId })
        return decision.created === undefined
          ? Effect.succeed(decision.answer)
          : Effect.as(store.append(decision.created.form, decision.created.submissions), decision.answer)
      })
    const practice: Practice = {
      apiKey,
      submissions: (form) =>
        store.all(form).flatMap(({ json }) => codec.read(Buffer.from(`{"submission":${json}}`)) ?? []),
      count: (form) => store.all(form).length,
    }
    return { practice, answer, maxBody }
  })

/**
 * Serves the practice service over real HTTP on loopback until the scope closes. Port 0 takes any free one.
 * node:http stands directly behind the rules: @effect/platform's HttpServer was measured to double the cost of a request.
 */
export const serve = (
  options: PracticeOptions & { readonly port: number },
): Effect.Effect<ServedPractice, PracticeNotServed, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* listen(options.port)
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { practice, answer, maxBody } = yield* start(options, () => origin)
    const run = Runtime.runCallback(yield* Effect.runtime<never>())
    server.on("request", (incoming, outgoing) => {
      if (incoming.url === "/") {
        reply(outgoing, overview(options.forms, prefix, practice.count))
        return
      }
      receive(incoming, maxBody, (body) => {
        if (body === undefined) {
          reply(outgoing, refusal(413, "Request body is too large"))
          return
        }
        const request = {
          method: incoming.method ?? "GET",
          path: incoming.url ?? "/",
          headers: incoming.headers as ServedRequest["headers"],
          body,
        }
        run(answer(request), {
          onExit: (exit) =>
            reply(outgoing, exit._tag === "Success" ? exit.value : refusal(500, "Internal Server Error")),
        })
      })
    })
    return { ...practice, baseUrl: `${origin}${prefix}` }
  })

/** The practice service without a network, as a transport: what the simulation puts its faults before. */
export const inProcess = (
  options: PracticeOptions,
): Effect.Effect<ServedPractice & { readonly open: OpenTransport }> =>
  Effect.map(start(options, () => "http://127.0.0.1"), ({ practice, answer }) => ({
    ...practice,
    baseUrl: `http://127.0.0.1${prefix}`,
    open: inProcessTransport({
      answer: (request) =>
        Effect.map(answer(request), ({ status, headers, body }) => ({ status, headers, body: Buffer.from(body) })),
    }),
  }))

const listen = (port: number): Effect.Effect<Server, PracticeNotServed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Server, PracticeNotServed>((resume) => {
      const server = createServer()
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(new PracticeNotServed({ port, code: error.code ?? error.name }))))
      server.listen(port, "127.0.0.1", () =>
        resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() =>
          resume(Effect.void)
        )
        server.closeAllConnections()
      }),
  )

/** The whole body, or undefined when it is longer than allowed; the rest is then read and dropped, so that the refusal is heard. */
const receive = (incoming: IncomingMessage, max: number, done: (body: Uint8Array | undefined) => void): void => {
  if (incoming.method === "GET") {
    incoming.resume()
    done(new Uint8Array(0))
    return
  }
  const chunks: Array<Buffer> = []
  let bytes = 0
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= max) chunks.push(chunk)
  })
  incoming.on("end", () => done(bytes > max ? undefined : Buffer.concat(chunks)))
}

const reply = (outgoing: ServerResponse, { status, headers, body }: PracticeAnswer): void => {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  outgoing.end(body)
}
