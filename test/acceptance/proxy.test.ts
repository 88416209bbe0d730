import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { listening, sendOn } from "../localServer.ts"
import { bench, csv, upTo } from "./contacts.ts"
import { formferry } from "./formferry.ts"

const run = promisify(execFile)

/** A host that only the proxy can find. */
const host = "forms.example.test"

/**
 * Makes a bench whose service is behind a proxy that requires a password.
 *
 * @param losesCreates whether the proxy closes its connections instead of passing on the answers to creates
 */
const behindProxy = (losesCreates = false) =>
  Effect.gen(function*() {
    const at = yield* bench()
    const [key, cert] = [join(at.folder, "tls.key"), join(at.folder, "tls.crt")]
    const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`, "-keyout", key, "-out", cert]
    const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" ")
    yield* Effect.promise(() => run("openssl", [...made, ...subject]))

    const tunnels = new Set<Socket>()
    const cut = () => tunnels.forEach((socket) => socket.destroy())
    const secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, outgoing) =>
      sendOn(
        new URL(at.baseUrl),
        incoming,
        outgoing,
        ...losesCreates && incoming.method === "POST" ? [cut] : [],
      ))
    const port = yield* listening(secure)
    const asked = new Set<string>()
    const proxy = createServer().on("connect", ({ headers, url }, socket: Socket) => {
      asked.add(`${url} ${headers["proxy-authorization"]}`)
      tunnels.add(socket)
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n")
        socket.pipe(onward).pipe(socket)
      })
      for (const one of [socket, onward]) one.on("error", () => {})
      socket.on("close", () => onward.destroy())
    })
    yield* Effect.addFinalizer(() => Effect.sync(cut))
    const env = {
      HTTPS_PROXY: `http://someone:p%40ss@127.0.0.1:${yield* listening(proxy)}`,
      NODE_EXTRA_CA_CERTS: cert,
    }
    const config = at.read("config/formferry.yaml")
    at.write("config/formferry.yaml", config.replaceAll(new URL(at.baseUrl).origin, `https://${host}`))
    return { ...at, asked, run: (...args: ReadonlyArray<string>) => formferry(args, { cwd: at.folder, env }) }
  })

it.scopedLive("a run sends and reads back through the proxy that HTTPS_PROXY names", () =>
  Effect.gen(function*() {
    const at = yield* behindProxy()
    at.write("source.csv", csv(upTo(25)))
    const run = yield* at.run("run", "contacts")
    expect(run.status, run.stdout + run.stderr).toBe(0)
    expect(at.report()).toMatchObject({ rows: { imported: 25 }, readBack: { verified: 25 } })
    expect([...at.asked]).toEqual([`${host}:443 Basic ${Buffer.from("someone:p@ss").toString("base64")}`])
  }))

it.scopedLive("rows are in doubt, and never sent again, if a proxy loses the answer to their create", () =>
  Effect.gen(function*() {
    const at = yield* behindProxy(true)
    at.write("source.csv", csv(upTo(5)))
    for (let time = 0; time < 2; time++) {
      const run = yield* at.run("run", "contacts")
      expect(run.status, run.stdout + run.stderr).not.toBe(0)
      expect(at.report().rows).toMatchObject({ inDoubt: 5 })
      expect(at.count()).toBe(5)
    }
  }))
