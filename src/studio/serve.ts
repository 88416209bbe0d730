import * as Etag from "@effect/platform/Etag"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpPlatform from "@effect/platform/HttpPlatform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { hash } from "node:crypto"
import type { AddressInfo } from "node:net"
import { ownFolder } from "../jobs/demo.ts"
import { listen, pagePolicy } from "../practice/loopback.ts"
import { type Disk, disk } from "../project/disk.ts"
import { reportScript } from "../report/html/reportPage.ts"
import { sharedStyle } from "../report/html/style.ts"
import { isFolderName } from "../report/pastRuns.ts"
import { StudioApi } from "./Api.ts"
import { callsOverHttp } from "./callsOverHttp.ts"
import { makeGate, plain, type Reply, send } from "./Gate.ts"
import { draftCalls, projectCalls } from "./pipelineCalls.ts"
import { resultCalls, runCalls } from "./runCalls.ts"
import { makeStudio, projectWith, Studio, type StudioOptions } from "./Studio.ts"

const utf8 = (type: string) => `${type}; charset=utf-8`

const pageTypes = new Map([[".js", utf8("text/javascript")], [".css", utf8("text/css")]])
/** A script is not among a report's files: the page's policy would run it. */
const reportTypes = new Map([[".html", utf8("text/html")], [".csv", utf8("text/csv")], [".json", "application/json"]])

/** The page without its content. It contains no data of a project. */
const shell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>formferry studio</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/main.js"></script>
<div id="app"></div>
`

/** Reads the page's files, which the build has made. Empty in a checkout that was not built. */
const pageFiles = Effect.gen(function*() {
  const { fs, path } = yield* disk
  const folder = path.join(yield* ownFolder, "dist", "studio")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const files = new Map<string, Reply>([
    ["/", { status: 200, headers: { "content-type": utf8("text/html") }, body: shell }],
    ["/favicon.ico", { status: 204, headers: {}, body: "" }],
  ])
  for (const name of names) {
    const own = yield* fs.readFile(path.join(folder, name))
    const body = name === "page.css" ? Buffer.concat([Buffer.from(sharedStyle), own]) : own
    files.set(`/${name}`, { status: 200, headers: { "content-type": pageTypes.get(path.extname(name)) ?? "" }, body })
  }
  return files
})

const notFound = plain(404, "There is no such page or file.")

/** Allows a report's page only formferry's script, because someone else may have written the file. The page's own policy is stricter. */
const reportPolicy = pagePolicy("style-src 'unsafe-inline'", `script-src ${reportScript}`)

/** Returns a file of a run's folder: `/reports/PIPELINE/RUN/FILE`. */
const reportFile = (pathname: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const parts = yield* Effect.try(() => pathname.split("/").slice(2).map(decodeURIComponent))
    const [, , name = ""] = parts
    const type = reportTypes.get(path.extname(name))
    if (parts.length !== 3 || !parts.every(isFolderName) || type === undefined) return yield* Effect.fail("NotFound")
    const { reports } = yield* projectWith([])
    const body = yield* fs.readFile(path.join(reports, ...parts))
    const download = name === "report.html" ? {} : { "content-disposition": "attachment" }
    return {
      status: 200,
      headers: { "content-type": type, "content-security-policy": reportPolicy, ...download },
      body,
    } satisfies Reply
  }).pipe(Effect.orElseSucceed(() => notFound))

/** Returns a project's usual port. With the same one, an open page continues after the studio was started again. */
const usualPort = (root: string): number => 61_000 + hash("sha256", root, "buffer").readUInt16BE() % 4_500

/** Serves the studio on loopback until the scope closes. Port 0 chooses any free port. Default: the project's usual port, or any free one. */
export const serveStudio = (options: StudioOptions & { readonly port: number | undefined }) =>
  Effect.gen(function*() {
    const studio = yield* makeStudio(options)
    const files = yield* pageFiles
    const opened = (port: number) => listen(port, "The studio")
    const server = yield* options.port === undefined
      ? Effect.orElse(opened(usualPort(options.root)), () => opened(0))
      : opened(options.port)
    const { port } = server.address() as AddressInfo
    const gate = makeGate(port, options.anotherLink)
    const calls = yield* Layer.toRuntime(
      HttpApiBuilder.api(StudioApi).pipe(
        Layer.provide([projectCalls, draftCalls, runCalls, resultCalls]),
        Layer.provide(Layer.succeed(Studio, studio)),
        Layer.provideMerge(
          Layer.mergeAll(
            HttpApiBuilder.Router.Live,
            HttpApiBuilder.Middleware.layer,
            Layer.provideMerge(HttpPlatform.layer, Etag.layerWeak),
          ),
        ),
        Layer.provideMerge(Layer.succeedContext(yield* Effect.context<Disk>())),
      ),
    )
    const answer = yield* callsOverHttp(
      HttpApp.toWebHandlerRuntime(calls)(yield* Effect.provide(HttpApiBuilder.httpApp, calls)),
    )
    const run = Runtime.runPromise(yield* Effect.runtime<Disk>())
    server.on("request", async (incoming, outgoing) => {
      const refused = gate.check(incoming)
      // The rest of a refused body is not read.
      if (refused !== undefined) return send(outgoing, refused, { connection: "close" })
      const { pathname } = new URL(incoming.url ?? "/", "http://127.0.0.1")
      if (pathname.startsWith("/api/")) return answer(incoming, outgoing)
      if (!pathname.startsWith("/reports/")) return send(outgoing, files.get(pathname) ?? notFound)
      send(outgoing, await run(Effect.provideService(reportFile(pathname), Studio, studio)))
    })
    return { newLink: gate.newLink, jobs: studio.jobs }
  })
