import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { AttentionRow } from "../../src/ledger/facts.ts"
import type { Pages } from "../../src/ledger/pages.ts"
import type { RowOutcome } from "../../src/ledger/rows.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, destination, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ exec, openLedger }) => {
  const inDoubt: RowOutcome = { _tag: "InDoubt", reason: "timeout" }
  const notCreated: RowOutcome = { _tag: "NotCreated" }
  const refused: RowOutcome = { _tag: "Refused", message: "no", item: Buffer.alloc(16, 7), mapping: "m", form: "f" }

  const held = Effect.gen(function*() {
    const file = join(yield* folder, "ledger.db")
    const ledger = yield* openLedger({ file })
    const view = yield* contacts(ledger)
    const session = yield* view.hold("run1")
    const send = (number: number, outcome: RowOutcome, more: Parameters<typeof rowOf>[2] = {}, resend = false) =>
      Effect.flatMap(
        session.intend(batchOf([rowOf(ledger, number, more)], resend)),
        (batch) => session.recordOutcomes(batch, [outcome]),
      )
    const known = (key: string) => Effect.map(view.lookUp([ledger.digest.key(key)]), ([row]) => row)
    return { file, ledger, view, session, send, known }
  })

  it.scopedLive("a submission's id of any length is recorded and recognised", () =>
    Effect.gen(function*() {
      const { ledger, session, known } = yield* held
      const [first = "", second = ""] = [1, 2].map(() => randomBytes(5_000).toString("hex"))
      const batch = yield* session.intend(batchOf([rowOf(ledger, 1)]))
      yield* session.recordReturned(batch, [first], () => ({ rows: [imported(first)], loose: [] }))
      const next = yield* session.intend(batchOf([rowOf(ledger, 2)]))
      let recorded: ReadonlySet<string> = new Set()
      yield* session.recordReturned(next, [first, second], (ids) => {
        recorded = ids
        return { rows: [imported(second)], loose: [] }
      })
      expect(recorded).toEqual(new Set([first]))
      expect(yield* known("key 2")).toMatchObject({ submissionId: second })
    }))

  describe("refusing a batch", () => {
    it.scopedLive("a whole batch is refused if one of its rows is imported, in flight or in doubt", () =>
      Effect.gen(function*() {
        const { ledger, session, send, known } = yield* held
        yield* send(1, imported("s1"))
        yield* send(2, inDoubt)
        const open = yield* session.intend(batchOf([rowOf(ledger, 3)]))
        for (const number of [1, 2, 3]) {
          const exit = yield* Effect.exit(
            session.intend(batchOf([rowOf(ledger, 9), rowOf(ledger, number)], number !== 2)),
          )
          expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
          expect(yield* known("key 9")).toBeUndefined()
        }
        expect((yield* (yield* contacts(ledger)).counts).lastIntent).toBe(open)
        yield* session.recordOutcomes(open, [notCreated])
        yield* send(3, imported("s3"))
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a batch is refused if it contains a row twice", () =>
      Effect.gen(function*() {
        const { ledger, session, known } = yield* held
        const exit = yield* Effect.exit(session.intend(batchOf([rowOf(ledger, 1), rowOf(ledger, 1)])))
        expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
        expect(yield* known("key 1")).toBeUndefined()
      }))

    it.scopedLive("a batch is refused if it contains a row in doubt that was already resent", () =>
      Effect.gen(function*() {
        const { ledger, session, send, known } = yield* held
        yield* send(1, inDoubt)
        yield* send(1, inDoubt, {}, true)
        expect(yield* known("key 1")).toMatchObject({ state: "inDoubt", resent: true, batch: 2 })
        const exit = yield* Effect.exit(session.intend(batchOf([rowOf(ledger, 1)], true)))
        expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
      }))
  })

  describe("a batch of rows", () => {
    it.scopedLive("batches that are recorded at the same time keep their own rows, whether these are new or known", () =>
      Effect.gen(function*() {
        const { ledger, session, view } = yield* held
        const numbers = Array.from({ length: 75 }, (_, index) => index)
        const rowsOf = (numbers: ReadonlyArray<number>) => numbers.map((number) => rowOf(ledger, number))
        // The second and the third batch begin with rows that are known.
        const known = numbers.filter((number) => number >= 15 && number < 40)
        const before = yield* session.intend(batchOf(rowsOf(known)))
        yield* session.recordOutcomes(before, known.map(() => notCreated))
        const batches = [0, 15, 30, 45, 60].map((from) => numbers.slice(from, from + 15))
        const intended = yield* Effect.forEach(batches, (numbers) => session.intend(batchOf(rowsOf(numbers))), {
          concurrency: "unbounded",
        })
        expect(new Set(intended).size).toBe(batches.length)
        const found = yield* view.lookUp(numbers.map((number) => ledger.digest.key(`key ${number}`)))
        expect(found.map((row) => row?.batch)).toEqual(numbers.map((number) => intended[Math.floor(number / 15)]))
      }))

    it.scopedLive("a batch settles each row under its own number, however many new and resendable rows it has", () =>
      Effect.gen(function*() {
        const { ledger, session, view } = yield* held
        const rows = (numbers: ReadonlyArray<number>) => numbers.map((number) => rowOf(ledger, number))
        const refusedRows = [2, 3, 13, 24]
        const before = yield* session.intend(batchOf(rows(refusedRows)))
        yield* session.recordOutcomes(before, refusedRows.map(() => refused))
        const all = Array.from({ length: 25 }, (_, index) => index + 1)
        const batch = yield* session.intend(batchOf(rows(all)))
        yield* session.recordOutcomes(batch, all.map((number) => imported(`s${number}`)))
        const known = yield* view.lookUp(all.map((number) => ledger.digest.key(`key ${number}`)))
        expect(known.map((row) => [row?.submissionId, row?.state, row?.batch])).toEqual(
          all.map((number) => [`s${number}`, "imported", batch]),
        )
        expect(yield* ledger.verify).toEqual([])
      }))
  })

  describe("a resent row in doubt", () => {
    it.scopedLive("a resent row that is not created stays in doubt because of its first request, and may be resent", () =>
      Effect.gen(function*() {
        const { view, send, known } = yield* held
        yield* send(1, inDoubt)
        yield* send(1, notCreated, {}, true)
        expect(yield* known("key 1")).toMatchObject({
          state: "inDoubt",
          resent: false,
          batch: 1,
        })
        expect(yield* listed(view, "doubtful", { limit: 9 })).toMatchObject([{
          batch: 1,
          reason: "timeout",
          cells: ["key 1", "content 1"],
        }])
        yield* send(1, imported("s1"), {}, true)
        expect(yield* known("key 1")).toMatchObject({
          state: "imported",
          submissionId: "s1",
          doubt: undefined,
          resent: true,
        })
      }))

    it.scopedLive("a resent row stays in doubt if it is refused, and the refusal is reported", () =>
      Effect.gen(function*() {
        const { ledger, send, view } = yield* held
        yield* send(1, inDoubt)
        yield* send(1, refused, {}, true)
        expect(yield* listed(view, "doubtful", { limit: 9 })).toMatchObject([{
          resent: true,
          reason: "timeout; resent and refused: no",
        }])
        expect(yield* ledger.verify).toEqual([])
      }))
  })

  describe("a refusal", () => {
    it.scopedLive("a refusal is recorded with its item, and deleted when the row is sent a second time", () =>
      Effect.gen(function*() {
        const { view, send, known } = yield* held
        yield* send(1, refused)
        expect(yield* known("key 1")).toMatchObject({
          state: "refused",
          refusal: { item: Buffer.alloc(16, 7), mapping: "m", form: "f", message: "no" },
        })
        expect(yield* view.standing).toMatchObject({ refused: 1, imported: 0 })
        yield* send(1, imported("s1"))
        expect(yield* known("key 1")).toMatchObject({ state: "imported", refusal: undefined })
      }))
  })

  describe("recorded verdicts", () => {
    it.scopedLive("the sent content is kept until the row is verified, and the answer digests if the submission is missing", () =>
      Effect.gen(function*() {
        const { ledger, view, session, send } = yield* held
        const same = { q1: { sent: "aa".repeat(16), returned: "aa".repeat(16) } }
        const answers = digestsOf({
          ...same,
          "q 2": { returned: "bb".repeat(16) },
          q3: { sent: "cc".repeat(16) },
          q4: {},
        })
        yield* send(1, imported("s1"))
        const keyDigest = ledger.digest.key("key 1")
        const row = Effect.map(listed(view, "sent", { limit: 5 }), ([one]) => one)
        yield* session.recordVerdicts([{ keyDigest, verdict: "differing", answers }])
        expect(yield* row).toMatchObject({
          verdict: "differing",
          answers,
          item: { questions: [{ id: "q1", value: "content 1" }] },
        })
        yield* session.recordVerdicts([{ keyDigest, verdict: "missing", answers: new Map() }])
        expect(yield* row).toMatchObject({ verdict: "missing", answers })
        yield* session.recordVerdicts([{ keyDigest, verdict: "verified", answers: digestsOf(same) }])
        expect(yield* row).toMatchObject({
          verdict: "verified",
          answers: digestsOf(same),
          item: undefined,
          cells: undefined,
        })
        const exit = yield* Effect.exit(
          session.recordVerdicts([{ keyDigest: ledger.digest.key("no"), verdict: "verified", answers }]),
        )
        expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
      }))

    it.scopedLive("verdicts are listed page by page for all rows, for a run, and for rows that need review, each row once", () =>
      Effect.gen(function*() {
        const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
        const view = yield* contacts(ledger)
        const send = (run: string, numbers: ReadonlyArray<number>) =>
          Effect.scoped(Effect.gen(function*() {
            const session = yield* view.hold(run)
            const batch = yield* session.intend(batchOf(numbers.map((number) => rowOf(ledger, number))))
            yield* session.recordOutcomes(
              batch,
              numbers.map((number) => (number === 2 ? notCreated : imported(`s${number}`))),
            )
            const verdicts = numbers.filter((number) => number % 3 === 0)
            yield* session.recordVerdicts(
              verdicts.map((number) => ({
                keyDigest: ledger.digest.key(`key ${number}`),
                verdict: "verified",
                answers: new Map(),
              })),
            )
          }))
        yield* send("run1", [1, 2, 3, 4, 5])
        yield* send("run2", [6, 7, 8, 9])
        yield* send("run3", [10, 11])
        const pages = (options: Pages["sent"]["choice"]) =>
          Effect.gen(function*() {
            const rows: Array<number> = []
            for (let after = 0;;) {
              const page = yield* listed(view, "sent", { ...options, after, limit: 2 })
              const last = page.at(-1)
              if (last === undefined) return rows
              rows.push(...page.map((row) => row.row))
              after = last.at
            }
          })
        expect(yield* pages({})).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        expect(yield* pages({ run: "run2" })).toEqual([6, 7, 8, 9])
        expect(yield* pages({ run: "run2", verdicts: ["verified"] })).toEqual([6, 9])
        expect(yield* pages({ run: "run2", verdicts: ["unread"] })).toEqual([7, 8])
        expect(yield* pages({ verdicts: ["unread", "missing"] })).toEqual([1, 4, 5, 7, 8, 10, 11])
        expect(yield* pages({ run: "none" })).toEqual([])
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* view.hold("run4")
          yield* session.recordOutcomes(yield* session.intend(batchOf([rowOf(ledger, 2)])), [imported("s2")])
        }))
        expect(yield* pages({ run: "run4" })).toEqual([2])
        expect(yield* pages({})).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      }))
  })

  describe("looking up rows", () => {
    it.scopedLive("a look-up returns thousands of rows in the requested order, including unknown rows", () =>
      Effect.gen(function*() {
        const { ledger, view, session } = yield* held
        const rows = Array.from({ length: 3000 }, (_, index) => rowOf(ledger, index))
        yield* session.intend(batchOf(rows))
        const asked = Array.from({ length: 4000 }, (_, index) => (index * 7) % 4000)
        const found = yield* view.lookUp(asked.map((number) => ledger.digest.key(`key ${number}`)))
        expect(found.map((row) => row?.content)).toEqual(
          asked.map((number) => (number < 3000 ? ledger.digest.content([`content ${number}`]) : undefined)),
        )
        expect(yield* view.lookUp([])).toEqual([])
      }))

    it.scopedLive("the ledger counts rows that were imported under a different mapping", () =>
      Effect.gen(function*() {
        const { ledger, view, session } = yield* held
        const batch = yield* session.intend(batchOf([rowOf(ledger, 1), rowOf(ledger, 2), rowOf(ledger, 3)]))
        yield* session.recordOutcomes(batch, [imported("s1"), notCreated, imported("s3")])
        const other = yield* session.intend({ ...batchOf([rowOf(ledger, 2)]), mapping: "mapping2" })
        yield* session.recordOutcomes(other, [imported("s2")])
        expect(yield* view.importedUnderOtherMapping("mapping1")).toBe(1)
        expect(yield* view.importedUnderOtherMapping("mapping2")).toBe(2)
        expect(yield* view.importedUnderOtherMapping("mapping3")).toBe(3)
      }))
  })

  describe("a fixed row", () => {
    it.scopedLive("a fixed row marks its original as superseded after its import, whatever the original's key", () =>
      Effect.gen(function*() {
        const { ledger, view, send, known } = yield* held
        const content = (text: string) => ledger.digest.content([text])
        const columns = ["Column 0"]
        yield* send(1, notCreated, { supersedes: { key: "key 1", content: content("bad 1"), columns } })
        expect((yield* known("key 1"))?.superseded).toEqual([])
        yield* send(1, imported("s1"), { supersedes: { key: "key 1", content: content("bad 1"), columns } })
        expect((yield* known("key 1"))?.superseded).toEqual([
          { content: content("bad 1"), columns, fixed: 1, isInDoubt: false, isUndone: false },
        ])
        yield* send(2, imported("s2"), {
          supersedes: { key: "wrong key", content: content("bad 2"), columns },
        })
        // An edit of the row key may give the original the key of the fixed row.
        const second = {
          content: content("bad 2"),
          columns,
          fixed: (yield* known("key 2"))?.id,
          isInDoubt: false,
          isUndone: false,
        }
        expect((yield* known("key 2"))?.superseded).toEqual([second])
        expect(yield* known("wrong key")).toMatchObject({
          state: "notCreated",
          superseded: [second],
          leftOut: false,
          batch: undefined,
        })
        yield* send(3, imported("s3"), { supersedes: { key: undefined, content: content("bad 3"), columns } })
        const cells = { over: () => content(""), filled: (at: number) => content(`bad ${at + 2}`) }
        const third = { state: "keyless", replacedBy: [{ fixed: (yield* known("key 3"))?.id, isUndone: false }] }
        expect(yield* view.lookUpRows([undefined, undefined], cells)).toMatchObject([{ replacedBy: [] }, third])
        // The row has a key now, under a different rule.
        expect(yield* view.lookUpRows(["new", "newer"], cells)).toMatchObject([undefined, third])
      }))
  })

  const attention = (
    ledger: { digest: { content: (cells: ReadonlyArray<string>) => Buffer } },
    row: number,
    key: string | undefined,
    content: string,
    fate: AttentionRow["fate"],
  ): AttentionRow => ({
    key,
    row,
    content: ledger.digest.content([content]),
    columns: ["Column 0"],
    fate,
  })

  describe("a new key", () => {
    it.scopedLive("a row gets the key of one that was never created, with what that one fixed, but of no other row", () =>
      Effect.gen(function*() {
        const { ledger, session, send, known, view } = yield* held
        const { content, key } = ledger.digest
        const bad = { key: "bad", content: content(["bad 1"]), columns: ["Content"] }
        yield* send(1, refused, { supersedes: bad })
        yield* send(2, notCreated)
        yield* send(3, notCreated)
        yield* send(4, imported("s4"))
        yield* send(11, imported("s11"))
        yield* send(12, inDoubt)
        yield* send(13, refused)
        yield* send(14, imported("s14"))
        const moves = [1, 2, 3, 4].map((number) => ({
          from: key(`key ${number + 10}`),
          to: key(`key ${number}`),
          key: `key ${number}`,
        }))
        for (const moved of [2, 0]) expect(yield* session.rekey(moves)).toBe(moved)
        expect(yield* view.lookUp(moves.map(({ to }) => to))).toMatchObject([
          { state: "imported", submissionId: "s11" },
          { state: "inDoubt" },
          { state: "notCreated" },
          { state: "imported", submissionId: "s4" },
        ])
        expect(yield* view.lookUp(moves.map(({ from }) => from))).toMatchObject([undefined, undefined, {
          state: "refused",
        }, { state: "imported" }])
        expect(yield* known("bad")).toMatchObject({ superseded: [{ isInDoubt: false }] })
        expect(yield* view.standing).toMatchObject({ rows: 6, imported: 3, inDoubt: 1, refused: 1 })
        expect(yield* ledger.verify).toEqual([])
      }))
  })

  describe("acknowledging rows that need review", () => {
    it.scopedLive("an acknowledgement covers content and fate, so that edited rows need review later", () =>
      Effect.gen(function*() {
        const { ledger, view, session } = yield* held
        const bad = attention(ledger, 1, "a", "bad", "invalid")
        expect(yield* view.attended([bad])).toEqual(["new"])
        yield* session.recordFacts({ attention: [bad] })
        expect(yield* view.attended([bad])).toEqual(["seen"])
        expect(yield* session.acknowledge({ keys: ["a", "typo"], because: "known", by: "me", leaveOut: false }))
          .toEqual({
            acknowledged: 1,
            unknown: ["typo"],
          })
        const edited = attention(ledger, 1, "a", "worse", "invalid")
        expect(yield* view.attended([bad, edited, { ...bad, fate: "changed" }])).toEqual(["acknowledged", "new", "new"])
        const [row] = yield* view.lookUp([ledger.digest.key("a")])
        expect(row).toBeUndefined()
      }))

    it.scopedLive("an acknowledgement of all rows covers the findings of the last run that read the source, and rows in doubt, differing or missing", () =>
      Effect.gen(function*() {
        const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
        const view = yield* contacts(ledger)
        const old = attention(ledger, 1, "a", "old", "invalid")
        yield* Effect.scoped(Effect.flatMap(view.hold("run1"), (session) => session.recordFacts({ attention: [old] })))
        const session = yield* view.hold("run2")
        yield* session.recordFacts({ attention: [] })
        const numbers = [1, 2, 3, 4, 5]
        const batch = yield* session.intend(batchOf(numbers.map((number) => rowOf(ledger, number))))
        yield* session.recordOutcomes(batch, numbers.map((number) => number === 5 ? inDoubt : imported(`s${number}`)))
        const back = (number: number, verdict: "verified" | "differing" | "missing") => ({
          keyDigest: ledger.digest.key(`key ${number}`),
          verdict,
          answers: new Map(),
        })
        yield* session.recordVerdicts([back(1, "differing"), back(2, "missing"), back(3, "verified")])
        expect(yield* session.acknowledge({ keys: "all", because: "seen", by: "me", leaveOut: false })).toEqual({
          acknowledged: 3,
          unknown: [],
        })
        expect(yield* view.attended([old])).toEqual(["seen"])
        expect((yield* view.standing).acknowledged).toEqual({ inDoubt: 1, differing: 1, missing: 1, unread: 0 })
        expect(yield* listed(view, "doubtful", { limit: 9 })).toMatchObject([{ key: "key 5", acknowledged: true }])
        expect(yield* view.attended([attention(ledger, 5, "key 5", "edited since", "inDoubt")])).toEqual([
          "acknowledged",
        ])
        expect(yield* session.acknowledge({ keys: "all", because: "seen", by: "me", leaveOut: false })).toEqual({
          acknowledged: 0,
          unknown: [],
        })
        yield* session.recordVerdicts([back(1, "missing")])
        expect((yield* view.standing).acknowledged).toEqual({ inDoubt: 1, differing: 0, missing: 1, unread: 0 })
      }))

    it.scopedLive("an acknowledgement can skip rows permanently by key, or by content if they have no key", () =>
      Effect.gen(function*() {
        const { ledger, view, session, known } = yield* held
        yield* session.recordFacts({
          attention: [
            attention(ledger, 1, "a", "bad", "invalid"),
            attention(ledger, 2, undefined, "keyless", "invalid"),
            attention(ledger, 3, "b", "bad", "refused"),
          ],
        })
        yield* session.acknowledge({ keys: ["a"], because: "test data", by: "me", leaveOut: true })
        expect(yield* known("a")).toMatchObject({ leftOut: true, state: "notCreated", superseded: [] })
        expect(yield* known("b")).toBeUndefined()
        expect(
          (yield* session.acknowledge({ keys: "all", because: "test data", by: "me", leaveOut: true })).acknowledged,
        )
          .toBe(2)
        const keyless = yield* view.lookUpRows(
          [undefined, undefined],
          {
            over: () => ledger.digest.content([]),
            filled: (at) => ledger.digest.content([at === 0 ? "keyless" : "bad"]),
          },
        )
        expect(keyless).toMatchObject([{ leftOut: true }, { leftOut: false }])
        expect((yield* known("b"))?.leftOut).toBe(true)
        expect((yield* view.standing).leftOut).toBe(3)
      }))

    it.scopedLive("a rejected row is fixed once a row that replaces it is imported or in doubt", () =>
      Effect.gen(function*() {
        const { ledger, session, view } = yield* held
        const rejection = (key: string | undefined, text: string) => ({
          key,
          content: ledger.digest.content([text]),
          columns: ["Column 0"],
          isDuplicate: false,
        })
        const asked = [rejection("a", "one"), undefined, rejection("a", "two"), rejection(undefined, "one")]
        expect(yield* view.fixed(asked)).toEqual(["unsent", "unsent", "unsent", "unsent"])
        yield* session.intend(batchOf([rowOf(ledger, 1, { supersedes: asked[0] })]))
        expect(yield* view.fixed(asked)).toEqual(["sent", "unsent", "unsent", "unsent"])
      }))
  })

  describe("runs and the canary in the ledger", () => {
    it.scopedLive("runs and the canary are recorded, and the newest run is listed first", () =>
      Effect.gen(function*() {
        const { view, session } = yield* held
        expect(yield* view.runs({ limit: 5 })).toEqual([])
        yield* session.startRun({ run: "run1", mode: "run", startedAt: "2024-01-01T00:00:00.000Z" })
        const end = {
          run: "run1",
          finishedAt: "2024-01-01T00:01:00.000Z",
          outcome: "complete",
          exitCode: 0,
          counts: { read: 3 },
        } as const
        yield* session.finishRun(end)
        yield* session.startRun({ run: "run2", mode: "reconcile", startedAt: "2024-01-02T00:00:00.000Z" })
        expect(yield* view.runs({ limit: 5 })).toEqual([
          {
            run: "run2",
            mode: "reconcile",
            startedAt: "2024-01-02T00:00:00.000Z",
            finishedAt: undefined,
            outcome: undefined,
            exitCode: undefined,
            counts: null,
          },
          { ...end, mode: "run", startedAt: "2024-01-01T00:00:00.000Z" },
        ])
        expect((yield* view.facts).canary).toBeUndefined()
        yield* session.recordFacts({ canary: { standing: "x", state: "failed", because: "differing" } })
        yield* session.recordFacts({ canary: { standing: "y", state: "passed" } })
        expect((yield* view.facts).canary).toEqual({ standing: "y", state: "passed" })
      }))
  })

  describe("a pipeline that is new to a destination", () => {
    const ask = { pipeline: "people", destination, renamedFrom: undefined, alongside: [] }

    it.scopedLive("a pipeline is refused if a different pipeline imported there, unless it runs alongside", () =>
      Effect.gen(function*() {
        const { ledger, send } = yield* held
        yield* send(1, refused)
        yield* ledger.pipeline(ask)
        yield* send(2, inDoubt)
        const error = yield* Effect.flip(ledger.pipeline(ask))
        expect(error._tag).toBe("LedgerRefused")
        expect(error.message).toContain("renamedFrom: contacts")
        yield* ledger.pipeline({ ...ask, destination: { ...destination, form: "form2" } })
        const view = yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })
        const session = yield* view.hold("run1")
        yield* session.recordOutcomes(yield* session.intend(batchOf([rowOf(ledger, 2)])), [imported("s9")])
        yield* ledger.pipeline(ask)
        expect((yield* ledger.places).map(({ pipeline }) => pipeline).toSorted()).toEqual(["contacts", "people"])
      }))

    it.scopedLive("a row is refused if a different pipeline has sent it since the lock was taken, but not a different row with its key", () =>
      Effect.gen(function*() {
        const { ledger, send } = yield* held
        const session = yield* (yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })).hold("run1")
        yield* send(1, inDoubt)
        yield* send(2, notCreated)
        yield* send(3, imported("s3"))
        for (const number of [1, 3]) {
          const rows = [rowOf(ledger, 9), rowOf(ledger, number)]
          const error = yield* Effect.flip(session.intend(batchOf(rows)))
          expect(error).toMatchObject({ _tag: "RowShared", pipeline: "contacts", row: number })
          expect(error.message).toContain(`Row ${number} was not sent. If they are the same rows, `)
        }
        const rows = [rowOf(ledger, 1, { content: "other" }), rowOf(ledger, 2), rowOf(ledger, 9)]
        yield* session.intend(batchOf(rows))
      }))

    it.scopedLive("one of two pipelines that send the same rows at the same time is refused", () =>
      Effect.gen(function*() {
        const { ledger, session } = yield* held
        const other = yield* (yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })).hold("run1")
        const batch = batchOf([rowOf(ledger, 1), rowOf(ledger, 2)])
        const [, error] = yield* Effect.all([session.intend(batch), Effect.flip(other.intend(batch))], {
          concurrency: "unbounded",
        })
        expect(error).toMatchObject({ _tag: "RowShared", pipeline: "contacts" })
      }))

    it.scopedLive("a pipeline of which no row was created is refused if a different pipeline has imported since, until it gets a new name", () =>
      Effect.gen(function*() {
        const { ledger, send } = yield* held
        const session = yield* (yield* ledger.pipeline(ask)).hold("run1")
        yield* session.recordOutcomes(yield* session.intend(batchOf([rowOf(ledger, 1)])), [notCreated])
        yield* send(1, imported("s1"))
        for (const renamedFrom of [undefined, "contacts"]) {
          const error = yield* Effect.flip(ledger.pipeline({ ...ask, renamedFrom }))
          expect(error.message).toContain('give it a name that it never had, and write "renamedFrom: contacts"')
        }
        yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })
        expect((yield* ledger.refusalOf({ ...ask, pipeline: "persons", renamedFrom: "contacts" }))?.message)
          .toBeUndefined()
      }))

    it.scopedLive("a pipeline is refused if both it and the pipeline of its earlier name imported there, as after a swap of names", () =>
      Effect.gen(function*() {
        const { ledger, send } = yield* held
        yield* send(1, imported("s1"))
        const session = yield* (yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })).hold("run1")
        yield* session.recordOutcomes(yield* session.intend(batchOf([rowOf(ledger, 2)])), [imported("s2")])
        for (const [pipeline, renamedFrom] of [["people", "contacts"], ["contacts", "people"]] as const) {
          const error = yield* Effect.flip(ledger.pipeline({ ...ask, pipeline, renamedFrom, alongside: [renamedFrom] }))
          expect(error.message).toContain(`${pipeline} can't be ${renamedFrom} under a new name`)
        }
      }))

    it.scopedLive("a pipeline is refused without being opened, although it once read its source at an earlier address", () =>
      Effect.gen(function*() {
        const { ledger, send } = yield* held
        const readingAt = (service: string) =>
          Effect.gen(function*() {
            const asked = { ...ask, destination: { ...destination, service }, alongside: ["contacts"] }
            const session = yield* (yield* ledger.pipeline(asked)).hold("run1")
            yield* session.recordFacts({ attention: [] })
          }).pipe(Effect.scoped)
        yield* readingAt("http://old.example.org")
        yield* send(1, imported("s1"))
        yield* readingAt(destination.service)
        const refused = yield* ledger.refusalOf({ ...ask, previous: ["http://old.example.org"] })
        expect(refused?.message).toContain("alongside: [contacts]")
      }))

    it.scopedLive("a pipeline takes over the rows of the pipeline that it was renamed from, but not during that pipeline's run", () =>
      Effect.gen(function*() {
        const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
        const rename = { ...ask, renamedFrom: "contacts" }
        yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* (yield* contacts(ledger)).hold("run1")
          const batch = yield* session.intend(batchOf([rowOf(ledger, 1), rowOf(ledger, 2)]))
          yield* session.recordOutcomes(batch, [imported("s1"), imported("s2")])
          yield* session.intend(batchOf([rowOf(ledger, 3)]))
          expect((yield* Effect.flip(ledger.pipeline(rename))).message).toMatch(
            /^people is renamed from contacts, which has to wait\. Another run of contacts has been in progress since .* Wait for it to end/,
          )
        }))
        yield* Effect.scoped(Effect.gen(function*() {
          const before = yield* ledger.pipeline({ ...ask, alongside: ["contacts"] })
          const session = yield* before.hold("early")
          yield* session.startRun({ run: "early", mode: "run", startedAt: "2024-01-01T00:00:00.000Z" })
          yield* session.recordFacts({
            attention: [attention(ledger, 1, "x", "bad", "invalid")],
            filesRead: ["monday.csv"],
          })
        }))
        const view = yield* ledger.pipeline(rename)
        expect((yield* view.lookUp([ledger.digest.key("key 2")]))[0]?.submissionId).toBe("s2")
        expect((yield* view.runs({ limit: 5 })).map((run) => run.run)).toEqual(["early"])
        expect(yield* view.attended([attention(ledger, 1, "x", "bad", "invalid")])).toEqual(["seen"])
        expect(yield* view.unreadFiles(["monday.csv", "tuesday.csv"])).toEqual(["tuesday.csv"])
        expect(yield* ledger.places).toEqual([{ pipeline: "people", destination, typed: "form1" }])
        yield* (yield* ledger.pipeline(rename)).hold("run2")
        expect((yield* view.lookUp([ledger.digest.key("key 3")]))[0]?.state).toBe("inDoubt")
        expect((yield* Effect.flip(ledger.pipeline({ ...ask, pipeline: "contacts" })))._tag).toBe("LedgerRefused")
        expect(yield* ledger.verify).toEqual([])
      }))

    it.scopedLive("a pipeline that takes rows over ends a run that was suspended under the earlier name", () =>
      Effect.gen(function*() {
        const { file, ledger, session } = yield* held
        yield* session.intend(batchOf([rowOf(ledger, 1)]))
        yield* exec(file, "UPDATE lock SET beat = beat - 61000")
        yield* (yield* ledger.pipeline({ ...ask, renamedFrom: "contacts" })).hold("run2")
        expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 2)]))))._tag).toBe("LedgerOvertaken")
        expect(session.holdsLock()).toBe(false)
      }))
  })
})
