import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect, Either } from "effect"
import { createHash } from "node:crypto"
import { people, scoped, world } from "../run/world.ts"

const isEmptyOrGone = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(file)).pipe(
    Effect.map(({ size }) => Number(size) === 0),
    Effect.catchAll(() => Effect.succeed(true)),
  )

/**
 * Returns all files below a folder with digests of their content. Omits a ledger's index and empty log, which exist
 * only until the last process has closed it, which can be at any moment.
 */
const contents = (folder: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const names = (yield* fs.exists(folder)) ? yield* fs.readDirectory(folder, { recursive: true }) : []
    const files: Record<string, string> = {}
    for (const name of names.toSorted()) {
      const at = path.join(folder, name)
      if (name.endsWith("-shm") || name.endsWith("-wal") && (yield* isEmptyOrGone(at))) continue
      const { type } = yield* fs.stat(at)
      files[name] = type === "File" ? createHash("sha256").update(yield* fs.readFile(at)).digest("hex") : "folder"
    }
    return files
  })

scoped(
  "a rehearsal performs the whole run, requests only the form from the real service, and leaves neither rows nor a ledger",
  Effect.gen(function*() {
    const { file, heard, names, rehearse, root, source } = yield* world
    yield* source([...people(1, 25), "26,Bad,not-an-address"])
    const report = yield* rehearse()
    expect(report).toMatchObject({
      mode: "rehearsal",
      exitCode: 1,
      form: { service: "live", id: "people" },
      rows: { read: 26, imported: 25, invalid: 1 },
      readBack: { verified: 25 },
      balance: { holds: true },
      requests: { metadata: 1, create: 3, read: 25 },
      next: `formferry report people --run ${report.run} --open`,
    })
    expect(heard).toEqual(["GET /forms/people"])
    expect(names()).toEqual([])
    expect(yield* contents(`${root}/.formferry`)).toEqual({})
    expect((yield* file(report, "imported.csv")).split("\n")[0]).toContain("_rehearsal")
    expect(yield* file(report, "rejected.csv")).toContain("rehearsal: ")
    expect(yield* file(report, "report.html")).toContain("REHEARSAL")
  }),
)

scoped(
  "a rehearsal knows rows of earlier runs, and leaves unread submissions and the ledger unchanged",
  Effect.gen(function*() {
    const { fail, heard, names, rehearse, root, run, source } = yield* world
    yield* source(people(1, 20))
    // One submission can never be read, so it stays unread.
    yield* run()
    yield* source(people(1, 25))
    fail("GET", ...Array.from({ length: 20 }, () => ({ status: 401, body: "{}" })))
    expect(yield* run()).toMatchObject({ exitCode: 5 })
    fail("GET")
    yield* source(people(1, 30))
    const before = yield* contents(`${root}/.formferry`)
    const asked = heard.length
    const report = yield* rehearse()
    expect(heard.slice(asked)).toEqual(["GET /forms/people"])
    expect(yield* contents(`${root}/.formferry`)).toEqual(before)
    expect(report).toMatchObject({ exitCode: 0, outcome: "complete", rows: { read: 30, alreadyImported: 25 } })
    expect(report.rows.imported).toBe(5)
    expect(report.readBack).toMatchObject({ verified: 5, unread: 0, missing: 0 })
    expect(report.warnings.join("\n")).toMatch(
      /of earlier runs? (is|are) not read back yet. A rehearsal does not read (it|them)/,
    )
    expect(report.next).toBe("formferry run people")
    expect(names().length).toBe(25)
  }),
)

scoped(
  "a rehearsal reports a row in doubt as in doubt, and refuses a missing ledger",
  Effect.gen(function*() {
    const { accept, fail, rehearse, root, run, source } = yield* world
    yield* source(people(1, 12))
    yield* run({ limit: 11 })
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 1 } })
    const report = yield* rehearse()
    expect(report).toMatchObject({ exitCode: 4, outcome: "inDoubt", rows: { alreadyImported: 11, inDoubt: 1 } })
    const fs = yield* FileSystem.FileSystem
    yield* fs.remove(`${root}/.formferry`, { recursive: true })
    const refused = yield* Effect.either(rehearse())
    expect(Either.isLeft(refused) ? refused.left : undefined).toMatchObject({
      _tag: "LedgerRefused",
      message: expect.stringContaining(`The ledger ${root}/.formferry/ledger.db is missing`),
    })
    yield* accept("ledger")
    expect(yield* rehearse()).toMatchObject({ rows: { imported: 12 } })
    // A rehearsal leaves no marks, because its rows don't count as sent.
    expect(yield* run({ limit: 0 })).toMatchObject({ rows: { pending: 12 } })
  }),
)

scoped(
  "a rehearsal with a limit includes only that many rows",
  Effect.gen(function*() {
    const { rehearse, source } = yield* world
    yield* source(people(1, 40))
    expect(yield* rehearse({ limit: 15 })).toMatchObject({ exitCode: 0, rows: { imported: 15, pending: 25 } })
  }),
)

scoped(
  "a rehearsal reports how long the real run takes, and that a list makes it shorter",
  Effect.gen(function*() {
    const { address, rehearse, source, write } = yield* world
    yield* source(people(1, 60))
    const live = `baseUrl: "${address}", apiKey: { env: THE_KEY }, requestsPerSecond: 5`
    yield* write("config/formferry.yaml", `services: { live: { ${live} } }\n`)
    expect((yield* rehearse()).because).toEqual(["The run makes about 67 requests, which take 13s at 5 a second."])
    yield* write("config/formferry.yaml", `services: { live: { ${live}, capabilities: [list] } }\n`)
    expect((yield* rehearse()).because).toEqual([
      "The run makes up to 67 requests, which take 13s at 5 a second. If the service's list shows new submissions soon, the run needs only about a tenth of them.",
    ])
  }),
)

scoped(
  "only the first run after a rehearsal reports whether its results are the same",
  Effect.gen(function*() {
    const { fail, rehearse, run, settings, source } = yield* world
    yield* source(people(1, 12))
    const rehearsed = yield* rehearse()
    yield* rehearse({ limit: 3 })
    yield* rehearse()
    const same = yield* run()
    expect(same.because.join()).toMatch(
      /^Rehearsed just before \(\S+\) with the same source, mapping and form, with the same result\.$/,
    )
    expect(same.because.join()).not.toContain(rehearsed.run)
    expect(same.warnings).toEqual([])
    expect((yield* run()).because).toEqual([`Nothing changed since run ${same.run}: the source was not read again.`])

    yield* source(people(1, 15))
    yield* rehearse()
    yield* source(people(1, 16))
    yield* settings({ mail: ", required: true" })
    const other = yield* run()
    expect(other.because).toEqual([])
    expect(other.warnings.join("\n")).toMatch(
      /Rehearsed just before \(\S+\); since then the source was changed \(15 rows then, 16 now\) and the mapping was edited\./,
    )

    yield* source(people(1, 17))
    yield* settings({ sink: ", canary: off, stopWhen: { refused: 100 }" })
    yield* rehearse()
    fail("POST", { status: 400, body: JSON.stringify({ message: "submissions.0.questions: too rude" }) })
    const refused = yield* run()
    expect(refused.rows.refused).toBe(1)
    expect(refused.warnings.join("\n")).toMatch(
      /a different result: refused 1 \(0 in the rehearsal\), imported 0 \(1 in the rehearsal\) and verified 0/,
    )
  }),
)
