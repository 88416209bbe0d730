import { Effect } from "effect"
import { writeSync } from "node:fs"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { batchOf, contacts, imported, rowOf } from "./rows.ts"

/** What a child process of the tests is told on its command line, as JSON. */
interface Told {
  readonly file: string
  readonly pipelines: ReadonlyArray<string>
  /** `daemon`: runs them again and again until it is told to end; `status`: looks at what stands, and ends. */
  readonly work: "daemon" | "status"
}

/** Whole lines, written before it returns: what was said has happened, even when the process is killed next. */
const say = (line: string) => writeSync(1, `${line}\n`)

/**
 * A process that has the ledger open many times over, as `schedule` has: each pipeline runs again and again in an opening of its own, turns and upkeep are looked at in others that come and go. Or one that only looks,
 * as `status` does.
 */
export const daemonProcess = ({ file, pipelines, work }: Told): Promise<void> => {
  let ending = false
  process.stdin.once("data", () => {
    ending = true
    process.stdin.destroy()
  })
  const runs = Effect.forEach(
    pipelines,
    (pipeline) => Effect.repeat(oneRun(file, pipeline), { until: () => ending }),
    { concurrency: "unbounded", discard: true },
  )
  return Effect.runPromise(
    (work === "daemon" ? runs : status(file)).pipe(
      Effect.catchAll((error) => Effect.sync(() => void say(`failed ${error._tag} ${error.message}`))),
    ),
  ).then(() => void process.stdin.destroy())
}

/** Rows that a run sends, a batch each. */
const rows = 3

/** Sends the rows that come after those that the pipeline has: sent and settled, or in doubt since a run was killed. */
const oneRun = (file: string, pipeline: string) =>
  Effect.gen(function*() {
    yield* Effect.scoped(Effect.flatMap(openLedger({ file }), ({ turns }) => turns.record(pipeline, () => "taken")))
    yield* Effect.scoped(Effect.gen(function*() {
      const ledger = yield* openLedger({ file })
      const view = yield* contacts(ledger, pipeline)
      const session = yield* view.hold(`run of ${process.pid}`)
      const before = yield* view.standing
      for (let more = 0; more < rows; more++) {
        const row = before.imported + before.inDoubt + more
        const batch = yield* session.intend(batchOf([rowOf(ledger, row)]))
        say(`intended ${pipeline} ${row}`)
        yield* session.settle(batch, [imported(`${pipeline} ${row}`)])
        say(`settled ${pipeline} ${row}`)
      }
    }))
    yield* Effect.scoped(Effect.flatMap(openLedger({ file }), ({ turns }) => turns.record(pipeline, () => "done")))
  })

const status = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* openLedger({ file })
    for (const { pipeline } of yield* ledger.places) {
      const { imported, inDoubt } = yield* (yield* contacts(ledger, pipeline)).standing
      say(`stands ${pipeline} ${imported + inDoubt}`)
    }
  }))
