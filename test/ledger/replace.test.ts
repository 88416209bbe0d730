import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { join } from "node:path"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import type { IntendedRow, RowOutcome } from "../../src/ledger/rows.ts"
import { databases } from "./databases.ts"
import { batchOf, contacts, digestsOf, folder, imported, listed, rowOf } from "./rows.ts"

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  const inDoubt: RowOutcome = { _tag: "InDoubt", reason: "timeout" }
  const notCreated: RowOutcome = { _tag: "NotCreated" }
  const refused: RowOutcome = { _tag: "Refused", message: "no", item: Buffer.alloc(16, 7), mapping: "m", form: "f" }

  /** A ledger in which an earlier run imported row 1 as s1 and verified it. */
  const ledgerWithOne = Effect.gen(function*() {
    const ledger = yield* openLedger({ file: join(yield* folder, "ledger.db") })
    const view = yield* contacts(ledger)
    let runs = 0
    /** Runs actions in the ledger, and checks that it stays sound. */
    const run = <A, E>(work: (session: LedgerSession) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(view.hold(`run${++runs}`), work)).pipe(
        Effect.tap(() => Effect.map(ledger.verify, (findings) => expect(findings).toEqual([]))),
      )
    const row = (content: string, more: Partial<IntendedRow> = {}): IntendedRow => ({
      ...rowOf(ledger, 1, { content }),
      ...more,
    })
    const send = (session: LedgerSession, one: IntendedRow, outcome: RowOutcome) =>
      Effect.flatMap(session.intend(batchOf([one])), (batch) => session.recordOutcomes(batch, [outcome]))
    const verify = (session: LedgerSession) =>
      session.recordVerdicts([{
        keyDigest: row("").keyDigest,
        verdict: "verified",
        answers: digestsOf({ q1: { sent: "aa", returned: "aa" } }),
      }])
    yield* run((session) => Effect.zipRight(send(session, row("a"), imported("s1")), verify(session)))
    const known = Effect.map(view.lookUp([row("").keyDigest]), ([found]) => found)
    return { ledger, view, run, row, send, verify, known }
  })

  it.scopedLive("only the current submission of a row can be replaced, only with different content, and only by a later run", () =>
    Effect.gen(function*() {
      const { known, row, run, send, view } = yield* ledgerWithOne
      const before = yield* known
      yield* run((session) =>
        Effect.gen(function*() {
          for (const wrong of [row("b"), row("a", { replaces: "s1" }), row("b", { replaces: "s9" })]) {
            const exit = yield* Effect.exit(session.intend(batchOf([wrong])))
            expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
          }
          expect(yield* known).toEqual(before)
          yield* send(session, row("b", { replaces: "s1" }), imported("s2"))
          const twice = yield* Effect.exit(session.intend(batchOf([row("c", { replaces: "s2" })])))
          expect(Exit.isFailure(twice) && twice.cause._tag).toBe("Die")
        })
      )
      expect(yield* known).toMatchObject({ state: "imported", submissionId: "s2", verdict: "unread", id: 1 })
      yield* run((session) => send(session, row("a", { replaces: "s2" }), imported("s3")))
      expect((yield* listed(view, "replaced", { limit: 9 })).map((one) => one.submissionId)).toEqual(["s1", "s2"])
      expect((yield* listed(view, "replaced", { after: 1, limit: 9 })).length).toBe(1)
      const [sent] = yield* listed(view, "sent", { limit: 9 })
      expect(sent).toMatchObject({ submissionId: "s3", replaces: "s2" })
      const page = yield* listed(view, "submissions", { limit: 2 })
      const rest = yield* listed(view, "submissions", { after: page.at(-1)?.at ?? 0, limit: 2 })
      expect([...page, ...rest].map(({ id, isRequired }) => [id, isRequired]).toSorted()).toEqual([["s1", false], [
        "s2",
        false,
      ], [
        "s3",
        true,
      ]])
      expect(yield* view.importedUnderOtherMapping("another")).toBe(1)
    }))

  it.scopedLive("a rejected row counts as sent while a replaced submission with its content is in the form", () =>
    Effect.gen(function*() {
      const { row, run, send, view } = yield* ledgerWithOne
      yield* run((session) => send(session, row("b", { replaces: "s1" }), imported("s2")))
      const rejected = (text: string) => ({ key: row("").key, content: row(text).content, isDuplicate: true })
      const states = view.fixed([rejected("a"), rejected("b"), rejected("c")])
      expect(yield* states).toEqual(["sent", "sent", "unsent"])
      const { keyDigest } = row("")
      yield* run((session) => session.undo([{ keyDigest, submissionId: "s2" }]))
      expect(yield* states).toEqual(["sent", "unsent", "unsent"])
      yield* run((session) => session.undo([{ keyDigest, submissionId: "s1" }]))
      expect(yield* states).toEqual(["unsent", "unsent", "unsent"])
    }))

  it.scopedLive.each([["not created", notCreated], ["refused", refused]] as const)(
    "a row whose replacement is %s keeps its old submission, verdict and answer digests",
    ([name, outcome]) =>
      Effect.gen(function*() {
        const { known, ledger, row, run, send, view } = yield* ledgerWithOne
        const before = yield* known
        const [sent] = yield* listed(view, "sent", { limit: 9 })
        const unseen = listed(view, "unseen", { seen: new Uint8Array(), limit: 9 })
        const bad = ledger.digest.content(["bad"])
        const fixes = { key: row("").key, content: bad, columns: ["Column 0"] }
        const changed = row("b", { replaces: "s1", supersedes: fixes, rest: Buffer.alloc(16, 1) })
        yield* run((session) => send(session, changed, outcome))
        const refusal = name === "refused"
          ? { item: Buffer.alloc(16, 7), mapping: "m", form: "f", message: "no" }
          : undefined
        expect(yield* known).toEqual({ ...before, refusal })
        expect(yield* listed(view, "sent", { limit: 9 })).toEqual([sent])
        expect(yield* unseen).toEqual([{ at: 1, key: "key 1", rest: "", originals: [] }])
        expect(yield* listed(view, "replaced", { limit: 9 })).toEqual([])
        // After the retry imports the row, the row's content is the one that the retry sent.
        yield* run((session) => send(session, row("b", { replaces: "s1", supersedes: fixes }), imported("s2")))
        expect(yield* known).toMatchObject({
          submissionId: "s2",
          refusal: undefined,
          superseded: [{ content: bad, columns: ["Column 0"], fixed: 1, isInDoubt: false, isUndone: false }],
        })
        // After a further change, the content fixed earlier no longer belongs to the row.
        yield* run((session) => send(session, row("c", { replaces: "s2" }), imported("s3")))
        expect((yield* known)?.superseded).toEqual([])
      }),
  )

  it.scopedLive("a row whose replacement is in doubt has neither its old nor its new submission until it is settled", () =>
    Effect.gen(function*() {
      const { known, row, run, send, view } = yield* ledgerWithOne
      const before = yield* known
      const settle = (session: LedgerSession, landed: boolean) =>
        session.settleDoubts({
          rows: [{
            keyDigest: row("").keyDigest,
            outcome: landed ? { _tag: "Landed", submissionId: "s2" } : { _tag: "NotLanded" },
            reason: "seen",
            proof: "person",
          }],
          by: "ada",
          because: undefined,
          file: undefined,
        })
      yield* run((session) => send(session, row("b", { replaces: "s1" }), inDoubt))
      expect(yield* known).toMatchObject({ state: "inDoubt", submissionId: undefined })
      expect(yield* view.standing).toMatchObject({ imported: 0, inDoubt: 1, replaced: 0 })
      yield* run((session) =>
        Effect.gen(function*() {
          const exit = yield* Effect.exit(session.intend(batchOf([row("c", { replaces: "s1" })])))
          expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
          yield* settle(session, false)
        })
      )
      expect(yield* known).toEqual(before)
      // The run was killed between intent and outcome.
      yield* run((session) => session.intend(batchOf([row("b", { replaces: "s1" })])))
      yield* run(() => Effect.void)
      expect(yield* known).toMatchObject({ state: "inDoubt" })
      yield* run((session) => settle(session, true))
      expect(yield* known).toMatchObject({ state: "imported", submissionId: "s2", verdict: "unread" })
      expect(yield* view.standing).toMatchObject({ imported: 1, inDoubt: 0, replaced: 1 })
    }))
})
