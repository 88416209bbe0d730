import fc from "fast-check"
import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import type { Json } from "../../src/domain/json.ts"
import { textOf } from "../../src/kinds/cells.ts"
import { walkJson } from "../../src/source/json/walk.ts"
import { config, file, read, refusal, run } from "./opening.ts"

const json = (value: unknown, said = {}, options = {}) =>
  run(read(config(file(typeof value === "string" ? value : JSON.stringify(value), "json"), said), options))
const taken = (all: Awaited<ReturnType<typeof json>>) =>
  Object.fromEntries(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))
const titles = (all: Awaited<ReturnType<typeof json>>) => all.source.columns.map(({ title }) => title)

const records = [
  { id: 1, answers: { email: "ada@example.org", tags: ["a", "b"] }, done: true, note: null },
  { id: 2, answers: { email: "", more: { deep: "ü" } }, done: false, score: 1.5 },
]
const columns = ["id", "answers.email", "answers.tags", "done", "note", "answers.more.deep", "score"]
const rows = [
  [1, "ada@example.org", new JsonCell(["a", "b"]), true, null, null, null],
  [2, null, null, false, null, "ü", 1.5],
]

describe("a source with JSON records", () => {
  it("an array is read with members as columns, nested members by their path, and lists as single cells", async () => {
    const all = await json(records)
    expect(titles(all)).toEqual(columns)
    expect(all.rows).toEqual(rows)
    expect(taken(all)).toMatchObject({ format: "json (by its content)", records: "the top (detected)" })
  })

  it("a JSON text sequence is read record by record, also if records have several lines", async () => {
    const sequence = (indent?: number) =>
      records.map((one) => `\u001e${JSON.stringify(one, undefined, indent)}\n`).join("")
    for (const blockSize of [1, 7, 4096]) {
      for (const indent of [undefined, 2]) {
        const all = await json(sequence(indent), {}, { blockSize })
        expect(titles(all)).toEqual(columns)
        expect(all.rows).toEqual(rows)
        expect(taken(all).format).toBe("jsonl (by its content)")
      }
    }
    const cut = await json(sequence(2).slice(0, -5))
    expect([...cut.faults]).toEqual([[2, expect.stringContaining("Row 2 (line 13) is not JSON")]])
  })

  it("records are found at the named place, or at the only place with records", async () => {
    const within = { meta: { count: 2, tags: ["x"] }, data: { "a/b": records } }
    const said = await json(within, { records: "/data/a~1b" })
    expect(said.rows).toEqual(rows)
    const found = await json(within)
    expect(found.rows).toEqual(rows)
    expect(taken(found).records).toBe("/data/a~1b (detected)")
    expect(await refusal(config(file('{"a":[{"x":1}],"b":[{"x":2}]}', "json")))).toContain(
      "contains several lists of records: /a, /b. Name the one to read: `records: /a`",
    )
    expect(await refusal(config(file('{"a":1,"b":{"c":2}}', "json")))).toContain("contains no list of records")
    expect(await refusal(config(file('{"a":1}', "json"), { records: "/a" }))).toContain("is not a list of records")
    expect(await refusal(config(file('{"K-1":{"a":1},"K-2":{"a":2}}', "json")))).toContain(
      "is an object of objects, not a list of records",
    )
    expect(await refusal(config(file('[\n ["No", "Name"],\n [1, "Ada"]\n]', "json")))).toContain(
      "has no record with members",
    )
    expect(await refusal(config(file('{"a":1}', "json"), { records: "/b" }))).toContain(
      "There is no list of records at /b",
    )
  })

  it("lines are read as records, and a line that is not JSON is reported", async () => {
    const text = `${JSON.stringify(records[0])}\r\n\n{"id":3,\n${JSON.stringify(records[1])}\n7`
    for (let blockSize = 1; blockSize < text.length; blockSize += 5) {
      const all = await json(text, {}, { blockSize })
      expect(titles(all)).toEqual(columns)
      // The text of a record without cells follows the columns.
      const unread = (text: string) => [...columns.map(() => null), text]
      expect(all.rows).toEqual([rows[0], unread('{"id":3,'), rows[1], unread("7")])
      expect([...all.faults]).toEqual([
        [2, expect.stringContaining("Row 2 (line 3) is not JSON")],
        [4, expect.stringContaining("Row 4 (line 5) is not an object with members")],
      ])
      expect(taken(all).format).toBe("jsonl (by its content)")
    }
  })

  it("several records on one line are refused with what to do", async () => {
    const two = '{"a":1} {"a":2}'
    expect(await refusal(config(file(`${two}\n`, "jsonl")))).toContain(
      "has no record with members. Row 1 (line 1) is not JSON, or has several records.",
    )
    expect(await refusal(config(file(`${two}\n{"a":3}\n`, "jsonl")))).toContain(
      "More text follows the end of its first value. Put all records into one list, or each on its own line.",
    )
    expect([...(await json(`{"a":0}\n${two}\n`)).faults]).toEqual([
      [2, expect.stringContaining("export the file again with one record per line")],
    ])
  })

  it("long numbers stay as written, __proto__ is a member, and names with dots stay separate", async () => {
    for (
      const [text, format] of [[
        '[{"id":12345678901234567890,"f":0.1234567890123456789,"n":-12.50,"e":1e999,"__proto__":{"x":1},"a.b":1,"a":{"b":2}}]',
        "json",
      ], [
        '{"id":12345678901234567890,"f":0.1234567890123456789,"n":-12.50,"e":1e999,"__proto__":{"x":1},"a.b":1,"a":{"b":2}}\n',
        "jsonl",
      ]] as const
    ) {
      const all = await json(text, { format })
      expect(titles(all)).toEqual(["id", "f", "n", "e", "__proto__.x", "a.b", "a.b"])
      expect(all.rows).toEqual([["12345678901234567890", "0.1234567890123456789", -12.5, "1e999", 1, 1, 2]])
      expect(all.source.columns.at(-1)?.name).toBeUndefined()
    }
  })

  it("a number has the text that is written, however many digits it has", async () => {
    const written = [
      "10212345678901234",
      "10212345678901236",
      "-10212345678901234",
      "102123456789012340",
      "9007199254740992",
      "9007199254740991",
      "1234567890123456768",
      "90071992547409.91",
      "90071992.54740993",
      "0.30000000000000004",
      "1712345678.123456",
      "52.516274999999997",
      "1500",
      "-0.5",
    ]
    for (const [text, format] of [["[{", "json"], ["{", "jsonl"]] as const) {
      const members = written.map((number, at) => `"m${at}":${number}`).join(",")
      const all = await json(`${text}${members}}${format === "json" ? "]" : "\n"}`, { format })
      expect(all.rows[0]?.map(textOf)).toEqual(written)
    }
  })

  it("decimals stay numbers, also with 17 digits", async () => {
    expect((await json('[{"a":13.404953999999998,"b":[13.404953999999998]}]')).rows).toEqual([
      [13.404953999999998, new JsonCell([13.404953999999998])],
    ])
  })

  it("JSON may be in other encodings, and is read wherever its blocks end", async () => {
    const text = JSON.stringify(records)
    for (let blockSize = 1; blockSize < 80; blockSize++) {
      expect((await json(text, {}, { blockSize })).rows).toEqual(rows)
    }
    const wide = iconv.encode(text, "utf-16le", { addBOM: true })
    expect((await run(read(config(file(wide, "json"))))).rows).toEqual(rows)
    expect((await json(`\ufeff${text}`)).rows).toEqual(rows)
  })

  it("JSON is refused at the place where it is truncated, malformed or followed by other text", async () => {
    const at = (text: string) => refusal(config(file(text, "json"), { format: "json" }))
    expect(await at('[{"a":1},{"a":2}')).toContain("after record 2: it ends too early")
    expect(await at('[{"a":1},{"a":2,}]')).toContain("It is not JSON after record 1")
    expect(await at('[{"a":1},{"a":"x')).toContain("after record 1: it ends within a value, so it was cut short")
    expect(await at('[{"a":1},{"a":NaN}]')).toContain('It is not JSON after record 1: unexpected "N". Export it again')
    expect(await at('[{"a":1} {"a":2}]')).toContain("It is not JSON after record 1")
    expect(await at('[{"a":1}] x')).toMatch(/It is not JSON/)
    for (const more of ["]", ' [{"a":2}]', "\n7"]) {
      expect(await at(`[{"a":1}]${more}`)).toContain("More text follows the end of its first value")
    }
    expect(await at("hello")).toMatch(/It is not JSON at its beginning/)
    expect(await at(`[${"[".repeat(600)}`)).toContain("nested more than 500 deep")
  })

  it("an object with two members of the same name is reported, because one of them would be lost", async () => {
    expect(await refusal(config(file('[{"a":1},{"b":{"c":1,"c":2}}]', "json"), { format: "json" }))).toContain(
      'An object after record 1 has two members called "c", so one of them would be lost.',
    )
    const lines = await json('{"a":1,"a":":"}\n{"a":":","b":"\\":"}\n{"b":[{"c":1},{"c":2}]}\n', { format: "jsonl" })
    expect(lines.rows).toEqual([[null, null, '{"a":1,"a":":"}'], [":", '":'], [null, expect.anything()]])
    expect([...lines.faults]).toEqual([
      [1, expect.stringContaining("Row 1 (line 1) has an object with two members of the same name")],
    ])
  })

  it("two lists at the same place are refused, because one of them would be lost", async () => {
    const message = "It has two values at /a/b, because two members of an object have the same name"
    for (const second of ['"b":[{"c":2}]', '"b":5', '"d":1},"a":{"b":[]']) {
      const path = file(`{"a":{"b":[{"c":1}],${second}}}`, "json")
      expect(await refusal(config(path, { records: "/a/b" }))).toContain(message)
    }
    const twice = file('{"a":{"b":[{"c":1}]},"a":{"b":[{"c":2}]}}', "json")
    expect(await refusal(config(twice))).toContain(message)
    const two = file('{"a":[{"c":1}],"b":[{"c":2}]}', "json")
    expect(await refusal(config(two))).toContain("several lists of records: /a, /b")
  })

  it("members that first occur late are reported with the row in which they occur, and none is lost silently", async () => {
    const many = Array.from(
      { length: 9_000 },
      (_, id) => ({ id, text: "x".repeat(990), ...(id === 8_999 ? { late: 1 } : {}) }),
    )
    const all = await json(many)
    expect(all.rows).toHaveLength(9_000)
    expect(taken(all)["members without a column"]).toMatch(
      /^late \(from row 9000 on\): none of the first [\d,]+ records has them$/,
    )
    expect(all.files[0]?.file.unread).toEqual([{ what: "member", name: "late", cells: 1 }])
    expect((await json([{ a: 1 }, {}, { a: 2 }])).rows).toEqual([[1], [2]])
  })

  it("members outside the list of records are counted by their places", async () => {
    const text = JSON.stringify({
      meta: { made: "today", by: null, note: "" },
      items: [{ a: 1 }, { a: 2 }],
      other: [{ name: "Ada" }, { name: "Grace", tags: [1, 2] }],
    })
    const all = await json(text, { records: "/items" })
    expect(all.files[0]?.file.unread).toEqual([
      { what: "outside", name: "/meta/made", cells: 1 },
      { what: "outside", name: "/other/name", cells: 2 },
      { what: "outside", name: "/other/tags", cells: 2 },
    ])
  })
})

describe("any JSON", () => {
  it("any JSON is read as JSON.parse reads it, apart from whole numbers beyond 2^53, wherever its pieces end", () =>
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.integer({ min: 1, max: 20 }), (values, size) => {
        const isLong = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)
        const text = JSON.stringify(values, (_, value: unknown) => isLong(value) ? 0 : value)
        const given: Array<Json> = []
        const walk = walkJson({ target: [], record: (value) => given.push(value) })
        for (let at = 0; at < text.length; at += size) walk.push(text.slice(at, at + size))
        walk.end()
        expect(JSON.stringify(given)).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { seed: 11, numRuns: 300 },
    ))

  it("JSON that is changed anywhere is either refused or still valid", () =>
    fc.assert(
      fc.property(fc.nat(60), fc.constantFrom(...'{}[],:"x1 \\'), (at, char) => {
        const text = JSON.stringify([{ a: [1, "x", null], b: { c: true } }, { a: -1.5e3, d: 'é"' }])
        const changed = text.slice(0, at) + char + text.slice(at + 1)
        let mine: string | undefined
        try {
          const given: Array<Json> = []
          const walk = walkJson({ target: [], record: (value) => given.push(value) })
          walk.push(changed)
          walk.end()
          mine = JSON.stringify(given)
        } catch {
          mine = undefined
        }
        let expected: string | undefined
        try {
          expected = JSON.stringify(JSON.parse(changed))
        } catch {
          expected = undefined
        }
        expect(mine).toBe(expected)
      }),
      { seed: 12, numRuns: 600 },
    ))
})
