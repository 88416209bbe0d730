import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answering, lose, sendOn } from "../localServer.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"
import { databasesIfLong } from "./inPostgres.ts"

/** Gives the project's service a different address and further keys. */
const moving = (at: Bench, configure: (at: Bench) => void) => (baseUrl: string, more = "") => {
  at.write(
    "config/formferry.yaml",
    `services:
  live:
    baseUrl: ${baseUrl}
    apiKey: { env: FORM_SERVICE_API_KEY }
    requestsPerSecond: 1000
    confirm: false
${more}`,
  )
  configure(at)
}

/** A project that has imported three rows, with its service's address and a second address of the same service. */
const imported = (place: (typeof databasesIfLong)[number]["place"]) =>
  Effect.gen(function*() {
    const at = yield* bench()
    const configure = yield* place
    configure(at)
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    const baseUrl = at.baseUrl
    return { at, baseUrl, other: baseUrl.replace("127.0.0.1", "localhost"), move: moving(at, configure) }
  })

it.scopedLive.each(databasesIfLong)(
  "a run recognises imported rows under every spelling of the service's address ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const { at, baseUrl, move } = yield* imported(place)
      const { pathname, port } = new URL(baseUrl)
      const spellings = [
        `HTTP://127.0.0.1:${port}${pathname}/`,
        `http://0x7f.1:${port}${pathname}`,
        `http://2130706433:${port}/.${pathname}`,
        `http://127.1:${port}/old/..${pathname}`,
      ]
      for (const spelling of spellings) {
        move(spelling)
        const ran = yield* at.inProcess("run", "contacts")
        expect([spelling, ran.status], ran.stderr).toEqual([spelling, 0])
        expect(at.count()).toBe(3)
      }
    }),
)

it.scopedLive.each(databasesIfLong)(
  "the same form under a different address is refused until the project declares that it is the same service ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const { at, baseUrl, move, other } = yield* imported(place)
      move(other)
      at.write("results.csv", "Submission ID,Name\n")
      const commands = [
        ["run", "contacts"],
        ["run", "contacts", "--dry-run"],
        ["rehearse", "contacts"],
        ["reconcile", "contacts"],
        ["acknowledge", "contacts", "--all", "--because", "seen"],
        ["settle", "contacts", "--as", "landed", "--all", "--because", "seen"],
      ]
      for (const command of commands) {
        const ran = yield* at.inProcess(...command)
        expect([command, ran.status], ran.stdout + ran.stderr).toEqual([command, 2])
        const said = onOneLine(ran.stderr)
        expect(said).toContain(`"previousBaseUrls: [${baseUrl}]" under services.live`)
        expect(said).toContain(`"separate: true"`)
      }
      expect(at.count()).toBe(3)
      move(other, `    previousBaseUrls: ["${baseUrl.replace("127.0.0.1", "0x7f.1")}/"]\n`)
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(3)
      expect(at.report().rows.alreadyImported).toBe(3)
      yield* at.exits(0, "reconcile", "contacts")
      // The service moves back to its first address.
      move(baseUrl, `    previousBaseUrls: ["${other}"]\n`)
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(3)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a run imports into a form with the same id at a service declared as separate ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const { at, baseUrl, move, other } = yield* imported(place)
      const separate = `  other:
    baseUrl: ${other}
    separate: true
    apiKey: { env: FORM_SERVICE_API_KEY }
    confirm: false
  play: { practice: { forms: ../forms } }
`
      move(baseUrl, separate)
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: other\n  form: contacts" }))
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(6)
      // The first service needs no setting, even after the other service was removed from the project.
      move(baseUrl)
      at.write("pipelines/contacts.yaml", pipelineYaml())
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(6)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a separate service is refused under a different address, by check as well, until its earlier address is named ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const { at, baseUrl, move, other } = yield* imported(place)
      const separate = "    separate: true\n"
      move(baseUrl, separate)
      at.write("source.csv", csv(upTo(4)))
      yield* at.exits(0, "run", "contacts")
      for (const more of [separate, ""]) {
        move(other, more)
        const refused = yield* at.inProcess("run", "contacts")
        expect([refused.status, refused.lastLine], refused.stdout).toEqual([2, "formferry check contacts"])
        const checked = yield* at.exits(2, "check", "contacts")
        expect(onOneLine(checked.stdout)).toContain(`"previousBaseUrls: [${baseUrl}]"`)
      }
      move(other, `${separate}    previousBaseUrls: ["${baseUrl}"]\n`)
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(4)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "rows of a rehearsal and of a practice service don't count at the real service, although the form has the same id ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const { at, baseUrl, move } = yield* imported(place)
      at.write("forms/contacts.json", (yield* at.inProcess("form", "live", "contacts", "--json")).stdout)
      const play = "  play: { practice: { forms: ../forms } }\n"
      move(baseUrl, play)
      const to = (service: string) =>
        at.write("pipelines/contacts.yaml", pipelineYaml({ sink: `service: ${service}\n  form: contacts` }))
      at.write("source.csv", csv(upTo(5)))
      to("play")
      const practised = yield* at.inProcess("run", "contacts")
      expect([practised.status, at.report().rows.imported], practised.stderr).toEqual([0, 5])
      to("live")
      const rehearsed = yield* at.inProcess("rehearse", "contacts")
      expect([rehearsed.status, at.report().rows.imported], rehearsed.stderr).toEqual([0, 2])
      expect(at.count()).toBe(3)
      const ran = yield* at.inProcess("run", "contacts")
      expect([ran.status, at.count()], ran.stderr).toEqual([0, 5])
      // The practice service knows its own rows.
      to("play")
      const again = yield* at.inProcess("run", "contacts")
      expect([again.status, at.report().rows.alreadyImported], again.stderr).toEqual([0, 5])
    }),
)

/** Starts a proxy that ignores the case of form ids, as some services do. */
const anyCase = (baseUrl: string) =>
  Effect.gen(function*() {
    const upstream = new URL(baseUrl)
    let isLosing = false
    const port = yield* answering((incoming, outgoing) => {
      incoming.url = incoming.url?.replace(/\/contacts/i, "/contacts")
      sendOn(upstream, incoming, outgoing, isLosing && incoming.method === "POST" ? lose(outgoing) : undefined)
    })
    return {
      baseUrl: `http://127.0.0.1:${port}${upstream.pathname}`,
      lose: () => {
        isLosing = true
      },
    }
  })

it.scopedLive.each(databasesIfLong)(
  "a form is identified by the id in its metadata, however the pipeline spells it ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("source.csv", csv(upTo(3)))
      const move = moving(at, yield* place)
      const service = yield* anyCase(at.baseUrl)
      move(service.baseUrl)
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: Contacts\n  canary: off" }))
      yield* at.exits(0, "run", "contacts")
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: CONTACTS\n  canary: off" }))
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(3)
      at.write("source.csv", csv(upTo(4)))
      service.lose()
      yield* at.exits(4, "run", "contacts")
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: contactS\n  canary: off" }))
      const settled = yield* at.exits(
        0,
        "settle",
        "contacts",
        "--as",
        "landed",
        "--all",
        "--because",
        "seen in the form",
      )
      expect(settled.stdout).toContain("landed")
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(4)
    }),
)
