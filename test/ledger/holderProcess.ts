import { Effect } from "effect"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import type { LedgerSession } from "../../src/ledger/Ledger.ts"
import { type AnyLedgerOptions, openLedger } from "../../src/ledger/openLedger.ts"
import { batchOf, contacts, imported, rowOf } from "./rows.ts"

/** The arguments of a child process as JSON. */
interface Told {
  readonly options: AnyLedgerOptions
  /** `answer` answers questions on stdin. `import` imports rows endlessly, eight batches at a time. */
  readonly work: "answer" | "import"
  /** The number `n` of the first batch to import. Its rows are `2n` and `2n + 1`. */
  readonly from: number
}

/** Writes a whole line before it returns. A printed event has happened, even if the process is killed next. */
const say = (line: string) => writeSync(1, `${line}\n`)

/** Takes the lock, reports that, and then imports or answers questions. */
export const holderProcess = ({ from, options, work }: Told): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(Effect.gen(function*() {
      const ledger = yield* openLedger(options)
      const view = yield* contacts(ledger)
      const session = yield* view.hold(`run of ${process.pid}`)
      say(`holds ${session.epoch}`)
      const send = (number: number) =>
        Effect.gen(function*() {
          const batch = yield* session.intend(batchOf([rowOf(ledger, number * 2), rowOf(ledger, number * 2 + 1)]))
          say(`intended ${batch} ${number * 2} ${number * 2 + 1}`)
          yield* session.recordOutcomes(batch, [imported(`s${number * 2}`), imported(`s${number * 2 + 1}`)])
          say(`settled ${batch} ${number * 2} ${number * 2 + 1}`)
        })
      if (work === "answer") return yield* answer(session, send)
      let number = from
      yield* Effect.all(Array.from({ length: 8 }, () => Effect.forever(Effect.suspend(() => send(number++)))), {
        concurrency: 8,
      })
    })).pipe(Effect.catchAll((error) => Effect.sync(() => void say(`${error._tag} ${error.message}`)))),
  )

const answer = (session: LedgerSession, send: (number: number) => Effect.Effect<void, { readonly _tag: string }>) =>
  Effect.async<void>((resume) => {
    createInterface({ input: process.stdin }).on("line", (line) => {
      if (line === "held") say(String(session.holdsLock()))
      else if (line === "end") resume(Effect.sync(() => void process.stdin.destroy()))
      else {
        Effect.runFork(Effect.match(send(Number(line)), {
          onFailure: (error) => say(error._tag),
          onSuccess: () => say("sent"),
        }))
      }
    })
  })
