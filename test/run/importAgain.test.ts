import { expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { readFile } from "node:fs/promises"
import Papa from "papaparse"
import type { RunReport } from "../../src/domain/report.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { listed } from "../ledger/rows.ts"
import { people, scoped, world } from "./world.ts"

const edited = (row: number, name: string) => `${row},${name},p${row}@example.org`

const again = { sink: ", onChange: import-again" }

const cellsOf = (csv: string) => Papa.parse<Array<string>>(csv, { delimiter: ",", skipEmptyLines: true }).data

/** A world with imported rows, whose pipeline imports changed rows again. Also reads its ledger. */
const imported = (rows: number, sink = again.sink) =>
  Effect.gen(function*() {
    const one = yield* world
    yield* one.settings({ sink })
    yield* one.source(people(1, rows))
    const first = yield* one.run()
    expect(first).toMatchObject({ exitCode: 0, rows: { imported: rows } })
    expect(first.replaced).toBeUndefined()
    const file = (yield* loadProject(one.root)).ledger.name
    const looked = <A, E>(look: (view: View) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger({ file })
        const [place] = yield* ledger.places
        if (place === undefined) throw new Error("The ledger is empty.")
        expect(yield* ledger.verify).toEqual([])
        return yield* look(yield* ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] }))
      }))
    const earlier = looked((view) =>
      Effect.map(listed(view, "replaced", { limit: 100 }), (all) =>
        all.map(({ key, submissionId }) => [key, submissionId]))
    )
    return { ...one, first, looked, earlier, idOf: idOf(one) }
  })

type View = Effect.Effect.Success<ReturnType<Effect.Effect.Success<ReturnType<typeof openLedger>>["pipeline"]>>

/** Returns the id of the newest submission with the given name. */
const idOf = ({ store }: Effect.Effect.Success<typeof world>) => (name: string): string | undefined =>
  store.all("people").findLast(({ json }) => json.includes(`"${name}"`))?.id

const importedCells = (one: Pick<Effect.Effect.Success<typeof world>, "file">, report: RunReport) =>
  Effect.map(one.file(report, "imported.csv"), (csv) => cellsOf(csv).slice(1))

scoped(
  "a changed row is imported again, its earlier submission stays, and all files show which submission is replaced",
  Effect.gen(function*() {
    const one = yield* imported(20)
    const old = one.idOf("Person 3")
    yield* one.source([...people(1, 2), edited(3, "Grace"), ...people(4, 21)])
    const report = yield* one.run()
    expect(report).toMatchObject({
      exitCode: 0,
      outcome: "complete",
      rows: { read: 21, alreadyImported: 19, imported: 2, changed: 0 },
      readBack: { verified: 2 },
      balance: { holds: true },
    })
    const now = one.idOf("Grace")
    expect(report.replaced).toEqual({
      count: 1,
      examples: [{ row: 3, key: "3", submissionId: now, replaces: old, editLink: expect.stringContaining(`${old}`) }],
    })
    expect(report.because.join()).toContain("1 row changed, and the new content")
    expect(one.names().length).toBe(22)
    expect((yield* importedCells(one, report)).map(([row, , id, , , replaces]) => [row, id, replaces])).toEqual([
      ["3", now, old],
      ["21", one.idOf("Person 21"), ""],
    ])
    const replaced = cellsOf(yield* one.file(report, "replaced.csv"))
    expect(replaced[0]).toEqual(["row", "key", "submission_id", "replaces", "edit_link"])
    expect(replaced[1]?.slice(0, 4)).toEqual(["3", "3", now, old])
    expect(yield* one.file(report, "report.html")).toContain("the earlier submission stays in the form")
    expect(yield* one.earlier).toEqual([["3", old]])
    expect(yield* one.looked((view) => view.standing)).toMatchObject({ imported: 21, replaced: 1 })

    // The new content is now the known content.
    yield* one.source([...people(1, 2), edited(3, "Grace"), ...people(4, 22)])
    expect(yield* one.run()).toMatchObject({
      exitCode: 0,
      rows: { alreadyImported: 21, imported: 1 },
    })
    // If the old content returns, the row has changed again, because its current submission has different content.
    yield* one.source(people(1, 22))
    expect(yield* one.run()).toMatchObject({
      rows: { alreadyImported: 21, imported: 1 },
      replaced: { count: 1, examples: [{ submissionId: one.idOf("Person 3"), replaces: now }] },
    })
    expect(yield* one.earlier).toEqual([["3", old], ["3", now]])
    // A replaced submission belongs to no row, so a person may delete it.
    yield* one.store.remove("people", `${old}`)
    yield* one.store.remove("people", `${now}`)
    expect(yield* one.reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 22, missing: 0 } })
  }),
)

scoped(
  "a changed row with an unknown outcome is in doubt and not resent until it is settled",
  Effect.gen(function*() {
    const one = yield* imported(12, `${again.sink}, canary: off`)
    const old = one.idOf("Person 3")
    const changed = [...people(1, 2), edited(3, "Grace"), ...people(4, 12)]
    yield* one.source(changed)
    one.fail("POST", "lost")
    expect(yield* one.run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 1, alreadyImported: 11 } })
    expect(one.names().length).toBe(13)
    for (const rows of [changed, people(1, 12), [...people(1, 2), edited(3, "Hopper"), ...people(4, 12)]]) {
      yield* one.source(rows)
      expect(yield* one.run()).toMatchObject({
        exitCode: 4,
        rows: { inDoubt: 1, alreadyImported: 11, imported: 0 },
        requests: { create: 0 },
      })
    }
    expect(yield* one.earlier).toEqual([])
    // The row's earlier submission is known, so an export can't confuse it with the new submission.
    const ids = yield* one.looked((view) => listed(view, "submissions", { limit: 100 }))
    expect(ids.filter(({ id }) => id === old)).toMatchObject([{ isRequired: false }])
    expect(ids.length).toBe(12)

    const settled = (landed: boolean) =>
      one.looked((view) =>
        Effect.scoped(Effect.gen(function*() {
          const session = yield* view.hold("settle")
          const [row] = yield* listed(view, "doubtful", { limit: 1 })
          if (row === undefined) throw new Error("Nothing is in doubt.")
          const id = one.idOf("Grace")
          yield* session.settleDoubts({
            rows: [{
              keyDigest: row.keyDigest,
              outcome: landed ? { _tag: "Landed", submissionId: id } : { _tag: "NotLanded" },
              reason: "seen",
              proof: "person",
            }],
            by: "somebody",
            because: undefined,
            file: undefined,
          })
        }))
      )
    yield* settled(false)
    // The row returns to its earlier state, because the change did not land.
    yield* one.source(people(1, 12))
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12 } })
    yield* one.source([...people(1, 2), edited(3, "Lovelace"), ...people(4, 12)])
    one.fail("POST", "lost")
    expect(yield* one.run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 1 } })
    yield* settled(true)
    expect(yield* one.earlier).toEqual([["3", old]])
    expect(yield* one.run()).toMatchObject({
      rows: { alreadyImported: 12 },
      replaced: { count: 1, examples: [{ submissionId: one.idOf("Grace"), replaces: old }] },
    })
  }),
)

scoped(
  "a row stays imported if the service refuses its change, which is not retried until something changes",
  Effect.gen(function*() {
    const one = yield* imported(12, `${again.sink}, canary: off`)
    yield* one.source([...people(1, 2), edited(3, "Grace"), ...people(4, 12)])
    const refusal = { status: 422, body: JSON.stringify({ message: "no such name", index: 0 }) }
    one.fail("POST", refusal)
    const refused = yield* one.run()
    expect(refused.rows).toMatchObject({ refused: 1, alreadyImported: 11, imported: 0 })
    expect(yield* one.looked((view) => view.standing)).toMatchObject({ imported: 12, refused: 0, replaced: 0 })
    expect(yield* one.reconcile()).toMatchObject({ readBack: { verified: 12 } })
    yield* one.source([...people(1, 2), edited(3, "Grace"), ...people(4, 13)])
    const next = yield* one.run()
    expect(next).toMatchObject({ exitCode: 1, rows: { refused: 1, alreadyImported: 11, imported: 1 } })
    expect(yield* one.file(next, "rejected.csv")).toMatch(/Grace,p3@example.org,\w+,3,3,refused,/)
    expect(yield* one.run({ retryRefused: true })).toMatchObject({
      exitCode: 0,
      rows: { imported: 1, alreadyImported: 12 },
      replaced: { count: 1 },
    })
  }),
)

scoped(
  "a changed row that could not be sent stays unchanged in the ledger, and a later run sends it",
  Effect.gen(function*() {
    const one = yield* imported(12, `${again.sink}, canary: off, stopWhen: { changed: 50% }`)
    yield* one.source([edited(1, "Ada"), edited(2, "Grace"), ...people(3, 12)])
    one.fail("POST", { status: 401, body: "" })
    expect(yield* one.run()).toMatchObject({ exitCode: 5, rows: { pending: 2, alreadyImported: 10 } })
    expect(yield* one.looked((view) => view.standing)).toMatchObject({ imported: 12, replaced: 0 })
    expect(yield* one.run({ dryRun: true })).toMatchObject({ rows: { pending: 2, alreadyImported: 10 } })
    expect(yield* one.run({ limit: 1 })).toMatchObject({ exitCode: 0, rows: { imported: 1, pending: 1 } })
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 1, alreadyImported: 11 } })
    expect(one.names().length).toBe(14)
  }),
)

scoped(
  "only one of several changed rows with the same key is imported, and too many changes stop the run",
  Effect.gen(function*() {
    const one = yield* imported(12)
    const rows = [edited(1, "Ada"), edited(1, "Ada"), edited(1, "Countess"), "2,Bob,nowhere", ...people(3, 12)]
    yield* one.source(rows)
    const report = yield* one.run()
    expect(report).toMatchObject({
      exitCode: 1,
      rows: { read: 14, imported: 1, duplicate: 2, invalid: 1, alreadyImported: 10 },
      because: expect.arrayContaining(["2 rows need review: see rejected.csv."]),
    })
    // If the imported row is still in the source, nothing is imported again.
    yield* one.source([edited(1, "Ada"), edited(1, "Augusta"), ...people(2, 12)])
    expect(yield* one.run()).toMatchObject({ rows: { imported: 0, duplicate: 1, alreadyImported: 12 } })
    yield* one.source([edited(1, "Ada"), edited(2, "Bob"), edited(3, "Carl"), ...people(4, 12)])
    const stopped = yield* one.run()
    expect(stopped).toMatchObject({ exitCode: 3, rows: { pending: 2 }, requests: { create: 0 } })
    expect(stopped.because.join()).toContain("2 of 12 rows that were imported before are changed")
    expect(one.names().length).toBe(13)
  }),
)

scoped(
  "a changed row is not imported again if another pipeline imported its new content, unless it is not sent anyway",
  Effect.gen(function*() {
    const one = yield* imported(3)
    const text = yield* Effect.promise(() => readFile(`${one.root}/pipelines/people.yaml`, "utf8"))
    const alongside = (yaml: string, other: string) => yaml.replace("sink: {", `sink: { alongside: [${other}],`)
    yield* one.write("pipelines/people.yaml", alongside(text, "more"))
    const more = alongside(text, "people").replace("pipeline: people", "pipeline: more")
    yield* one.write("pipelines/more.yaml", more.replace("../source.csv", "../more.csv"))
    yield* one.write("more.csv", `No,Name,Mail\n${edited(1, "Ada")}\n`)
    expect(yield* one.run({ pipeline: "more" })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    // The earlier content is still in the source, so the other row is a duplicate.
    yield* one.source([edited(1, "Ada"), ...people(1, 3)])
    expect(yield* one.run()).toMatchObject({ exitCode: 1, rows: { duplicate: 1, alreadyImported: 3 } })
    yield* one.source([edited(1, "Ada"), ...people(2, 3)])
    const refused = yield* one.run()
    expect(refused).toMatchObject({ exitCode: 2, rows: { pending: 1 }, requests: { create: 0 } })
    expect(refused.because.join()).toContain("the same key and cells as a row that more imported into this form")
    yield* one.source([edited(1, "Grace"), ...people(2, 3)])
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(one.names()).toEqual(["Ada", "Grace", "Person 1", "Person 2", "Person 3"])
  }),
)

scoped(
  "a changed row of a different file is reported and not imported again, because that file may be older",
  Effect.gen(function*() {
    const one = yield* world
    const dump = (day: string, name: string) =>
      one.write(
        `dump-2026-11-${day}.csv`,
        ["No,Name,Mail", ...people(1, 2), edited(3, name), ...people(4, 20)].join("\n"),
      )
    yield* one.settings({ ...again, file: "{ glob: ../dump-*.csv, take: newest }" })
    yield* dump("01", "Person 3")
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 20 } })
    // No run reads the second dump.
    yield* dump("02", "Grace")
    yield* dump("03", "Hopper")
    const late = yield* one.run()
    expect(late).toMatchObject({ exitCode: 1, rows: { imported: 1, alreadyImported: 19 } })
    expect(late.next).toContain("dump-2026-11-02.csv")

    const older = yield* one.run({ source: "dump-2026-11-02.csv" })
    expect(older).toMatchObject({ exitCode: 1, rows: { changed: 1, imported: 0, alreadyImported: 19 } })
    const rejected = yield* one.file(older, "rejected.csv")
    expect(rejected).toContain("may be older")
    const source = `reports/people/${older.run}/rejected.csv`
    expect(yield* one.run({ source })).toMatchObject({ exitCode: 1, rows: { changed: 1, imported: 0 } })
    yield* dump("04", "Hopper")
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 0, alreadyImported: 20 } })
    expect(one.names().length).toBe(21)

    // A person decides that the content is newer.
    yield* one.write("newer.csv", rejected.replace(",changed,", ",,"))
    expect(yield* one.run({ source: "newer.csv" })).toMatchObject({ exitCode: 0, replaced: { count: 1 } })
    expect(one.names().length).toBe(22)
  }),
)

scoped(
  "rows identified by their content can't be imported again, because a changed row is a different row",
  Effect.gen(function*() {
    const { run, settings, source } = yield* world
    yield* settings({ ...again, rowKey: "content" })
    yield* source(people(1, 3))
    const exit = yield* Effect.exit(run())
    expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("needs columns as `rowKey`")
  }),
)
