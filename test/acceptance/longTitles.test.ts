// Form builders allow a whole paragraph as a question's name. No command prints such a name in full.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bench } from "./contacts.ts"

/** Returns a title of 800 characters that begins and ends with its letter. */
const title = (letter: string): string => `${letter} ${"so long a title ".repeat(50)}`.slice(0, 799) + letter

const [name, colour, age, mail, extra, key, note, form] = ["n", "c", "a", "m", "e", "k", "x", "f"].map(title)

const options = [title("r"), title("b")]

const question = (id: string, name: string | undefined, type: string, options: ReadonlyArray<string> = []) => ({
  id,
  name,
  type,
  ...(options.length === 0 ? {} : { options: options.map((one) => ({ value: one, label: one })) }),
})

const csv = (rows: ReadonlyArray<ReadonlyArray<string | undefined>>): string =>
  rows.map((row) => row.map((cell) => `"${cell}"`).join(",") + "\n").join("")

/** Matches a long part of a title. */
const long = /.{0,40}(?:so long a title ){13}.{0,40}/g

it.scopedLive(
  "no command prints a title of 800 characters in full, and no comment written by init repeats one",
  () =>
    Effect.gen(function*() {
      const at = yield* bench()
      at.write(
        "forms/people.yaml",
        JSON.stringify({
          id: "people1",
          name: form,
          questions: [
            question("q1", name, "ShortAnswer"),
            question("q2", colour, "Dropdown", options),
            question("q3", age, "NumberInput"),
            question("q4", mail, "EmailInput"),
            question("q5", extra, "ShortAnswer"),
          ],
        }),
      )
      const header = [key, name, colour, age, mail, note]
      const rows = Array.from(
        { length: 9 },
        (_, n) => [`${n}`, `Name ${n}`, options[n % 2], `${n}`, `n${n}@example.org`, "x"],
      )
      const wrong = ["9", "Name 9", title("u"), "many", "none", "x"]
      at.write("forms.csv", csv([header, ...rows, wrong]))
      /** Runs a command that exits with this code, and expects no long part of a title in its output. */
      const prints = (status: number, ...words: ReadonlyArray<string>) =>
        Effect.map(at.inProcess(...words, "--project", "long"), ({ stderr, stdout, ...ran }) => {
          expect(ran.status, stdout + stderr).toBe(status)
          const flat = (stdout + stderr).replaceAll(/[\s│]+/g, " ")
          expect(flat.match(long) ?? [], words.join(" ")).toEqual([])
          return stdout
        })

      yield* prints(0, "inspect", "forms.csv")
      yield* prints(0, "init", "people", "--forms", "forms", "--source", "forms.csv", "--form", "people1")
      yield* prints(0, "form", "practice", "people1")
      yield* prints(2, "check")
      const pipeline = at.read("long/pipelines/people.yaml")
      const prose = pipeline.match(/# (?:options|left open|not mapped|Made by|confidence)\b.*/g) ?? []
      expect(prose).toEqual(expect.arrayContaining([
        expect.stringMatching(/^# options: r so long a title/),
        expect.stringMatching(/^# left open: .*Different in every row: k so long/),
        expect.stringMatching(/^# not mapped yet: /),
      ]))
      expect(prose.join("\n").match(long)).toBe(null)
      at.edit("long/pipelines/people.yaml", /^source:\n/m, `source:\n  rowKey: [${JSON.stringify(key)}]\n`)
      yield* prints(0, "check")
      yield* prints(0, "preview", "people")
      yield* prints(1, "run", "people", "--dry-run")
      yield* prints(1, "run", "people")
      yield* prints(0, "report", "people")
      yield* prints(0, "status", "people")
      at.edit("long/pipelines/people.yaml", `from: ${JSON.stringify(name)}`, `from: ${JSON.stringify(name + "?")}`)
      at.edit("long/pipelines/people.yaml", `name: ${JSON.stringify(mail)}`, `name: ${JSON.stringify(mail + "?")}`)
      yield* prints(2, "check")
    }),
  60_000,
)
