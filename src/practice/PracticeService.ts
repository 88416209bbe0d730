import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Utils from "effect/Utils"
import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Form } from "../domain/form.ts"
import type { Submission } from "../domain/submission.ts"
import type { Disk } from "../project/disk.ts"
import { makeCodec } from "../service/codec.ts"
import { type FaultPlan, makeFaults, type Reply } from "./faults.ts"
import { type FaultsFileInvalid, type FormFileInvalid, loadFaults, loadForms } from "./files.ts"
import { isOwnHost, listen, listenAt, type PortUnusable } from "./loopback.ts"
import { type PracticeAnswer, refusal } from "./refusals.ts"
import { results } from "./results.ts"
import { makeRules, type PracticeSettings, type ServedRequest } from "./rules.ts"
import { folderStore, memoryStore, type PracticeStore, type StoreUnusable } from "./store.ts"

export interface PracticeOptions extends Pick<PracticeSettings, "rate"> {
  readonly forms: ReadonlyArray<Form>
  /** The store of submissions. Default: in memory. */
  readonly store?: PracticeStore
  /** The API key. Default: a new key. */
  readonly apiKey?: Redacted.Redacted
  /** The payment processor's name in the service's field names. Default: `gateway`. */
  readonly gateway?: string
  /** The faults to inject (docs/practice.md). Default: none. */
  readonly faults?: FaultPlan
}

/** A running practice service. */
export interface Practice {
  readonly apiKey: Redacted.Redacted
  /** Returns the submissions of a form in the order of their creation, as the service returns them. */
  readonly submissions: (form: string) => ReadonlyArray<Submission>
  /** Returns the number of a form's submissions. */
  readonly count: (form: string) => number
  /** Returns how many times each fault occurred, by name. */
  readonly faults: () => Readonly<Record<string, number>>
}

/** A practice service over HTTP. */
export interface HttpPractice extends Practice {
  /** The base address with the version segment, without a trailing slash. */
  readonly baseUrl: string
  /** The address of the results page, with its token. */
  readonly results: string
}

/** Returns 128 random bits as text for a header or a path. */
const secret = () => randomBytes(16).toString("hex")

/** The path of the service's interface. */
export const prefix = "/v1/api"

/** The maximum number of bytes of a request body. */
const maxBody = 4 * 1024 * 1024

/** The reply at the root. It contains no form and no count, because other users of the machine can also see it. */
const overview: PracticeAnswer = {
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body:
    `formferry practice service. Its interface is under ${prefix}; to open its results page, use the link that formferry practice shows.\n`,
}

/** Starts the service without a transport. `origin` is the start of the address of its edit links. */
export const start = (options: PracticeOptions, origin: string) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const draw = Random.nextIntBetween(0, 2 ** 31)
    const random = new Utils.PCGRandom(yield* draw, yield* draw)
    const hex = (digits: number) => random.integer(16 ** digits).toString(16).padStart(digits, "0")
    const newId = () => `${hex(6)}${hex(2)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
    const apiKey = options.apiKey ?? Redacted.make(`practice_${secret()}`)
    const store = options.store ?? memoryStore()
    const gateway = options.gateway ?? "gateway"
    const codec = makeCodec(gateway)
    const rules = makeRules({
      forms: new Map(options.forms.map((form) => [form.id, form])),
      apiKey: Redacted.value(apiKey),
      prefix,
      gateway,
      editLinkBase: `${origin}/edit/`,
      rate: options.rate,
    })
    const faults = makeFaults(options.faults ?? { seed: 0, faults: [] }, {
      decide: (request, isListed) => rules(request, { store, now: clock.unsafeCurrentTimeMillis(), newId, isListed }),
      keep: store.append,
      remove: store.remove,
      now: () => clock.unsafeCurrentTimeMillis(),
      newId,
    })
    const practice: Practice = {
      apiKey,
      submissions: (form) =>
        store.all(form).flatMap(({ json }) => codec.read(Buffer.from(`{"submission":${json}}`)) ?? []),
      count: (form) => store.all(form).length,
      faults: faults.counts,
    }
    return { practice, faults, clock, store }
  })

/**
 * Serves the practice service over HTTP on loopback until the scope closes. Port 0 chooses any free port. node:http calls the rules directly, because @effect/platform's HttpServer doubles the cost of
 * a request.
 */
export const serve = (
  options: PracticeOptions & { readonly port: number },
): Effect.Effect<HttpPractice, PortUnusable, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* listen(options.port, "The practice service")
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const { practice, faults, clock, store } = yield* start(options, origin)
    const run = Runtime.runCallback(yield* Effect.runtime<never>())
    const later = yield* FiberHandle.makeRuntime<never>()
    /** Stops listening for the time that a fault sets. */
    const refuse = () => {
      const wait = faults.refusedUntil() - clock.unsafeCurrentTimeMillis()
      if (wait <= 0 || !server.listening) return
      server.close()
      later(Effect.delay(Effect.eventually(listenAt(server, port, "The practice service")), wait))
    }
    const token = secret()
    server.on("request", (incoming, outgoing) => {
      const head = { method: incoming.method ?? "GET", path: incoming.url ?? "/" }
      // Refuses web pages whose host name was redirected to this address (DNS rebinding).
      const page = !isOwnHost(incoming.headers.host, port)
        ? { status: 421, headers: { connection: "close" }, body: "" }
        : results(head, { forms: options.forms, store, token })
      if (page !== undefined) {
        incoming.resume()
        return reply(outgoing, page)
      }
      if (incoming.url === "/") return reply(outgoing, overview)
      const drawn = faults.draw(head, incoming.socket)
      if (drawn.fault?.resetsUnread === true) return void incoming.socket.resetAndDestroy()
      receive(incoming, (body) => {
        if (body === undefined) return reply(outgoing, refusal(413, "Request body is too large"))
        const request = { ...head, headers: incoming.headers as ServedRequest["headers"], body }
        run(faults.reply(request, drawn), {
          onExit: (exit) => {
            perform(outgoing, exit._tag === "Success" ? exit.value : brokenDown)
            refuse()
          },
        })
      })
    })
    return { ...practice, baseUrl: `${origin}${prefix}`, results: `${origin}/results/${token}` }
  })

/** The reply if the service itself fails. */
export const brokenDown: Reply = { _tag: "Answer", answer: refusal(500, "Internal Server Error") }

/** Receives the whole body. Undefined if it is longer than allowed. The remaining body is then read and discarded, so that the client reads the refusal. */
const receive = (incoming: IncomingMessage, done: (body: Uint8Array | undefined) => void): void => {
  if (incoming.method === "GET") {
    incoming.resume()
    return done(new Uint8Array(0))
  }
  const chunks: Array<Buffer> = []
  let bytes = 0
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBody) chunks.push(chunk)
  })
  incoming.on("end", () => done(bytes > maxBody ? undefined : Buffer.concat(chunks)))
}

const reply = (outgoing: ServerResponse, { status, headers, body }: PracticeAnswer): void => {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
  outgoing.end(body)
}

/** Sends a reply or resets the connection. */
const perform = (outgoing: ServerResponse, given: Reply): void => {
  switch (given._tag) {
    case "Answer":
      return reply(outgoing, given.answer)
    case "Reset":
      outgoing.socket?.resetAndDestroy()
      return
    case "Silence":
      return
    case "Cut": {
      const { body, headers, status } = given.answer
      const bytes = Buffer.from(body)
      outgoing.writeHead(status, { ...headers, "content-length": bytes.length })
      outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.socket?.destroy())
    }
  }
}

export type PracticeFailure = FormFileInvalid | FaultsFileInvalid | PortUnusable | StoreUnusable

/** The practice service and the forms that it serves. */
export interface EmbeddedPractice extends HttpPractice {
  readonly forms: ReadonlyArray<Pick<Form, "id" | "name">>
}

/**
 * Serves the practice service on loopback until the scope closes.
 *
 * @param settings.forms the folder of form files
 * @param settings.store the folder in which submissions survive a restart; default: in memory
 * @param settings.faults a faults file (docs/practice.md)
 * @param port 0 for any free port
 */
export const serveFormFolder = (
  settings: { readonly forms: string; readonly store: string | undefined; readonly faults?: string | undefined },
  port: number,
): Effect.Effect<EmbeddedPractice, PracticeFailure, Scope.Scope | Disk> =>
  Effect.gen(function*() {
    const forms = yield* loadForms(settings.forms)
    const served = yield* serve({
      forms,
      port,
      ...settings.store === undefined ? {} : { store: yield* folderStore(settings.store) },
      ...settings.faults === undefined ? {} : { faults: yield* loadFaults(settings.faults) },
    })
    return { ...served, forms: forms.map(({ id, name }) => ({ id, name })) }
  })
