import { Effect, Redacted } from "effect"
import { rmSync } from "node:fs"
import { setTimeout as after } from "node:timers/promises"
import { serve } from "../../src/practice/PracticeService.ts"
import { Draws } from "./Draws.ts"
import { type Command, formferry, key, type KillLoopOptions, project, reportOf, writeSource } from "./killLoop.ts"
import { temporaryFolder } from "./ledgerOnDisk.ts"
import { form } from "./pipeline.ts"

interface UndoLoopFigures {
  readonly kills: number
  readonly deleted: number
  /** The broken promises. There are none if exactly the submissions of other runs remain. */
  readonly broken: ReadonlyArray<string>
}

/**
 * Imports rows in three runs. Kills `undo` of the second run with SIGKILL at random moments, and restarts it until it
 * finishes. Then checks that exactly the submissions of the other runs remain, that the ledger agrees, that a run sends
 * none of the undone rows, and that `--resend-undone` sends each of them once.
 *
 * @param options.rows the number of rows of each run
 */
export const undoLoop = (
  { kills: wanted, main, rows, seed, tell }: Omit<KillLoopOptions, "runs" | "list"> & { readonly kills: number },
): Promise<UndoLoopFigures> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const service = yield* serve({ forms: [form], port: 0, apiKey: Redacted.make(key) })
    return yield* Effect.promise(async () => {
      const command: Command = { main, env: {} }
      const draws = new Draws(seed)
      const folder = temporaryFolder("formferry-undo-")
      const broken: Array<string> = []
      const expectEnd = async (status: number, ...args: ReadonlyArray<string>) => {
        const ran = await formferry(command, folder, args)
        if (ran.status !== status) broken.push(`${args.join(" ")} ended with ${ran.status}: ${ran.stderr.trim()}`)
        return ran.stdout
      }
      const numbers = () => service.submissions(form.id).map(({ urlParameters }) => Number(urlParameters[0]?.value))
      const expectRows = (what: string, isExpected: (row: number) => boolean, count: number) => {
        const found = numbers()
        const wrong = found.filter((row) => !isExpected(row))
        if (wrong.length > 0 || found.length !== count || new Set(found).size !== count) {
          broken.push(`${what}: ${found.length} submissions instead of ${count}, ${wrong.length} of other rows`)
        }
      }
      try {
        const runs: Array<string> = []
        for (const time of [1, 2, 3]) {
          if (time === 1) project(folder, service.baseUrl, rows, "    capabilities: [delete]\n")
          else writeSource(folder, time * rows)
          await expectEnd(0, "run", "people")
          runs.push(reportOf(folder).run)
        }
        const undo = ["undo", "people", "--run", runs[1] ?? ""]
        let kills = 0
        while (kills < wanted && service.count(form.id) > 2 * rows) {
          // Kills right after some more submissions were deleted, so that some deletions are not recorded yet.
          const held = service.count(form.id)
          const most = Math.max(1, Math.floor((held - 2 * rows) / (wanted - kills)))
          const target = Math.max(2 * rows, held - draws.int(1, most))
          const late = draws.int(0, 5)
          const ran = await formferry(command, folder, undo, async (isOver) => {
            while (service.count(form.id) > target && !isOver()) await after(1)
            await after(late)
          })
          if (ran.status === undefined) kills++
          else if (ran.status !== 0) broken.push(`undo ended with ${ran.status}: ${ran.stderr.trim()}`)
        }
        await expectEnd(0, ...undo)
        tell(`undo: ${kills} kills, ${3 * rows - service.count(form.id)} submissions deleted`)
        const isOther = (row: number) => row <= rows || row > 2 * rows
        expectRows("after undo", isOther, 2 * rows)
        await expectEnd(0, "status", "people", "--verify")
        const lines = (await expectEnd(0, "ledger", "export", "people", "--format", "jsonl")).trim().split("\n")
        const states = lines.map((line) => JSON.parse(line) as { readonly key: string; readonly state: string })
        const wrong = states.filter((one) => one.state !== (isOther(Number(one.key)) ? "imported" : "undone"))
        if (states.length !== 3 * rows || wrong.length > 0) {
          broken.push(`the ledger has ${states.length} rows, ${wrong.length} of them in a wrong state`)
        }
        const deleted = 3 * rows - service.count(form.id)
        await expectEnd(0, "run", "people")
        expectRows("after the next run", isOther, 2 * rows)
        await expectEnd(0, "run", "people", "--resend-undone")
        expectRows("after --resend-undone", (row) => row >= 1 && row <= 3 * rows, 3 * rows)
        for (const what of broken) tell(`  BROKEN ${what}`)
        return { kills, deleted, broken }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  })))
