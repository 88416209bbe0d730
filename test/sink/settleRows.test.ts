import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Form } from "../../src/domain/form.ts"
import type { Item } from "../../src/domain/item.ts"
import type { Evidence } from "../../src/ledger/evidence.ts"
import type { DoubtfulRow } from "../../src/ledger/pages.ts"
import type { ExportFacts } from "../../src/sink/absence.ts"
import { likenessOf, resultsColumns } from "../../src/sink/likeness.ts"
import { makeSettling, type Owner } from "../../src/sink/settleRows.ts"
import { formWith, question } from "../fakeForms.ts"
import { doubtfulRow } from "./doubtfulRow.ts"

const form = formWith({
  id: "f",
  name: "F",
  questions: [
    question("n", "Name", "ShortAnswer"),
    question("m", "E-mail", "EmailInput"),
    question("a", "Age", "NumberInput"),
  ],
  urlParameters: [{ id: "row_key", name: "row_key" }, { id: "run_id", name: "run_id" }],
})

const titles = ["Submission ID", "Name", "E-mail", "Age", "row_key", "run_id"]
const columns = resultsColumns({ titles, own: new Set(), id: undefined }, form, [])

const sentAt = Date.UTC(2026, 0, 1, 12)
const minute = 60_000

const rowOf = (row: number, item: Item, members: Partial<DoubtfulRow> = {}): DoubtfulRow =>
  doubtfulRow(row, item, { sentAt: new Date(sentAt).toISOString(), ...members })

const person = (name: string, mail = `${name}@example.org`, age = 30, stamp?: string, run?: string): Item => {
  const stamps = Object.entries({ row_key: stamp, run_id: run })
    .flatMap(([id, value]) => value === undefined ? [] : [{ id, name: id, value }])
  return {
    questions: [{ id: "n", value: name }, { id: "m", value: mail }, { id: "a", value: age }],
    ...(stamps.length === 0 ? {} : { urlParameters: stamps }),
  }
}

type Line = readonly [
  id: string,
  name: string,
  mail?: string | undefined,
  age?: string | undefined,
  stamp?: string,
  run?: string,
]

/** Complete evidence: rows were visible after a minute, and the ledger has earlier and later submissions. */
const proof: Evidence = {
  visibleFrom: sentAt + minute,
  before: { batch: 1, submissionId: "before" },
  witness: { batch: 9, submissionId: "after" },
  testEntry: undefined,
  hasClockGoneBack: false,
}

const good: ExportFacts = {
  _tag: "Export",
  lacking: { count: 0, example: undefined },
  unreadable: 0,
  isInOrder: true,
  isComplete: false,
  evidenceOf: () => proof,
  times: undefined,
  now: sentAt + 2 * minute,
}

const settle = (
  rows: ReadonlyArray<DoubtfulRow>,
  lines: ReadonlyArray<Line>,
  facts: Partial<ExportFacts> = {},
  rowKey?: string,
  landedByWord: ReadonlyArray<Item> = [],
  owner?: Owner,
) => {
  if (columns === undefined) throw new Error("no columns")
  const stamps = { rowKey, origin: new Set(["run_id"]) }
  const likeness = (item: Item) => likenessOf(item, { form, columns, kinds: [], stamps })
  const settling = makeSettling(rows, likeness, landedByWord, { all: new Set(), unseen: new Set() })
  for (const [id, name, mail = `${name}@example.org`, age = "30", key = "", run = ""] of lines) {
    settling.offer(id, [id, name, mail, age, key, run], owner)
  }
  const { open, settled } = settling.decide({ ...good, ...facts })
  return {
    landed: settled.flatMap(({ as, row }) =>
      as.outcome._tag === "Landed" ? [[row.row, as.outcome.submissionId] as const] : []
    ),
    notLanded: settled.flatMap(({ as, row }) => (as.outcome._tag === "NotLanded" ? [row.row] : [])),
    open: open.map(({ reason, row, wants }) => [row.row, reason, wants] as const),
  }
}

const none = { landed: [], notLanded: [], open: [] }

describe("settling rows in doubt from an export", () => {
  it("settles a row as landed if exactly one submission fits, or as not landed if a complete, late export has none", () => {
    const rows = [rowOf(1, person("ada")), rowOf(2, person("bob"))]
    expect(settle(rows, [["s1", "ada"], ["s2", "somebody else"]])).toEqual({
      ...none,
      landed: [[1, "s1"]],
      notLanded: [2],
    })
  })

  it("doesn't settle a row as not landed if a submission has its answers that is not proven to be another row's", () => {
    const rows = [rowOf(1, person("ada")), rowOf(2, person("bob"))]
    const lines: ReadonlyArray<Line> = [["s1", "ada"], ["s2", "bob", "bob@example.com"]]
    expect(settle(rows, lines, {}, undefined, [], "certain")).toEqual({ ...none, notLanded: [1, 2] })
    expect(settle(rows, lines, {}, undefined, [], "unproven")).toEqual({
      ...none,
      notLanded: [2],
      open: [[1, expect.stringContaining("the service returned its id for another row"), "a person"]],
    })
  })

  it("a person decides if a cell begins with an apostrophe that a spreadsheet needs, or that was part of the answer", () => {
    const rows = [rowOf(1, person("=1")), rowOf(2, person("'=1"))]
    const { landed, notLanded, open } = settle(rows, [["s9", "'=1"]])
    expect({ landed, notLanded, open: open.map(([row]) => row) }).toEqual({ ...none, open: [1, 2] })
    expect(settle(rows.slice(1), [["s9", "'=1"]])).toEqual({ ...none, landed: [[2, "s9"]] })
  })

  it("doesn't settle a row as not landed if the export lacks known submissions", () => {
    const rows = [rowOf(1, person("ada")), rowOf(2, person("bob"))]
    const settled = settle(rows, [["s1", "ada"]], { lacking: { count: 3, example: "s7" } })
    expect(settled).toMatchObject({ landed: [[1, "s1"]], notLanded: [] })
    expect(settled.open).toEqual([[2, expect.stringContaining("lacks 3 of the submissions"), "another export"]])
  })

  it("settles a row as not landed only if every part of the proof is present", () => {
    const row = rowOf(1, person("ada"))
    const open = (facts: Partial<ExportFacts>) => {
      const settled = settle([row], [], facts)
      expect(settled.notLanded).toEqual([])
      return settled.open[0]?.slice(1)
    }
    const lacks = (part: Partial<Evidence>) => open({ evidenceOf: () => ({ ...proof, ...part }) })
    expect(settle([row], []).notLanded).toEqual([1])
    expect(lacks({ visibleFrom: undefined })).toEqual([expect.stringContaining("may still send"), "a person"])
    expect(open({ now: sentAt + minute - 1 })).toEqual([expect.stringContaining("might not be visible before"), "time"])
    expect(open({ unreadable: 1 })).toEqual([expect.stringContaining("1 line of the export"), "another export"])
    expect(open({ isInOrder: false })).toEqual([expect.stringContaining("not sorted by time"), "a vouched export"])
    expect(lacks({ before: undefined })).toEqual([expect.stringContaining("known to be older"), "a vouched export"])
    expect(lacks({ witness: undefined })).toEqual([expect.stringContaining("known to be later than"), "a witness"])
    expect(lacks({ witness: undefined, hasClockGoneBack: true })).toEqual([
      expect.stringContaining("the clock was set back"),
      "a vouched export",
    ])
    const testEntry = { text: "formferry-abc", at: sentAt + minute, after: 6 }
    expect(settle([row], [], { evidenceOf: () => ({ ...proof, witness: undefined, testEntry }) }).notLanded).toEqual([
      1,
    ])
  })

  it("a landed row counts as an older submission if its batch ended before the row in doubt was sent", () => {
    const evidenceOf = () => ({ ...proof, before: undefined })
    const found = (first: number) =>
      settle([rowOf(1, person("ada")), rowOf(2, person("bob"), { first })], [["s1", "ada"]], { evidenceOf }).notLanded
    expect(found(7)).toEqual([2])
    expect(found(6)).toEqual([])
  })

  it("a row is settled as not landed only if known submissions have earlier and later submission times", () => {
    const at = (time: string | undefined) => {
      const item = { ...person("ada"), ...(time === undefined ? {} : { submissionTime: time }) }
      const times = { earliest: Date.UTC(2020, 0, 1), latest: Date.UTC(2021, 0, 1) }
      return settle([rowOf(1, item)], [], { times }).notLanded.length
    }
    expect(at("2020-06-01T00:00:00Z")).toBe(1)
    for (const time of ["2019-06-01T00:00:00Z", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", undefined]) {
      expect(at(time), time).toBe(0)
    }
  })

  it("an export that a person declares complete needs the waiting time and all known submissions, but no older or newer ones", () => {
    const row = rowOf(1, person("ada"))
    const nothing = {
      visibleFrom: sentAt + minute,
      before: undefined,
      witness: undefined,
      testEntry: undefined,
      hasClockGoneBack: true,
    }
    const vouched = (facts: Partial<ExportFacts>) =>
      settle([row], [], { isComplete: true, isInOrder: false, evidenceOf: () => nothing, ...facts }).notLanded
    expect(vouched({})).toEqual([1])
    expect(vouched({ now: sentAt + minute - 1 })).toEqual([])
    expect(vouched({ lacking: { count: 1, example: "s7" } })).toEqual([])
    expect(vouched({ unreadable: 1 })).toEqual([])
    expect(vouched({ evidenceOf: () => ({ ...nothing, visibleFrom: undefined }) })).toEqual([])
  })

  it("a person decides if a row fits two submissions, or a submission fits two rows", () => {
    const two = settle([rowOf(1, person("ada"))], [["s1", "ada"], ["s2", "ada"]])
    expect(two.open).toEqual([[1, "2 submissions in the export fit it: s1, s2", "a person"]])
    const resent = settle([rowOf(1, person("ada"), { resent: true })], [["s1", "ada"], ["s2", "ada"]])
    expect(resent.open[0]?.[1]).toContain("may have landed twice")
    // One column can't be read, so the submission may belong to either row.
    const alike = [
      rowOf(1, {
        questions: [{ id: "n", value: "ada" }, { id: "m", value: "ada@example.org" }, { id: "a", value: 3 }],
      }),
      rowOf(2, {
        questions: [{ id: "n", value: "ada" }, { id: "m", value: "ada@example.org" }, { id: "a", value: 4 }],
      }),
    ]
    const shared = settle(alike, [["s1", "ada", undefined, "three"]])
    expect(shared.open.map(([row, reason]) => [row, reason])).toEqual([
      [1, "submission s1 of the export fits other rows in doubt as well"],
      [2, "submission s1 of the export fits other rows in doubt as well"],
    ])
  })

  it("a submission counts only once if a person settled an identical row as landed", () => {
    const ada = person("ada")
    const byWord = (
      rows: ReadonlyArray<DoubtfulRow>,
      lines: ReadonlyArray<Line>,
      ...landedByWord: ReadonlyArray<Item>
    ) => settle(rows, lines, {}, undefined, landedByWord)
    expect(byWord([rowOf(2, ada)], [["s1", "ada"]], ada)).toEqual({ ...none, notLanded: [2] })
    expect(byWord([rowOf(2, ada)], [["s1", "ada"], ["s2", "ada"]], ada)).toEqual({ ...none, landed: [[2, "s2"]] })
    expect(byWord([rowOf(2, ada)], [], ada).open).toEqual([
      [
        2,
        expect.stringContaining("a person said that 1 identical row had landed, but it contains 0"),
        "another export",
      ],
    ])
    expect(byWord([rowOf(2, ada)], ["s1", "s2", "s3"].map((id) => [id, "ada"] as const), ada).open).toEqual([
      [2, "3 submissions in the export fit it, and 1 more row that a person said had landed: s1, s2, s3", "a person"],
    ])
    // A submission that clearly belongs to a different row does not keep a row in doubt. A submission that may belong
    // to either row does.
    expect(byWord([rowOf(1, person("bob", "ada@example.org"))], [["s1", "ada"]], ada)).toEqual({
      ...none,
      notLanded: [1],
    })
    const younger = person("ada", undefined, 29)
    expect(byWord([rowOf(1, younger)], [["s1", "ada", undefined, "three"]], ada).open.map(([, reason]) => reason))
      .toEqual([
        "submission s1 of the export fits a row that a person said had landed as well",
      ])
  })

  it("settles as many identical rows as landed as there are submissions", () => {
    const rows = [1, 2, 3].map((row) => rowOf(row, person("ada")))
    expect(settle(rows, [["s1", "ada"], ["s2", "ada"]])).toEqual({
      ...none,
      landed: [[1, "s1"], [2, "s2"]],
      notLanded: [3],
    })
    expect(settle(rows, ["s1", "s2", "s3", "s4"].map((id) => [id, "ada"] as const)).open.length).toBe(3)
  })

  it("a row stays in doubt if a similar submission has a truncated, missing or rewritten answer", () => {
    const row = rowOf(1, person("ada lovelace", "ada@example.org"))
    const altered: ReadonlyArray<Line> = [
      ["s1", "ada love", "ada@example.org"],
      ["s1", "", "ada@example.org"],
      ["s1", "ADA LOVELACE", "ada@example.org"],
      ["s1", "changed", "ada@example.org"],
      ["s1", "", "", ""],
    ]
    for (const line of altered) {
      const settled = settle([row], [line])
      expect(settled.notLanded, JSON.stringify(line)).toEqual([])
      expect(settled.open, JSON.stringify(line)).toEqual([[1, expect.stringContaining("resembles it"), "a person"]])
    }
  })

  it("a row is settled despite a similar submission that certainly belongs to a different row", () => {
    const rows = [rowOf(1, person("ada")), rowOf(2, person("adam", "ada@example.org"))]
    expect(settle(rows, [["s1", "ada"]])).toEqual({ ...none, landed: [[1, "s1"]], notLanded: [2] })
  })

  it("doesn't settle a row as landed if the submission has an answer that the row lacks", () => {
    const row = rowOf(1, { questions: [{ id: "n", value: "ada" }] })
    expect(settle([row], [["s1", "ada", "", ""]]).landed).toEqual([[1, "s1"]])
    expect(settle([row], [["s1", "ada", "ada@example.org", "30"]]).landed).toEqual([])
  })

  it("submissions are compared by their stamp, or by their answers if they have no stamp", () => {
    const row = rowOf(1, person("ada", undefined, 30, "k1"))
    const stamp = "row_key"
    expect(settle([row], [["s1", "changed", "zoe@elsewhere.net", "7", "k1"]], {}, stamp).open).toEqual([
      [1, expect.stringContaining("resembles it"), "a person"],
    ])
    expect(settle([row], [["s1", "ada", "x@example.org", "30", "k1"]], {}, stamp).landed).toEqual([[1, "s1"]])
    expect(settle([row], [["s1", "ada", undefined, "30", "k2"]], {}, stamp).notLanded).toEqual([1])
    expect(settle([row], [["s1", "ada"]], {}, stamp).notLanded).toEqual([])
  })

  describe("the run's id", () => {
    const row = rowOf(1, person("ada", undefined, 30, "k1", "run-2"))
    const keyless = rowOf(1, person("ada", undefined, 30, undefined, "run-2"))
    const line = (run: string, key = "", name = "ada"): Line => ["s1", name, undefined, undefined, key, run]
    const resembling = {
      ...none,
      open: [[1, expect.stringContaining("submission s1 of the export resembles"), "a person"]],
    }

    it("a submission of the same run fits by its row key or its answers, not by the run's id", () => {
      expect(settle([row], [line("run-2", "k1", "changed")], {}, "row_key").landed).toEqual([[1, "s1"]])
      expect(settle([keyless], [line("run-2")]).landed).toEqual([[1, "s1"]])
      expect(settle([row], [line("run-2", "k2")], {}, "row_key").notLanded).toEqual([1])
      expect(settle([keyless], [["s1", "bob", undefined, "31", "", "run-2"]]).notLanded).toEqual([1])
    })

    it("a submission of a different run shows neither that the row landed nor that it did not", () => {
      expect(settle([row], [line("run-1", "k1")], {}, "row_key")).toEqual(resembling)
      expect(settle([keyless], [line("run-1")])).toEqual(resembling)
    })

    it("a submission without the run's id fits by its row key, but not by its answers alone", () => {
      expect(settle([row], [line("", "k1")], {}, "row_key").landed).toEqual([[1, "s1"]])
      expect(settle([keyless], [line("")])).toEqual(resembling)
    })

    it("rows with the same answers are distinguished by the run that sent them", () => {
      const earlier = rowOf(2, person("ada", undefined, 30, undefined, "run-1"))
      expect(settle([keyless, earlier], [line("run-1")])).toEqual({ landed: [[2, "s1"]], notLanded: [1], open: [] })
    })
  })

  it("counts a submission once if the export repeats its line", () => {
    expect(settle([rowOf(1, person("ada"))], [["s1", "ada"], ["s1", "ada"]]).landed).toEqual([[1, "s1"]])
  })

  it("settles exactly the landed rows as landed, for any rows and copies", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{6,12}$/), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat({ max: 2 })), fc.uniqueArray(fc.stringMatching(/^[A-Z]{8}$/)), (
        sent,
        copies,
        others,
      ) => {
        const rows = sent.flatMap((name, at) =>
          Array.from({ length: 1 + copies.next().value }, (_, copy) => rowOf(at * 3 + copy + 1, person(name)))
        )
        const landed = rows.filter(() => copies.next().value > 0)
        const lines = [
          ...landed.map((row) => [`s${row.row}`, String(row.item?.questions[0]?.value)] as const),
          ...others.map((name, at) => [`o${at}`, name, `${name}@elsewhere.example`, "99"] as const),
        ]
        const settled = settle(rows, lines)
        expect(settled.open).toEqual([])
        expect(settled.landed.map(([, id]) => id).toSorted()).toEqual(landed.map((row) => `s${row.row}`).toSorted())
        expect(settled.landed.length + settled.notLanded.length).toBe(rows.length)
        // The submission of each landed row has the row's answers.
        for (const [row, id] of settled.landed) {
          const [own, other] = [row, Number(id?.slice(1))].map((number) => rows.find((one) => one.row === number)?.item)
          expect(own).toEqual(other)
        }
      }),
      { seed: 20261120 },
    )
  })
})

describe("finding an export's columns", () => {
  const find = (...names: ReadonlyArray<string>) =>
    resultsColumns({ titles: names, own: new Set(), id: undefined }, form, [])

  it("columns are found by id, or by name regardless of case and spaces, but only with a column of submission ids", () => {
    expect(find("Name", "E-mail")).toBeUndefined()
    const found = find("E-MAIL", "  name ", "a", "submission id")
    expect(found?.id).toBe(3)
    expect(Object.fromEntries(found?.elements ?? [])).toEqual({
      "questions n": [1],
      "questions m": [0],
      "questions a": [2],
    })
  })

  it("repeated names are distinguished by their order, if there is a column for each", () => {
    const twice: Form = {
      ...form,
      questions: [question("q1", "Other", "ShortAnswer"), question("q2", "Other", "ShortAnswer")],
    }
    const of = (...titles: ReadonlyArray<string>) =>
      resultsColumns({ titles, own: new Set(), id: undefined }, twice, [])?.elements
    expect(of("Submission ID", "Other", "Other")?.get("questions q2")).toEqual([2])
    expect(of("Submission ID", "Other")?.size).toBe(0)
  })

  it("a question may be named like a leading column, and a calculation like a question", () => {
    const other: Form = {
      ...form,
      questions: [question("s", "Status", "ShortAnswer"), question("t", "Total", "NumberInput")],
      calculations: [{ id: "c", name: "Total" }],
      urlParameters: [],
    }
    const titles = ["Submission ID", "Last updated", "Status", "Status", "Total", "Total", "row_key"]
    const found = resultsColumns({ titles, own: new Set(), id: undefined }, other, ["row_key"])
    expect(Object.fromEntries(found?.elements ?? [])).toEqual({
      "questions s": [3],
      "questions t": [4],
      "calculations c": [5],
      "urlParameters row_key": [6],
    })
  })

  it("the tool's own columns are ignored, and the columns of parts belong to their question", () => {
    const home: Form = {
      ...form,
      questions: [question("h", "Home", "Address"), question("s", "Status", "ShortAnswer")],
    }
    const found = resultsColumns(
      {
        titles: ["Submission ID", "Status", "Address (Home)", "City (Home)", "Status"],
        own: new Set([0, 1]),
        id: 0,
      },
      home,
      [],
    )
    expect(Object.fromEntries(found?.elements ?? [])).toEqual({ "questions h": [2, 3], "questions s": [4] })
  })
})
