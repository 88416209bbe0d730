// Tests bytes and quotes of text files. Everything is either read correctly or reported, and nothing is sent if two
// readings fit.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

const header = "No,Name,Mail,Born\n"
const row = (key: number, name = `Person ${key}`) => `${key},${name},p${key}@example.org,1990-01-17\n`

it.scopedLive("sound rows of a damaged or ragged text are sent unchanged, and faulty rows are reported", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const quiet = "service: live\n  form: contacts\n  stopWhen: { invalid: 100% }"
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: quiet }))
    // Four bytes that are two characters of GB18030, in an otherwise ASCII file.
    const ascii = header + upTo(40).map((key) => row(key)).join("") + row(41, "odd \xc4\xe3\xba\xc3 bytes")
    at.write("source.csv", Buffer.from(ascii, "latin1"))
    yield* at.exits(0, "run", "contacts")
    expect(at.answers("qName")).toEqual([...upTo(40).map((key) => `Person ${key}`), "odd ÄãºÃ bytes"].toSorted())
    expect(at.report().sources[0]?.taken).toContainEqual(
      expect.objectContaining({ what: "encoding", value: expect.stringContaining("Windows-1252") }),
    )

    const form = "service: live\n  form: other\n  stopWhen: { invalid: 100% }"
    at.write("pipelines/other.yaml", pipelineYaml({ name: "other", file: "../other.csv", sink: form }))
    at.write(
      "other.csv",
      Buffer.concat([
        Buffer.from(header + upTo(30).map((key) => row(key, `Zoë ${key}`)).join("")),
        Buffer.from(row(31, "M\xfcller"), "latin1"),
        Buffer.from(row(32, "Æsa") + "33,Person 33,p33@example.org\n"),
      ]),
    )
    yield* at.exits(1, "run", "other")
    const expected = [...upTo(30).map((key) => `Zoë ${key}`), "Æsa"]
    expect(at.answers("qName", "other")).toEqual(expected.toSorted())
    const { problems } = at.report("other")
    expect(problems.map(({ code, examples }) => [code, examples.map((example) => example.row)])).toEqual(
      expect.arrayContaining([["damaged-text", [31]], ["ragged-row", [33]]]),
    )

    at.write(
      "pipelines/other.yaml",
      pipelineYaml({ name: "other", file: "../other.csv\n  raggedRows: pad", sink: form }),
    )
    yield* at.exits(1, "run", "other")
    expect(at.report("other").rows).toMatchObject({ alreadyImported: 31, imported: 1, invalid: 1 })
    expect(at.answers("qName", "other")).toEqual([...expected, "Person 33"].toSorted())
  }))

it.scopedLive("check and run stop at ambiguous quotes and name their lines, until `source.quoteChar` is set", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const lines = csv(upTo(9)).split("\n")
    lines[4] = '4,"Native,p4@example.org,1990-01-17'
    lines[6] = '6,Bob",p6@example.org,1990-01-17'
    at.write("source.csv", lines.join("\n"))
    for (const command of ["check", "run"]) {
      const stopped = yield* at.exits(2, command, "contacts")
      expect(onOneLine(stopped.stdout + stopped.stderr)).toContain("Quotes can be read in two ways on lines 5 to 7")
      expect(onOneLine(stopped.stdout + stopped.stderr)).toContain("`quoteChar: none`")
    }
    expect(at.count()).toBe(0)

    at.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.csv\n  quoteChar: none" }))
    yield* at.exits(0, "run", "contacts")
    const names = upTo(9).map((key) => key === 4 ? '"Native' : key === 6 ? 'Bob"' : `Person ${key}`)
    expect(at.answers("qName")).toEqual(names.toSorted())
    expect(at.answers("qMail")).toEqual(upTo(9).map((key) => `p${key}@example.org`))
    expect(at.answers("qBorn")).toEqual(upTo(9).map(() => "1990-01-17"))
  }))

it.scopedLive("keys that differ only in half of a surrogate pair, and an answer with one, are errors of their rows, and the other rows are sent", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const record = (key: string, name: string) =>
      `{"No":"${key}","Name":"${name}","Mail":"p@example.org","Born":"1990-01-17"}`
    const records = [
      record("a\\ud800", "Ada"),
      record("a\\ud801", "Bob"),
      record("b", "Cleo \\ud83d"),
      record("c", "Dora \\ud83d\\ude00"),
      record("a\ufffd", "Eve"),
    ]
    const sink = "service: live\n  form: contacts\n  stopWhen: { invalid: 100% }"
    for (const [form, content] of [["contacts", `[${records.join(",")}]`], ["other", records.join("\n")]] as const) {
      const file = form === "contacts" ? "source.json" : "source.jsonl"
      at.write(file, content)
      at.write(
        `pipelines/${form}.yaml`,
        pipelineYaml({ name: form, file: `../${file}`, sink: sink.replace("form: contacts", `form: ${form}`) }),
      )
      const ran = yield* at.inProcess("run", form)
      expect([file, ran.status], ran.stdout + ran.stderr).toEqual([file, 1])
      expect(at.answers("qName", form)).toEqual(["Dora 😀", "Eve"])
      const { problems, rows } = at.report(form)
      expect(rows).toMatchObject({ read: 5, imported: 2, invalid: 3 })
      expect(problems.map(({ code, examples }) => [code, examples.map((example) => example.row)])).toEqual([
        ["damaged-text", [1, 2, 3]],
      ])
      expect(onOneLine(ran.stdout.replaceAll("│", " "))).toContain(
        "half of a character (an unpaired surrogate), which can't be sent",
      )
      // The next run sends nothing twice, and reports the same rows.
      yield* at.exits(1, "run", form)
      expect(at.count(form)).toBe(2)
    }
  }))
