import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people, scoped, world } from "./world.ts"

/** A world whose service can list, with 200 imported rows. The list has two pages. */
const imported = Effect.gen(function*() {
  const at = yield* world
  yield* at.configure("    capabilities: [list, delete]\n")
  yield* at.settings({ sink: ", canary: off" })
  yield* at.source(people(1, 200))
  expect(yield* at.run()).toMatchObject({ exitCode: 0 })
  at.heard.length = 0
  return {
    ...at,
    idOf: (name: string) =>
      at.practice.submissions("people").find(({ questions }) => questions[0]?.value === name)?.submissionId ?? "",
    /** Submits the form as other people do. */
    fill: (...names: ReadonlyArray<string>) =>
      Effect.promise(() =>
        fetch(`${at.practice.baseUrl}/forms/people/submissions`, {
          method: "POST",
          headers: { authorization: "Bearer practice_key_of_the_test", "content-type": "application/json" },
          body: JSON.stringify({
            submissions: names.map((name) => ({ questions: [{ id: "name", value: name }] })),
          }),
        })
      ),
    compare: at.reconcile({ wholeForm: true }),
    unmatched: (report: Effect.Effect.Success<ReturnType<typeof at.reconcile>>) =>
      Effect.map(
        at.file(report, "whole-form.csv"),
        (text) => text.trimEnd().split("\n").slice(1).map((line) => line.split(",").slice(0, 2)),
      ),
  }
})

scoped(
  "if the form has exactly the imported submissions, nothing is listed as unknown or missing",
  Effect.gen(function*() {
    const { compare, file, reconcile } = yield* imported
    const report = yield* compare
    expect(report).toMatchObject({
      exitCode: 0,
      readBack: { verified: 200 },
      wholeForm: { submissions: 200, unknown: 0, missing: 0 },
      because: ["The form has 200 submissions, and all of them are in the ledger."],
    })
    expect(report.phases.map(({ phase }) => phase)).toEqual(["list", "readBack"])
    expect((yield* Effect.exit(file(report, "whole-form.csv")))._tag).toBe("Failure")
    expect((yield* reconcile()).wholeForm).toBeUndefined()
  }),
)

scoped(
  "submissions that other people made are counted and listed, and don't change the exit code",
  Effect.gen(function*() {
    const { compare, file, fill, idOf, unmatched } = yield* imported
    yield* fill("Ada", "Grace")
    const report = yield* compare
    expect(report).toMatchObject({ exitCode: 0, wholeForm: { submissions: 202, unknown: 2, missing: 0 } })
    expect(report.because).toEqual([
      "The form has 202 submissions, and 2 of them are not in the ledger: see whole-form.csv.",
    ])
    expect((yield* unmatched(report)).toSorted()).toEqual(
      [[idOf("Ada"), "unknown"], [idOf("Grace"), "unknown"]].toSorted(),
    )
    expect(yield* file(report, "report.html")).toContain("The whole form")
  }),
)

scoped(
  "a submission that was deleted in the form is missing, until a reconciliation has recorded the deletion",
  Effect.gen(function*() {
    const { compare, idOf, store, unmatched } = yield* imported
    const id = idOf("Person 77")
    yield* store.remove("people", id)
    const report = yield* compare
    expect(report).toMatchObject({
      exitCode: 4,
      outcome: "differing",
      readBack: { verified: 199, missing: 1 },
      wholeForm: { submissions: 199, unknown: 0, missing: 1 },
    })
    expect(report.because).toContain("The form lacks 1 submission that the ledger requires: see whole-form.csv.")
    expect(yield* unmatched(report)).toEqual([[id, "missing"]])
    expect(yield* compare).toMatchObject({ exitCode: 4, readBack: { missing: 1 }, wholeForm: { missing: 0 } })
  }),
)

scoped(
  "submissions of other pipelines are known, and one of them that the form lacks is missing",
  Effect.gen(function*() {
    const { compare, file, idOf, root, run, store, unmatched, write } = yield* imported
    yield* write("more.csv", ["No,Name,Mail", "1,Ada,ada@example.org", "2,Grace,grace@example.org", ""].join("\n"))
    const text = yield* Effect.promise(() =>
      import("node:fs/promises").then((fs) => fs.readFile(`${root}/pipelines/people.yaml`, "utf8"))
    )
    yield* write(
      "pipelines/more.yaml",
      text.replace("pipeline: people", "pipeline: more").replace("../source.csv", "../more.csv")
        .replace("sink: {", "sink: { alongside: [people],"),
    )
    expect(yield* run({ pipeline: "more" })).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    expect(yield* compare).toMatchObject({ exitCode: 0, wholeForm: { submissions: 202, unknown: 0, missing: 0 } })
    const id = idOf("Grace")
    yield* store.remove("people", id)
    const report = yield* compare
    expect(report).toMatchObject({
      exitCode: 4,
      readBack: { verified: 200, missing: 0 },
      wholeForm: { submissions: 201, unknown: 0, missing: 1 },
    })
    expect(yield* unmatched(report)).toEqual([[id, "missing"]])
    expect(yield* file(report, "whole-form.csv")).toContain("submission_id,standing,submission_time")
  }),
)

scoped(
  "undone and replaced submissions are neither required nor unknown",
  Effect.gen(function*() {
    const { compare, idOf, run, settings, source, store, undo } = yield* imported
    yield* source(people(1, 203))
    const second = yield* run()
    expect(second.rows.imported).toBe(3)
    yield* undo(second.run, { confirm: () => true })
    yield* settings({ sink: ", canary: off, onChange: import-again" })
    const earlier = [idOf("Person 1"), idOf("Person 2")]
    yield* source([...people(3, 200), "1,Ada,ada@example.org", "2,Grace,grace@example.org"])
    expect(yield* run()).toMatchObject({ replaced: { count: 2 } })
    yield* store.remove("people", earlier[0] ?? "")
    expect(yield* compare).toMatchObject({ exitCode: 0, wholeForm: { submissions: 201, unknown: 0, missing: 0 } })
  }),
)

scoped(
  "a submission that the list lacks is not missing if it can be read",
  Effect.gen(function*() {
    const { compare, fail, idOf, practice } = yield* imported
    const hidden = idOf("Person 77")
    const page = (sort: string, offset: number) =>
      Effect.promise(async () => {
        const answer = await fetch(
          `${practice.baseUrl}/forms/people/submissions?limit=150&offset=${offset}&sort=${sort}`,
          { headers: { authorization: "Bearer practice_key_of_the_test" } },
        )
        const { responses, totalResponses } = (await answer.json()) as {
          readonly responses: ReadonlyArray<{ readonly submissionId: string }>
          readonly totalResponses: number
        }
        const body = JSON.stringify({
          responses: responses.filter(({ submissionId }) => submissionId !== hidden),
          totalResponses: totalResponses - 1,
        })
        return { status: 200, body }
      })
    const pages = [yield* page("asc", 0), yield* page("asc", 150), yield* page("desc", 0), yield* page("desc", 150)]
    fail("LIST", ...pages)
    expect(yield* compare).toMatchObject({ exitCode: 0, wholeForm: { submissions: 199, unknown: 0, missing: 0 } })
  }),
)

/** Deletes one of these submissions each time when a page of the list is requested, before the page is made. */
const deleteAtEachPage = (
  { heard, store }: Pick<Effect.Effect.Success<typeof imported>, "heard" | "store">,
  pages: RegExp,
  ids: Array<string>,
) => {
  const push = heard.push.bind(heard)
  heard.push = (...lines) => {
    if (lines.some((line) => pages.test(line))) {
      const id = ids.shift()
      if (id !== undefined) Effect.runSync(store.remove("people", id))
    }
    return push(...lines)
  }
}

scoped(
  "if the form changes while each list is read, nothing is claimed and a warning says why",
  Effect.gen(function*() {
    const at = yield* imported
    const names = Array.from({ length: 6 }, (_, index) => `Other ${index}`)
    yield* at.fill(...names, "Ada")
    deleteAtEachPage(at, /submissions\?/, names.map(at.idOf))
    const report = yield* at.compare
    expect(report.wholeForm).toBeUndefined()
    expect(report).toMatchObject({ exitCode: 0, readBack: { verified: 200 }, because: [] })
    expect(report.warnings).toEqual([
      "The form as a whole was not compared with the ledger, because its list did not certainly show every submission: the number of submissions changed from 202 to 201 while they were listed. The list was read 3 times.",
    ])
    expect((yield* Effect.exit(at.unmatched(report)))._tag).toBe("Failure")
  }),
)

scoped(
  "if a submission is deleted between two lists, the form is listed a third time",
  Effect.gen(function*() {
    const at = yield* imported
    const id = at.idOf("Person 77")
    deleteAtEachPage(at, /sort=desc/, [id])
    const report = yield* at.compare
    expect(report).toMatchObject({ exitCode: 4, wholeForm: { submissions: 199, unknown: 0, missing: 1 } })
    expect(yield* at.unmatched(report)).toEqual([[id, "missing"]])
    expect(at.heard.filter((line) => line.includes("/submissions?")).slice(0, 6).join()).toMatch(
      /asc.*asc.*desc.*desc.*asc.*asc/,
    )
  }),
)

scoped(
  "if the service refuses to list, the reconciliation stops with the service's reason",
  Effect.gen(function*() {
    const { compare, fail, reconcile } = yield* imported
    fail("LIST", { status: 404, body: "{}" })
    const report = yield* compare
    expect(report).toMatchObject({ exitCode: 5, outcome: "unavailable", readBack: { verified: 0, unread: 200 } })
    expect(report.wholeForm).toBeUndefined()
    expect(yield* reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 200 } })
  }),
)

scoped(
  "without the capability, the reconciliation is refused before any request, and the message says what to set",
  Effect.gen(function*() {
    const { compare, configure, heard } = yield* imported
    yield* configure("")
    const error = yield* Effect.flip(compare)
    expect(error._tag).toBe("ConfigurationInvalid")
    expect(error.message).toContain("The project does not say that live can list submissions")
    expect(error.message).toContain("add `capabilities: [list]` to `services.live`")
    expect(heard).toEqual([])
  }),
)
