import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { copySource, keepSource, removeUnusedSources, safeName } from "../../src/jobs/newSource.ts"
import { LockHolder } from "../../src/ledger/holder.ts"
import { accepts, otherAddresses } from "../localServer.ts"
import { platform } from "../project/projectFolder.ts"
import { live, world } from "../run/world.ts"
import { asked, enter, pageOf, served } from "./opened.ts"

live(
  "accepts connections at 127.0.0.1 only",
  Effect.gen(function*() {
    const { root } = yield* world
    const port = Number(new URL((yield* served(root)).origin).port)
    expect(yield* accepts("127.0.0.1", port)).toBe(true)
    for (const address of otherAddresses) expect([address, yield* accepts(address, port)]).toEqual([address, false])
  }),
)

const home = { method: "POST", body: "{}" } as const
const json = { "content-type": "application/json", "content-length": "2" }

live(
  "refuses requests without a session, from a wrong host or origin, or with a used, guessed or outdated link",
  Effect.gen(function*() {
    const { root } = yield* world
    const studio = yield* served(root)
    const { origin } = studio
    const host = new URL(origin).host
    yield* Effect.promise(async () => {
      const outdated = studio.newLink()
      const link = studio.newLink()
      const open = (address: string) => asked(origin, address.slice(origin.length))
      expect((await open(outdated)).status).toBe(403)
      expect((await open(`${origin}/open?token=`)).status).toBe(403)
      const cookie = await enter(origin, link)
      expect(cookie).toMatch(new RegExp(`^formferry-studio-${new URL(origin).port}=[\\w-]{32}$`))
      // Someone whose link was used by somebody else learns how to end that session.
      expect(await open(link)).toMatchObject({
        status: 403,
        body: expect.stringContaining("end the studio, which ends their"),
      })

      const call = (headers: Readonly<Record<string, string>>) =>
        asked(origin, "/api/project/home", { ...home, headers: { ...json, ...headers } })
      expect(await call({ cookie, origin })).toMatchObject({ status: 200 })
      expect(await call({ cookie, origin, "sec-fetch-site": "same-origin" })).toMatchObject({ status: 200 })
      const wrong: ReadonlyArray<readonly [Readonly<Record<string, string>>, number]> = [
        [{ origin }, 403],
        [{ cookie: cookie.replace(/=.*/, "=guessed"), origin }, 403],
        [{ cookie: cookie.replace(/-\d+=/, "="), origin }, 403],
        [{ cookie }, 403],
        [{ cookie, origin: "null" }, 403],
        [{ cookie, origin: "http://evil.example" }, 403],
        [{ cookie, origin: `https://${host}` }, 403],
        [{ cookie, origin: origin.replace("127.0.0.1", "localhost") }, 403],
        [{ cookie, origin, "sec-fetch-site": "cross-site" }, 403],
        [{ cookie, origin, "sec-fetch-site": "same-site" }, 403],
        [{ cookie, origin: "http://evil.example", host: "evil.example" }, 421],
        [{ cookie, origin, host: "127.0.0.1:1" }, 421],
        [{ cookie, origin, host: `${host}.evil.example` }, 421],
      ]
      for (const [headers, status] of wrong) {
        const answer = await call(headers)
        expect([headers, answer.status]).toEqual([headers, status])
        expect(answer.body).not.toContain("people")
      }
      for (const path of ["/", "/main.js", "/api/runs/events", "/reports/people/x/report.html"]) {
        expect(await asked(origin, path)).toMatchObject({ status: 403 })
      }
      expect(await asked(origin, "//", { headers: { cookie } })).toMatchObject({ status: 400 })
      for (const method of ["HEAD", "PUT", "TRACE"]) {
        const headers = { cookie, origin, "content-length": "0" }
        expect(await asked(origin, "/api/project/home", { method, headers })).toMatchObject({ status: 405 })
      }
    })
  }),
)

live(
  "allows the page only its own scripts, styles and requests, and keeps every answer out of caches",
  Effect.gen(function*() {
    const { root } = yield* world
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { get, send } = await pageOf(studio)
      for (const path of ["/", "/favicon.ico", "/nowhere", "/api/nowhere"]) {
        expect((await get(path)).headers).toMatchObject({
          "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
        })
      }
      await expect(send("project/home", "{}")).resolves.toBeDefined()
      await expect(send("project/home", `{"x":"${"a".repeat(17 * 1024 * 1024)}"}`)).rejects.toThrow("too large")
    })
  }),
)

it("makes a name without folders and without a meaning for the system", () => {
  const names = {
    "results.csv": "results.csv",
    "Antworten März (2).xlsx": "Antworten März (2).xlsx",
    "../../etc/passwd": "passwd",
    "..\\..\\boot.ini": "boot.ini",
    "..": "file-",
    ".env": "env",
    "/": "file-",
    "con.csv": "file-con.csv",
    "a\u0000b\u202e\n.csv": "a_b_.csv",
    "<img src=x onerror=alert(1)>.csv": "_img src_x onerror_alert(1)_.csv",
  }
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, safeName(name)]))).toEqual(names)
  expect(safeName(`${"x".repeat(300)}.csv`)).toMatch(/^x{96}\.csv$/)
})

live(
  "stores uploads only in the project's folder, never over a file, and no larger than the limit",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { root } = yield* world
    yield* fs.makeDirectory(path.join(root, "sources"))
    yield* fs.writeFileString(path.join(root, "sources", ".gitignore"), "# mine\n")
    const studio = yield* served(root, { maxUpload: 1_000 })
    yield* Effect.promise(async () => {
      const { call, send } = await pageOf(studio)
      const upload = (name: string, file: string) => send(`project/upload?name=${encodeURIComponent(name)}`, file)
      expect(await upload("../../config/formferry.yaml", "No\n1\n")).toEqual({ file: "sources/formferry.yaml" })
      expect(await upload("formferry.yaml", "other")).toMatchObject({ file: "sources/formferry (2).yaml" })
      await expect(upload("large.csv", "x".repeat(1_001))).rejects.toMatchObject({ status: 422 })
      const same = await Promise.all(Array.from({ length: 8 }, (_, at) => upload("same.csv", `${at}`)))
      expect(new Set(same.map(({ file }) => file)).size).toBe(8)
      for (const [at, { file }] of same.entries()) {
        expect(readFileSync(path.join(root, file), "utf8")).toBe(`${at}`)
        rmSync(path.join(root, file))
      }
      const create = (source: string) =>
        call("project", "create", { pipeline: "new", source, service: "live", form: "people" })
      for (const source of ["/etc/passwd", "../outside.csv", "sources/link.csv", "."]) {
        await expect(create(source)).rejects.toMatchObject({ status: 422, content: { code: "InitRefused" } })
      }
    }).pipe(Effect.provide(platform))
    const stored = (yield* fs.readDirectory(path.join(root, "sources"))).filter((name) => !name.startsWith(".new-"))
    expect(stored.toSorted()).toEqual([".gitignore", "formferry (2).yaml", "formferry.yaml"])
    expect(yield* fs.readFileString(path.join(root, "sources", ".gitignore"))).toBe("# mine\n")
  }),
)

live(
  "removes an upload that its page cancelled, and has marked it from the start in case the studio is killed",
  Effect.gen(function*() {
    const { root } = yield* world
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { cookie, origin } = await pageOf(studio)
      const stored = () => {
        const folder = join(root, "sources")
        return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith("half.csv")).toSorted() : []
      }
      const sending = request(`${origin}/api/project/upload?name=half.csv`, {
        method: "POST",
        headers: { cookie, origin, "content-length": "1000" },
      }).on("error", () => {})
      sending.write("No,Name\n1,Ada\n")
      const marked = [expect.stringMatching(/^\.new-.*\.half\.csv$/), "half.csv"]
      await expect.poll(stored, { timeout: 30_000 }).toEqual(marked)
      sending.destroy()
      await expect.poll(stored, { timeout: 30_000 }).toEqual([])
    })
  }),
)

live(
  "removes what no pipeline was made from: at its end, and at its start what an ended studio left, but no other file",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { root, write } = yield* world
    const stored = Effect.map(fs.readDirectory(path.join(root, "sources")), (names) => names.toSorted())
    yield* Effect.scoped(Effect.gen(function*() {
      const studio = yield* served(root, { maxUpload: Infinity })
      const page = yield* Effect.promise(() => pageOf(studio))
      yield* Effect.promise(async () => {
        await page.send("project/upload?name=open.csv", "No\n1\n")
        // This one is being read when the studio ends.
        const rows = Array.from({ length: 300_000 }, (_, at) => `${at},Person,p@example.org`)
        const { file } = await page.send("project/upload?name=read.csv", ["No,Name,Mail", ...rows].join("\n"))
        page.leaving("project/create", { pipeline: "read", source: file, service: "live", form: "people" })
        const read = async () => (await page.call("project", "reading", { pipeline: "read" })).rows ?? 0
        await expect.poll(read, { timeout: 30_000 }).toBeGreaterThan(0)
      })
      expect(yield* stored).toEqual(expect.arrayContaining(["open.csv", "read.csv"]))
    }))
    yield* Effect.promise(async () =>
      await expect.poll(() => Effect.runPromise(Effect.provide(stored, platform)), { timeout: 30_000 })
        .toEqual([".gitignore"])
    )

    const during = (boot: string) => Effect.provideService(LockHolder, () => ({ pid: process.pid, born: "", boot }))
    yield* Effect.forEach(
      ["left.csv", "named.csv", "made.csv"],
      (name) => copySource(root, Stream.make(Buffer.from("No\n1\n")), name, 100),
    ).pipe(during("earlier"))
    yield* keepSource(root, "sources/made.csv").pipe(during("earlier"))
    yield* copySource(root, Stream.make(Buffer.from("No\n1\n")), "now.csv", 100).pipe(during("now"))
    yield* write("sources/own.csv", "No\n1\n")
    yield* write("pipelines/named.yaml", "pipeline: named\nsource: { file: ../sources/named.csv }\n")
    yield* removeUnusedSources(root).pipe(during("now"))
    const names = (yield* stored).filter((name) => !name.startsWith("."))
    expect(names).toEqual(["made.csv", "named.csv", "now.csv", "own.csv"])
  }),
)

live(
  "reads no file outside a run's folder, whatever the address says",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(["1,Ada,ada@example.org"])
    const report = yield* run()
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { get } = await pageOf(studio)
      const page = await get(`/reports/people/${report.run}/report.html`)
      const [, script = ""] = /<script>(.*)<\/script>/s.exec(page.body) ?? []
      const digest = createHash("sha256").update(script).digest("base64")
      const policy = page.headers["content-security-policy"]
      expect([page.status, policy]).toEqual([200, expect.stringContaining(`; script-src 'sha256-${digest}';`)])
      expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'; script-src /)
      const file = await get(`/reports/people/${report.run}/imported.csv`)
      expect(file.headers).toMatchObject({ "content-disposition": "attachment" })
      const hostile = [
        `/reports/people/${report.run}/..%2f..%2f..%2fconfig%2fformferry.yaml`,
        "/reports/..%2f..%2fconfig/schemas/pipeline.schema.json",
        "/reports/..%2f.env",
        "/reports/people/%2e%2e/report.html",
        `/reports/people/${report.run}/..%5c..%5creport.json`,
        "/reports/people/%E0%A4%A/report.html",
        "/../config/formferry.yaml",
        "/..%2fmain.js",
      ]
      for (const path of hostile) expect([path, (await get(path)).status]).toEqual([path, 404])
    })
  }),
)

live(
  "serves a report under its strict policy however its address is written, and no script next to it",
  Effect.gen(function*() {
    const { root, run, source, write } = yield* world
    yield* source(["1,Ada,ada@example.org"])
    const folder = `reports/people/${(yield* run()).run}`
    yield* write(`${folder}/attack.js`, "alert(1)")
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { get } = await pageOf(studio)
      for (const name of ["report.html", "report%2Ehtml", "%72eport%2e%68tml"]) {
        const policy = (await get(`/${folder}/${name}`)).headers["content-security-policy"]
        expect([name, policy]).toEqual([name, expect.stringContaining("; script-src 'sha256-")])
      }
      for (const name of ["attack.js", "attack%2ejs"]) {
        expect([name, (await get(`/${folder}/${name}`)).status]).toEqual([name, 404])
      }
    })
  }),
)

live(
  "never sends an API key that a service repeats, and passes hostile messages, cells and names on as text",
  Effect.gen(function*() {
    const attack = "<script>window.attacked = 1</script>"
    const { address, configure, fail, practice, root, source, write } = yield* world
    yield* source([`1,"${attack}",ada@example.org`])
    // A service's client knows only its own key. The other one is hidden by the studio.
    const other = "another_key_of_the_test"
    yield* write(".env", `THE_KEY=practice_key_of_the_test\nOTHER_KEY=${other}\n`)
    yield* configure(`  other: { baseUrl: "${address}", apiKey: { env: OTHER_KEY } }\n`)
    yield* write(
      "pipelines/people.yaml",
      `pipeline: people\nsource: { file: ../source.csv, rowKey: [No] }\nmapping:\n  questions:\n    - { name: Name, from: Name }\nsink: { service: live, form: people }\n`,
    )
    const key = "practice_key_of_the_test"
    const refusal = {
      status: 401,
      body: JSON.stringify({ message: `The keys ${key} and ${other} are wrong ${attack}` }),
    }
    const told = `The keys <the API key> and <secret> are wrong ${attack}`
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call, done, get, send } = await pageOf(studio)
      const { text } = await call("draft", "open", { pipeline: "people" })
      const draft = { pipeline: "people", text }
      await expect(call("project", "forms", { service: "other" })).rejects.toThrow("does not accept")
      // Each answer about the form contains what the service says.
      const asks = [
        () => call("draft", "survey", { ...draft, whole: true }).catch(({ content }) => content),
        () => call("draft", "state", draft),
        () => done({ pipeline: "people", mode: "check" }),
        () => done({ pipeline: "people", mode: "run" }),
      ]
      for (const ask of asks) {
        fail("FORM", refusal)
        const answer = JSON.stringify(await ask())
        expect(answer).toContain(told)
        expect(answer).not.toContain(key)
        expect(answer).not.toContain(other)
      }
      // The form arrives, and the rows are refused.
      fail("POST", refusal)
      expect(await done({ pipeline: "people", mode: "run" })).toMatchObject({
        exitCode: 5,
        message: expect.stringContaining(told),
      })
      expect(practice.count("people")).toBe(0)
      const answers = JSON.stringify([
        await call("project", "home", {}),
        await call("draft", "survey", { ...draft, whole: true }),
        await call("draft", "state", draft),
        await call("draft", "preview", { ...draft, row: 1, rows: 1 }),
        await call("results", "report", { pipeline: "people" }),
      ])
      expect(answers).not.toContain(key)
      expect(answers).toContain(JSON.stringify(attack).slice(1, -1))
      for (const path of ["/", "/api/project/home"]) expect((await get(path)).body).not.toContain("window.attacked")
      await expect(send("draft/open", JSON.stringify({ pipeline: attack }))).rejects.toMatchObject({ status: 422 })
    })
  }),
)

live(
  "an API key of a few characters changes no answer",
  Effect.gen(function*() {
    const { address, configure, root, write } = yield* world
    yield* write(".env", "THE_KEY=practice_key_of_the_test\nOTHER_KEY=e\n")
    yield* configure(`  other: { baseUrl: "${address}", apiKey: { env: OTHER_KEY } }\n`)
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call } = await pageOf(studio)
      await expect(call("project", "forms", { service: "other" })).rejects.toThrow("does not accept")
      expect(await call("project", "home", {})).toMatchObject({ services: ["live", "other"] })
    })
  }),
)
