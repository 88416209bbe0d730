import { Effect } from "effect"
import { writeSync } from "node:fs"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { batchOf, contacts, imported, rowOf } from "./rows.ts"

/** The arguments of a child process as JSON. */
interface Told {
  readonly file: string
  readonly pipelines: ReadonlyArray<string>
  /** `daemon` runs pipelines repeatedly until it is asked to stop. `status` reads the current state, and exits. */
  readonly work: "daemon" | "status"
}

/** Writes a whole line before it returns. A printed event has happened, even if the process is killed next. */
const say = (line: string) => writeSync(1, `${line}\n`)

/**
 * Opens the ledger many times, as `schedule` does. Each run of a pipeline opens the ledger itself, and so do turns and
 * upkeep. With `status`, the process only reads.
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

/** The number of rows that a run sends, one batch each. */
const rows = 3

/**
 * Sends the rows after those that the pipeline already sent. Earlier rows are settled, or in doubt if a run was killed.
 */
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
        // Two pipelines may not send the same row at the same time.
        const batch = yield* session.intend(batchOf([rowOf(ledger, row, { content: `${pipeline} ${row}` })]))
        say(`intended ${pipeline} ${row}`)
        yield* session.recordOutcomes(batch, [imported(`${pipeline} ${row}`)])
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
