import { Effect, Exit } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { Agent } from "undici"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { fetchFile, isPublicIp, shownAddress } from "../../src/source/fetchFile.ts"
import { openSource } from "../../src/source/openSource.ts"
import { sendRequest } from "../../src/source/sendRequest.ts"
import { listen } from "../localServer.ts"
import { config, read, readAll, refusal, run } from "./opening.ts"

const secret = "s3cret-key"
const csv = "id,name\n1,Ada\n2,Bob\n"
let asked = 0

const answers: Readonly<Record<string, RequestListener>> = {
  "/answers.csv": (_, response) => void (asked++, response.end(csv)),
  "/answers.csv.gz": (_, response) => void response.end(gzipSync(csv)),
  "/packed": (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(csv)),
  "/packed-cut": (_, response) =>
    void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(csv).subarray(0, 20)),
  "/trailer-cut": (_, response) =>
    void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(csv).subarray(0, -8)),
  "/brotli-cut": (_, response) =>
    void response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync(csv).subarray(0, -3)),
  "/brotli": (_, response) => void response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync(csv)),
  "/deflate": (_, response) => void response.writeHead(200, { "content-encoding": "deflate" }).end(deflateSync(csv)),
  "/compressed-otherwise": (_, response) => void response.writeHead(200, { "content-encoding": "zstd" }).end(csv),
  "/without-length": (_, response) => {
    response.useChunkedEncodingByDefault = false
    response.writeHead(200, { connection: "close" }).end(csv)
  },
  "/identity": (_, response) =>
    void response.socket?.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n${csv}`),
  "/login": (_, response) => void response.end("<!DOCTYPE html><html><body>Sign in</body></html>"),
  "/dated": (_, response) =>
    void response.writeHead(200, { "last-modified": "Wed, 18 Nov 2026 02:00:00 GMT" }).end(csv),
  "/moved": (_, response) => void response.writeHead(302, { location: "/answers.csv" }).end(),
  "/around": (_, response) => void response.writeHead(302, { location: "/around" }).end(),
  "/away": (_, response) => void response.writeHead(302, { location: `http://example.org/x?key=${secret}` }).end(),
  "/private": (_, response) => void response.writeHead(403).end(),
  "/broken": (_, response) => void response.writeHead(503).end(),
  "/cut": (_, response) => {
    response.writeHead(200, { "content-length": "1000" }).write("id,name\n1,A")
    setTimeout(() => response.destroy(), 20)
  },
  "/large": (_, response) => void response.end("x".repeat(100_000)),
  "/slow": (_, response) => void response.writeHead(200).write("id,name\n"),
}

let server: Server
let base = ""
/** The folder for temporary files. Other tests use a different one, so that what is left in it is left by a fetch. */
let temporary = ""
const usual = process.env["TMPDIR"]
beforeAll(async () => {
  process.env["TMPDIR"] = temporary = mkdtempSync(join(tmpdir(), "formferry-fetch-"))
  server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? "/", "http://x").pathname]
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  base = `http://127.0.0.1:${await listen(server)}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  if (usual === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = usual
  rmSync(temporary, { recursive: true })
})

const leftBehind = () => readdirSync(temporary)

describe("a public address", () => {
  it("addresses of this machine, private networks, links and groups of hosts are not public", () => {
    for (const ip of ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]) {
      expect(isPublicIp(ip), ip).toBe(true)
    }
    for (
      const ip of [
        "127.9.9.9",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "2002:7f00:1::",
        "x",
      ]
    ) {
      expect(isPublicIp(ip), ip).toBe(false)
    }
  })
})

describe("a source with an address", () => {
  it("a source is fetched once into a file that only its owner can access, read twice, and removed", async () => {
    const before = leftBehind()
    asked = 0
    await run(Effect.gen(function*() {
      const source = yield* openSource(config(`${base}/answers.csv?key=${secret}`))
      const [folder] = leftBehind().filter((name) => !before.includes(name))
      expect(statSync(`${tmpdir()}/${folder}`).mode & 0o077).toBe(0)
      expect(statSync(`${tmpdir()}/${folder}/fetched`).mode & 0o177).toBe(0)
      expect(readFileSync(`${tmpdir()}/${folder}/fetched`, "utf8")).toBe(csv)
      const first = yield* readAll(source)
      const files = yield* source.files
      expect(files[0]?.file.file).toBe(`${base}/answers.csv`)
      expect((yield* readAll(source, files.map(({ fingerprint }) => fingerprint))).rows).toEqual(first.rows)
      expect(first.rows).toEqual([["1", "Ada"], ["2", "Bob"]])
    }))
    expect(asked).toBe(1)
    expect(leftBehind()).toEqual(before)
  })

  it("a fetched source may be an archive, be compressed in transit, and redirect to a different address", async () => {
    for (const path of ["/answers.csv.gz", "/packed", "/brotli", "/deflate", "/moved"]) {
      expect((await run(read(config(`${base}${path}`)))).rows).toEqual([["1", "Ada"], ["2", "Bob"]])
    }
  })

  it.each([
    ["/login", "is a web page, not a file with rows. Most likely it is a sign-in page"],
    ["/nothing", "was not found on its server. Correct `source.file`"],
    ["/private", "can't be fetched without signing in"],
    ["/broken", "the server answered 503"],
    ["/around", "redirects too many times"],
    ["/away", "would be fetched without encryption"],
    ["/cut", "was only fetched in part"],
    ["/packed-cut", "was only fetched in part"],
    ["/trailer-cut", "was only fetched in part"],
    ["/brotli-cut", "was only fetched in part"],
    ["/compressed-otherwise", 'sent an answer compressed as "zstd", which can\'t be read. Ask its operator for gzip.'],
    ["/without-length", "sent a file without its length"],
    ["/identity", "sent a file without its length"],
  ])("the source at %s is refused with advice and without secrets", async (path, expected) => {
    const before = leftBehind()
    const message = await refusal(config(`${base}${path}?key=${secret}`))
    expect(message).toContain(expected)
    expect(message).not.toContain(secret)
    expect(leftBehind()).toEqual(before)
  })

  it("the age of a source is the one that its server reports, or unknown, but never that of the copy", async () => {
    const changedAt = (path: string) =>
      run(Effect.map(openSource(config(`${base}${path}`)), (source) => source.changedAt))
    expect(await changedAt("/dated")).toBe(Date.parse("2026-11-18T02:00:00Z"))
    expect(await changedAt("/answers.csv")).toBeUndefined()
  })

  it("a source is fetched only with encryption or from this machine, and never with a password in its address", async () => {
    expect(await refusal(config("http://example.org/a.csv"))).toContain("would be fetched without encryption")
    expect(await refusal(config("ftp://example.org/a.csv"))).toContain("only https:// addresses can")
    const message = await refusal(config(`https://user:${secret}@example.org/a.csv`))
    expect(message).toContain("contains a user name or password")
    expect(message).not.toContain(secret)
    expect(await refusal(config("http://127.0.0.1:1/a.csv"))).toContain("could not be reached")
  })

  it("an https address is fetched through the proxy that the environment names", async () => {
    const wanted: Array<string | undefined> = []
    const proxy = createServer().on("connect", ({ url }, socket) => {
      wanted.push(url)
      socket.end("HTTP/1.1 403 No\r\n\r\n")
    })
    // A variable in lower case takes precedence.
    vi.stubEnv("https_proxy", `http://127.0.0.1:${await listen(proxy)}`)
    expect(await refusal(config("https://outside.example/a.csv"))).toContain("could not be reached")
    expect(wanted).toEqual(["outside.example:443"])
    vi.unstubAllEnvs()
    proxy.close()
  })

  it("a redirect from https to this machine or a private network is not followed, by address or by name", async () => {
    const port = new URL(base).port
    // This is the answer of a server on the internet. All other requests are real.
    const outside = (location: string): typeof fetch => async (input, init) => {
      if (String(input).startsWith("https://outside.example/")) {
        return new Response(null, { status: 302, headers: { location } })
      }
      const undici = await import("undici")
      return (undici.fetch as unknown as typeof fetch)(input, init)
    }
    const fetched = (location: string) =>
      run(Effect.exit(fetchFile("https://outside.example/a.csv", undefined, outside(location)))).then(String)
    asked = 0
    for (
      const host of [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[64:ff9b::7f00:1]",
        "localhost",
      ]
    ) {
      expect(await fetched(`https://${host}:${port}/answers.csv`), host).toContain(
        " this machine or to a private network",
      )
    }
    expect(await fetched(`${base}/answers.csv`)).toContain(" this machine or to a private network")
    expect(asked).toBe(0)
  })

  it("only the caller limits how long an answer may take, not undici", async () => {
    const slow = createServer((_, response) => {
      setTimeout(() => response.writeHead(200).write("id\n"), 1_500)
      setTimeout(() => response.end("1\n"), 3_000)
    })
    // Limits of 5 minutes are undici's default.
    const dispatcher = new Agent({ headersTimeout: 1, bodyTimeout: 1 })
    const init = { dispatcher } as unknown as RequestInit
    const answer = await sendRequest(`http://127.0.0.1:${await listen(slow)}/`, init)
    expect(await answer.text()).toBe("id\n1\n")
    await dispatcher.close()
    slow.close()
  })

  it("a source is requested without trace headers, even if the run is traced", async () => {
    const headers: Array<string> = []
    const other = createServer((request, response) => {
      headers.push(...Object.keys(request.headers))
      response.end(csv)
    })
    await run(fetchFile(`http://127.0.0.1:${await listen(other)}/a.csv`).pipe(Effect.withSpan("run")))
    other.close()
    expect(headers).toContain("host")
    expect(headers.filter((name) => /^(?:traceparent|tracestate|b3|x-b3-.*)$/.test(name))).toEqual([])
  })

  it("a source is abandoned if it is larger, or takes longer, than allowed", async () => {
    const most = (path: string, bytes: number, seconds: number) =>
      run(Effect.exit(fetchFile(`${base}${path}`, { bytes, seconds }))).then((exit) =>
        Exit.isFailure(exit) ? String(exit.cause) : "fetched"
      )
    expect(await most("/large", 99_999, 5)).toContain("is larger than 99,999 bytes")
    expect(await most("/large", 100_000, 5)).toBe("fetched")
    expect(await most("/slow", 1000, 0.2)).toContain("was not fetched within 0.2 seconds")
    expect(await most("/packed", csv.length - 1, 5)).toContain("is larger than")
  })

  it("only a source's host and the part that looks like a file name are shown", () => {
    expect(shownAddress("https://example.org/answers.csv?key=1#x")).toBe("https://example.org/answers.csv")
    expect(shownAddress("https://example.org/shared/Zk3abc/answers.csv")).toBe("https://example.org/…/answers.csv")
    expect(shownAddress("https://example.org/d/Zk3abcTOKEN/export")).toBe("https://example.org/…")
    expect(shownAddress("https://u:p@example.org/")).toBe("https://example.org/")
  })
})
