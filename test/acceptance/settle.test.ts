import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { lose, sendOn } from "../localServer.ts"
import { bench, csv, pipelineYaml, putBetween, upTo } from "./contacts.ts"
import { apiKey, formferry, start, until } from "./formferry.ts"
import { databases, databasesIfLong } from "./inPostgres.ts"

const pipeline = pipelineYaml({
  sink: "service: live\n  form: contacts\n  canary: off\n  concurrency: 1\n  stamp: { urlParameter: row_key }",
  more: "reconcile: { visibleWithin: 1 seconds }\n",
})

/** Faults between client and service: the numbers of the creates (counting from 1) that never arrive, and whether reads get no answer. */
interface Faults {
  readonly swallowed: ReadonlyArray<number>
  isSilent: boolean
  /** The number of reads that got no answer. */
  unanswered: number
}

/** A bench whose service stores these creates (numbers, counting from 1), but loses its answers to them. */
const losing = (place: Place, ...lost: ReadonlyArray<number>) =>
  losingAs(place, lost, { swallowed: [], isSilent: false, unanswered: 0 })

type Place = (typeof databases)[number]["place"]

const losingAs = (place: Place, lost: ReadonlyArray<number>, faults: Faults) =>
  Effect.gen(function*() {
    const at = yield* bench()
    ;(yield* place)(at)
    const upstream = new URL(at.baseUrl)
    let creates = 0
    yield* putBetween(at, (incoming, outgoing) => {
      const isCreate = incoming.method === "POST"
      const drops = isCreate && lost.includes(++creates)
      if (isCreate && faults.swallowed.includes(creates)) {
        incoming.resume().on("end", () => outgoing.destroy())
        return
      }
      if (!isCreate && faults.isSilent) {
        faults.unanswered++
        return
      }
      sendOn(upstream, incoming, outgoing, drops ? lose(outgoing) : undefined)
    })
    at.write("pipelines/contacts.yaml", pipeline)
    /** Downloads the CSV of the service's results page, as a person does. */
    const download = (file: string) =>
      Effect.promise(async () => at.write(file, await (await fetch(`${at.results}/contacts/csv`)).text()))
    /** Submits the form, as a person does. */
    const enter = (name: string) =>
      Effect.promise(() =>
        fetch(new URL(`${upstream.pathname}/forms/contacts/submissions`, upstream), {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ submissions: [{ questions: [{ id: "qName", value: name }] }] }),
        })
      )
    return { ...at, download, enter }
  })

it.scopedLive.each(databases)(
  "rows in doubt are settled by their stamps from the results download, and the next run confirms them ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* losing(place, 2)
      at.write("source.csv", csv(upTo(30)))
      yield* at.exits(4, "run", "contacts")
      expect(at.report().rows).toMatchObject({ imported: 20, inDoubt: 10 })
      yield* at.exits(2, "settle", "contacts", "--results", "missing.csv")

      yield* at.download("results.csv")
      const settled = yield* at.exits(0, "settle", "contacts", "--results", "results.csv")
      expect(settled.stdout).toContain("10 rows landed, nothing is left in doubt.")
      expect(settled.stdout).toContain("results.csv: 30 submissions")

      yield* at.exits(0, "run", "contacts")
      expect(at.report().rows).toMatchObject({ alreadyImported: 30, imported: 0 })
      expect(at.report().settled).toMatchObject([{ landed: 10, notLanded: 0, file: { name: "results.csv" } }])
      expect(at.read(`reports/contacts/latest/report.html`)).toContain("How rows in doubt were settled")
      const status = yield* at.inProcess("status", "contacts", "--json", "--verify")
      expect(JSON.parse(status.stdout)).toMatchObject({
        damage: [],
        pipelines: [{ standing: { imported: 30, inDoubt: 0, verdicts: { verified: 30 } } }],
      })
      expect(at.count()).toBe(30)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "rows that an export can't settle stay in doubt with exit code 4 until a person settles them ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const at = yield* losing(place, 1)
      at.write("source.csv", csv(upTo(10)))
      yield* at.exits(4, "run", "contacts")
      yield* at.download("results.csv")
      // Row 3 of the export has no stamp and a different name.
      const lines = at.read("results.csv").split("\r\n")
      at.write(
        "results.csv",
        lines.map((line) => line.includes("Person 3,") ? line.replace(/,3$/, ",") : line).map((line) =>
          line.replace("Person 3,", "Person Three,")
        ).join("\r\n"),
      )
      const settled = yield* at.exits(4, "settle", "contacts", "--results", "results.csv", "--json")
      const result = JSON.parse(settled.stdout)
      expect(result).toMatchObject({ landed: 9, notLanded: 0, left: 1, wants: "a person" })
      expect(result.rows.find((row: { readonly key: string }) => row.key === "3")).toMatchObject({
        outcome: "in doubt",
      })
      expect(settled.lastLine).toContain("formferry acknowledge contacts --rows 3 --because")

      for (
        const wrong of [
          ["settle", "contacts", "--as", "landed", "--rows", "3"],
          ["settle", "contacts", "--as", "landed", "--because", "seen"],
          ["settle", "contacts", "--results", "results.csv", "--complete"],
          ["settle", "contacts", "--as", "landed", "--all", "--because", "seen", "--complete"],
        ]
      ) {
        expect((yield* at.inProcess(...wrong)).status, wrong.join(" ")).toBe(2)
      }
      yield* at.exits(0, "settle", "contacts", "--as", "landed", "--rows", "3", "--because", "seen")
      expect((yield* at.inProcess("settle", "contacts", "--results", "results.csv")).stdout).toContain(
        "No row of contacts is in doubt",
      )
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(10)
    }),
)

it.scopedLive.each(databasesIfLong)(
  "rows that did not land are settled after a later test entry proves their absence, and the next run sends them ($name)",
  ({ place }) =>
    Effect.gen(function*() {
      const faults: Faults = { swallowed: [2], isSilent: false, unanswered: 0 }
      const at = yield* losingAs(place, [], faults)
      at.write("source.csv", csv(upTo(30)))
      yield* at.exits(4, "run", "contacts")
      expect(at.count()).toBe(20)
      yield* Effect.sleep("1100 millis")
      yield* at.download("results.csv")
      const settle = ["settle", "contacts", "--results", "results.csv", "--json"]
      const early = yield* at.exits(4, ...settle)
      const { left, notLanded, testEntry, wants } = JSON.parse(early.stdout)
      expect({ left, notLanded, wants }).toEqual({ left: 10, notLanded: 0, wants: "a witness" })

      // An interrupted command settles nothing and damages nothing.
      faults.isSilent = true
      for (const [signal, times] of [["SIGHUP", 1], ["SIGTERM", 2]] as const) {
        const settling = start(settle, { cwd: at.folder })
        yield* until(() => faults.unanswered === times)
        settling.signal(signal)
        const ended = yield* Effect.promise(() => settling.ended)
        expect(ended.status, signal + ended.stderr).toBe(143)
        expect(ended.lastLine).toContain("formferry settle contacts")
      }
      faults.isSilent = false

      yield* at.enter(`test ${testEntry}`)
      yield* at.download("results.csv")
      const proved = yield* at.exits(0, ...settle)
      const result = JSON.parse(proved.stdout)
      expect(result).toMatchObject({ landed: 0, notLanded: 10, left: 0 })
      expect(result.rows[0].reason).toContain(`it contains the test entry ${testEntry}, which was made later`)
      yield* at.exits(0, "run", "contacts")
      expect(at.answers("qName")).toEqual([...upTo(30).map((key) => `Person ${key}`), `test ${testEntry}`].toSorted())
    }),
)

it.scopedLive.each(databasesIfLong)(
  "if the clock went back between batches, only an export declared complete proves that rows did not land, unless a server's clock counts ($name)",
  ({ name, place }) =>
    Effect.gen(function*() {
      const at = yield* losingAs(place, [], { swallowed: [2], isSilent: false, unanswered: 0 })
      at.write("source.csv", csv(upTo(20)))
      yield* at.exits(4, "run", "contacts")
      yield* Effect.sleep("1100 millis")
      // A later batch is sent while the clock is set back by an hour.
      at.write("clock.mjs", "const now = Date.now\nDate.now = () => now() - 3_600_000\n")
      at.write("source.csv", csv(upTo(22)))
      const NODE_OPTIONS = `--import=${at.folder}/clock.mjs`
      const earlier = yield* formferry(["run", "contacts"], { cwd: at.folder, env: { NODE_OPTIONS } })
      expect(earlier.status, earlier.stdout + earlier.stderr).toBe(4)
      at.write("source.csv", csv(upTo(24)))
      yield* at.exits(4, "run", "contacts")
      expect(at.count()).toBe(14)

      yield* at.download("results.csv")
      const settle = ["settle", "contacts", "--results", "results.csv", "--json"]
      if (name === "SQLite") {
        const abstains = yield* at.exits(4, ...settle)
        const result = JSON.parse(abstains.stdout)
        expect(result).toMatchObject({ notLanded: 0, left: 10, wants: "a vouched export" })
        expect(result.rows[0].reason).toContain("the clock was set back after the row was sent")
        settle.push("--complete", "--because", "downloaded without a filter")
      }
      const settled = yield* at.exits(0, ...settle)
      expect(JSON.parse(settled.stdout)).toMatchObject({ notLanded: 10, left: 0 })
      yield* at.exits(0, "run", "contacts")
      expect(at.answers("qName")).toEqual(upTo(24).map((key) => `Person ${key}`).toSorted())
    }),
)
