import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine, until } from "./formferry.ts"
import { inTerminal, withoutTerminal } from "./inTerminal.ts"

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * Runs shell commands in a terminal that is closed after ten submissions were created. The commands write the id of a
 * process to `pid`, and its exit code to `status`. Waits until that process has ended, and returns its exit code.
 */
const inTerminalThatGoes = (at: Bench, shell: string) =>
  Effect.gen(function*() {
    const terminal = yield* inTerminal(at, shell)
    yield* until(() => at.count() >= 10)
    terminal.close()
    const pid = Number(at.read("pid"))
    yield* until(() => !isAlive(pid))
    // The shell creates the file before it writes to it.
    yield* until(() => existsSync(join(at.folder, "status")) && at.read("status") !== "")
    return at.read("status")
  })

describe.skipIf(withoutTerminal)("closing the terminal in the middle of a run", () => {
  it.scopedLive("a run ends cleanly if its terminal is closed, and leaves nothing in doubt", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 40 })
      at.write("source.csv", csv(upTo(120)))
      // An interactive shell passes the signal on. The kernel sends it a second time when the shell ends.
      const passOn = "trap 'kill -HUP $!; sleep 0.02; kill -HUP $!' HUP"
      const shell = `${passOn}; formferry run contacts & echo $! > pid; wait $!; wait $!; echo $? > status\n`
      expect(yield* inTerminalThatGoes(at, shell)).toBe("143\n")
      const { balance, exitCode, outcome, rows } = at.report()
      expect({ balance, exitCode, outcome }).toEqual({
        balance: { holds: true },
        exitCode: 143,
        outcome: "interrupted",
      })
      expect(rows.imported).toBe(at.count())
      expect(rows.imported + rows.pending).toBe(120)
      expect((yield* at.run("status", "--json")).stdout).toContain('"inDoubt":0')
    }))

  it.scopedLive("a run continues after its terminal disappears without a signal, although its output can't be written", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 100 })
      at.write("source.csv", csv(upTo(120)))
      // The shell gets the signal and continues. The run in its background gets no signal.
      const shell = "trap : HUP; formferry run contacts & echo $! > pid; wait $!; wait $!; echo $? > status\n"
      expect(yield* inTerminalThatGoes(at, shell)).toBe("0\n")
      expect(at.report()).toMatchObject({ exitCode: 0, readBack: { verified: 120 } })
    }))
})

/**
 * Runs a pipeline in a terminal, and types `keys` when the command asks. Returns the exit code and the terminal's text.
 */
const answering = (at: Bench, keys: string) =>
  Effect.gen(function*() {
    const { ended, shown, type } = yield* inTerminal(at, "exec formferry run contacts\n")
    yield* Effect.raceFirst(
      ended,
      Effect.zipRight(until(() => shown().includes("Continue?")), Effect.sync(() => type(keys))),
    )
    return { status: yield* ended, shown: shown() }
  })

describe.skipIf(withoutTerminal)("a service whose writes must be confirmed", () => {
  it.scopedLive("run asks before it sends, names the number of rows and the form, and sends nothing without a yes", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: careful\n  form: contacts" }))
      at.write("source.csv", csv(upTo(1_058)))
      const no = yield* answering(at, "n")
      expect(onOneLine(no.shown)).toContain(
        "1,058 rows will be sent to form Form contacts (contacts). Continue?",
      )
      expect([no.status, at.count()]).toEqual([2, 0])
      expect(at.report()).toMatchObject({ exitCode: 2, rows: { pending: 1_058 }, balance: { holds: true } })
      expect(no.shown.trimEnd()).toMatch(/formferry run contacts --confirm careful$/)

      at.write("source.csv", csv(upTo(1)))
      const yes = yield* answering(at, "y")
      expect(yes.shown).toContain("Writes to careful can't be undone. 1 row will be sent to form")
      expect([yes.status, at.count()]).toEqual([0, 1])
      // Without new rows the command doesn't ask.
      expect((yield* answering(at, "n")).status).toBe(0)
    }))
})

it.scopedLive.skipIf(withoutTerminal)(
  "init asks again if a folder or file doesn't exist, writes the pipeline, and asks about its open entries",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write("new/rows.csv", csv(upTo(3)))
      at.write(
        "new/forms/people.yaml",
        "id: people1\nname: People\nquestions: [{ id: q1, name: Name, type: ShortAnswer }, { id: q2, name: Shoe size, type: DatePicker }]\n",
      )
      const terminal = yield* inTerminal(at, "cd new && exec formferry init --project .\n")
      let read = 0
      const answers = [
        ["Number (1 to 2): ", "2"],
        ["form files: ", "form"],
        ["There is no folder `form` here. Type a folder, such as forms.", ""],
        ["form files: ", "forms"],
        ["such as contacts: ", "people"],
        ["with the rows: ", "row.csv"],
        ["There is no file `row.csv` here.", ""],
        // As terminals paste it.
        ["with the rows: ", "'rows.csv'"],
        ["form's id: ", "people1"],
        ["open entries now?", "y"],
        ["3  leave it unanswered on purpose", ""],
        ["Number (1 to 4): ", "3"],
      ] as const
      for (const [question, answer] of answers) {
        yield* until(() => terminal.shown().includes(question, read))
        read = terminal.shown().indexOf(question, read) + question.length
        if (answer !== "") terminal.type(`${answer}\r`)
      }
      expect(yield* terminal.ended).toBe(0)
      expect(at.read("new/pipelines/people.yaml")).toContain("  ignoreQuestions: [Shoe size]\n")
    }),
)
