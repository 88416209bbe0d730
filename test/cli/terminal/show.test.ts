import fc from "fast-check"
import stringWidth from "fast-string-width"
import { stripVTControlCharacters } from "node:util"
import { describe, expect, it } from "vitest"
import { showForm } from "../../../src/cli/form.ts"
import { showPreview } from "../../../src/cli/preview.ts"
import { statusTable } from "../../../src/cli/status.ts"
import { showDiagnostics } from "../../../src/cli/terminal/diagnostics.ts"
import { progressLine } from "../../../src/cli/terminal/progress.ts"
import { cutToWidth, type Screen, screenOf, table } from "../../../src/cli/terminal/screen.ts"
import { showRuns, showSummary } from "../../../src/cli/terminal/summary.ts"
import type { Diagnostic } from "../../../src/domain/diagnostic.ts"
import type { Form } from "../../../src/domain/form.ts"
import type { ProgressEvent } from "../../../src/domain/progress.ts"
import { exampleReport } from "../../report/exampleReport.ts"

const plain: Screen = { width: 100, colour: false }
const widest = (text: string) => Math.max(...text.split("\n").map((line) => stringWidth(line)))

const diagnostic = (change: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: "error",
  file: "pipelines/contacts.yaml",
  line: 12,
  column: 7,
  excerpt: "    - colum: DOB",
  message: 'Unknown key "colum".',
  suggestion: 'Did you mean "column"?',
  ...change,
})

const form = (text: string): Form => ({
  id: "fm_1",
  name: text,
  questions: [
    { id: "q1", name: text, type: "Dropdown", options: [{ value: "y", label: "Yes" }, { value: text, label: text }] },
    { id: "q2", name: "Plain", type: undefined, options: undefined },
  ],
  calculations: [{ id: "c1", name: text }],
  urlParameters: [{ id: "u1", name: text }],
  scheduling: [],
  payments: [],
  quiz: { enabled: true },
})

const preview = (text: string) => [{
  row: 3,
  key: text,
  fate: "invalid" as const,
  answers: [
    {
      name: "Born",
      kind: "date",
      cells: [{ column: "DOB", text }],
      value: undefined,
      problems: [{ code: "not-a-date" as const, message: text }],
    },
    {
      name: "Name",
      kind: "text",
      cells: [{ column: "first", text: "Ann" }, { column: "last", text }],
      value: text,
      problems: [],
    },
  ],
  problems: [{ code: "conflict" as const, message: text }],
}]

const progress = (change: Partial<ProgressEvent> = {}): ProgressEvent => ({
  phase: "import",
  read: 1240,
  total: 10_000,
  sent: 1200,
  readBack: { verified: 1180, differing: 2, missing: 0, unread: 18 },
  inDoubt: 1,
  throttled: 3,
  rate: 95.4,
  ...change,
})

const status = (text: string) => [{
  pipeline: text,
  destination: { service: "https://api.example", form: text },
  zone: "Europe/Berlin",
  standing: {
    imported: 1200,
    inDoubt: 4,
    intended: 0,
    refused: 0,
    leftOut: 1,
    replaced: 0,
    verdicts: { verified: 1198, differing: 2, missing: 0, unread: 0 },
    acknowledged: { inDoubt: 0, differing: 0, missing: 0, unread: 0 },
  },
  lastRun: {
    run: "r",
    mode: "run" as const,
    startedAt: "2025-03-01T02:00:00Z",
    finishedAt: undefined,
    outcome: "inDoubt" as const,
    exitCode: 4,
    counts: null,
  },
  lastDone: {
    run: "q",
    mode: "run" as const,
    startedAt: "2025-02-28T02:00:00Z",
    finishedAt: "2025-02-28T02:01:05Z",
    outcome: "complete" as const,
    exitCode: 0,
    counts: null,
  },
  nextRun: undefined,
  going: undefined,
}]

/** Returns every output that can contain text from a file or a service, with this text in it. */
const shownWith = (text: string, screen: Screen): ReadonlyArray<string> => {
  const report = exampleReport()
  return [
    showDiagnostics([diagnostic({ file: text, excerpt: text, message: text, suggestion: text, column: 1 })], screen),
    showForm(form(text), screen),
    showPreview(preview(text), screen),
    statusTable(status(text), [{ pipeline: text, nextRun: undefined }], screen),
    showSummary(
      exampleReport({
        pipeline: text,
        run: text,
        because: [text],
        next: text,
        warnings: [text],
        form: { service: text, id: text, name: text },
        problems: report.problems.map((group) => ({
          ...group,
          column: text,
          examples: [{ row: 1, value: text, message: text }],
        })),
        findings: report.findings.map((one) => ({ ...one, name: text, pattern: text })),
      }),
      `reports/${text}`,
      screen,
    ),
  ]
}

describe("the screen's settings", () => {
  const terminal = { isTTY: true, columns: 80 }
  const env = { TERM: "xterm" }

  it("the screen has colours only on a terminal, and only if they are not disabled", () => {
    expect(screenOf(terminal, env, false)).toEqual({ width: 80, colour: true })
    expect(screenOf({ columns: 80 }, env, false).colour).toBe(false)
    expect(screenOf(terminal, env, true).colour).toBe(false)
    expect(screenOf(terminal, { ...env, NO_COLOR: "1" }, false).colour).toBe(false)
    expect(screenOf(terminal, { ...env, NO_COLOR: "" }, false).colour).toBe(true)
    expect(screenOf(terminal, { TERM: "dumb" }, false).colour).toBe(false)
  })

  it("the screen always has a usable width", () => {
    expect(screenOf({ ...terminal, columns: 3 }, env, false).width).toBe(20)
    expect(screenOf({ isTTY: true }, env, false).width).toBe(100)
    expect(screenOf({ columns: 40 }, env, false).width).toBe(100)
  })
})

/** Matches the sequences that switch bold, dim, red, green and yellow. */
const ours = new RegExp(`${String.fromCharCode(0x1B)}\\[(?:1|2|22|31|32|33|39)m`, "g")

describe("every output", () => {
  it("the output contains no control characters except line feeds, and no escape sequences except formferry's colours", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom(
            "\u001B[2J\u001B]0;title\u0007",
            "\u009B31m",
            "a\rb",
            "a\nb",
            "\u202Eabc",
            "\u001B]8;;http://x\u0007y",
            "\u0008\u0008",
          ),
          fc.string({ unit: "binary", minLength: 1 }),
        ),
        (text) => {
          for (const shown of shownWith(text, plain)) expect(shown).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
          const coloured = shownWith(text, { ...plain, colour: true })
          for (const shown of coloured) {
            expect(shown.replaceAll(ours, "")).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
          }
        },
      ),
      { seed: 3, numRuns: 100 },
    )
  })

  it("the output contains the same text with and without colours", () => {
    const coloured = shownWith("Müller 東京", { ...plain, colour: true })
    expect(coloured.map((shown) => stripVTControlCharacters(shown))).toEqual(shownWith("Müller 東京", plain))
    expect(coloured.join("")).toContain("\u001B[31m")
  })

  it("the output fits narrow and wide terminals, even with wide characters", () => {
    const texts = ["short", "a".repeat(300), "東京都渋谷区".repeat(20), "one two three ".repeat(30), "👩‍👩‍👧".repeat(40)]
    for (const width of [20, 40, 80, 160]) {
      for (const text of texts) {
        const [diagnostics, form, preview, status] = shownWith(text, { width, colour: false })
        for (const shown of [form, preview, status]) expect(widest(shown ?? "")).toBeLessThanOrEqual(width)
        // The place of a finding is never truncated, so that it can be clicked and copied.
        expect(widest((diagnostics ?? "").split("\n").slice(1).join("\n"))).toBeLessThanOrEqual(width)
      }
    }
  })
})

describe("the output of diagnostics", () => {
  it("a diagnostic contains the place, the message, the line with a caret, and the suggestion", () => {
    const lines = showDiagnostics([diagnostic(), diagnostic({ severity: "warning", suggestion: undefined })], plain)
      .split("\n")
    expect(lines[0]).toBe("pipelines/contacts.yaml:12:7 error")
    expect(lines[1]).toBe('  Unknown key "colum".')
    const [source = "", caret = ""] = lines.slice(2)
    expect(source).toContain("    - colum: DOB")
    expect(caret.indexOf("^")).toBe(source.indexOf("colum"))
    expect(lines[4]).toBe('  Did you mean "column"?')
    expect(lines.at(-1)).toBe("1 error, 1 warning")
  })

  it("a diagnostic keeps the caret below its place after wide characters and on a truncated line", () => {
    const wide = showDiagnostics([diagnostic({ excerpt: "名前: x", column: 5 })], plain).split("\n")
    expect(stringWidth((wide[3] ?? "").slice(0, wide[3]?.indexOf("^")))).toBe(
      stringWidth((wide[2] ?? "").slice(0, wide[2]?.indexOf("x"))),
    )
    const far = showDiagnostics([diagnostic({ excerpt: "a".repeat(300) + "HERE" + "b".repeat(300), column: 301 })], {
      width: 60,
      colour: false,
    }).split("\n")
    expect(far[2]).toContain("HERE")
    expect(far[3]?.indexOf("^")).toBe(far[2]?.indexOf("HERE"))
  })
})

describe("the summary of a run", () => {
  it("a summary contains the outcome, balance, verdicts, problems, differences, files and the next command", () => {
    const shown = showSummary(exampleReport(), "reports/contacts/r1", plain)
    for (
      const text of [
        "contacts → Contact form (live)",
        "Sat 2025-03-01 03:00 +01:00 (Europe/Berlin), took 1m 5s (survey 3s, canary 2s, import 1m)",
        "Rows need review",
        "2 rows are invalid and were not sent.",
        "imported",
        "1,006",
        "the balance holds",
        "verified",
        "1,005",
        "not-a-date",
        "DOB",
        "row 17",
        "absent",
        "Phone",
        "did not come back",
        "reports/contacts/r1/report.html",
        "Warning: The file ends without a line end.",
      ]
    ) expect(shown).toContain(text)
    expect(shown.split("\n").at(-1)).toBe(
      "Next:   formferry run contacts --source reports/contacts/latest/rejected.csv",
    )
  })

  it("a summary omits what did not occur, and highlights an incorrect balance", () => {
    const shown = showSummary(
      exampleReport({ problems: [], findings: [], warnings: [], next: undefined, balance: { holds: false } }),
      "r",
      plain,
    )
    expect(shown).not.toMatch(/problem|difference|Next|refused|pending/)
    expect(shown).toContain("THE BALANCE DOES NOT HOLD")
  })

  it("a summary names the largest problems first, and counts the rest", () => {
    const [group] = exampleReport().problems
    if (group === undefined) throw new Error("the example has a problem")
    const problems = Array.from({ length: 14 }, (_, index) => ({ ...group, column: `c${index}`, count: index + 1 }))
    const shown = showSummary(exampleReport({ problems }), "r", plain)
    expect(shown.indexOf("c13")).toBeLessThan(shown.indexOf("c12"))
    expect(shown).not.toContain("c3 ")
    expect(shown).toContain("4 more kinds")
  })

  it("a summary says if only the answer was omitted, and the row imported", () => {
    const problems = exampleReport().problems.slice(0, 1).map((group) => ({ ...group, dropped: true as const }))
    expect(showSummary(exampleReport({ problems }), "r", plain)).toContain("not-a-date, only the answer omitted")
  })
})

describe("the progress line", () => {
  it("the progress line contains counts and the time left", () => {
    expect(progressLine(progress(), plain)).toBe(
      "import    1,240 of 10,000 rows (12%) · 1,200 sent · 1,180 verified · 2 differing · 1 in doubt · slowed down 3 times · 95 a second · about 1m 32s left",
    )
  })

  it("the progress line omits unknown figures", () => {
    const nothing = { verified: 0, differing: 0, missing: 0, unread: 0 }
    expect(
      progressLine(
        progress({
          phase: "survey",
          read: 1,
          total: undefined,
          sent: 0,
          readBack: nothing,
          inDoubt: 0,
          throttled: 0,
          rate: undefined,
        }),
        plain,
      ),
    )
      .toBe("survey    1 row")
    expect(progressLine(progress({ total: 0, read: 0, rate: 0 }), plain)).toContain("0 of 0 rows ·")
  })

  it("the progress line has a space after the longest titles of phases", () => {
    expect(progressLine(progress({ phase: "rewrite" }), plain)).toMatch(/^rewrite the ledger rewriting/)
    expect(progressLine(progress({ phase: "list", read: 5 }), plain)).toMatch(/^list the form 5 of/)
  })

  it("the progress line of the survey has no rate", () => {
    expect(progressLine(progress({ phase: "survey", read: 160, total: undefined, rate: 0.5 }), plain))
      .not.toContain("a second")
  })
})

describe("the output of forms, previews, status and runs", () => {
  it("the output of a form contains its questions with their options, and its other lists", () => {
    const shown = showForm(form("Städte"), plain)
    for (const text of ["Städte", "q1", "Dropdown", "y (Yes)", "Plain", "URL parameter", "u1", "calculation", "Quiz"]) {
      expect(shown).toContain(text)
    }
    expect(showForm({ ...form("x"), questions: [] }, plain)).toContain("no questions")
  })

  it("the output of a form names the first options of a long list, and counts the rest", () => {
    const options = Array.from({ length: 30 }, (_, index) => ({ value: `o${index}`, label: `o${index}` }))
    const shown = showForm({ ...form("x"), questions: [{ id: "q", name: "Q", type: "T", options }] }, {
      width: 400,
      colour: false,
    })
    expect(shown).toContain("18 more options")
    expect(shown).not.toContain("o13")
  })

  it("the output of a preview contains cells next to their answers, and problems", () => {
    const shown = showPreview(preview("31.02.1990"), plain)
    for (const text of ["Row 3", "invalid", "Born", "first: Ann, last: 31.02.1990", "becomes"]) {
      expect(shown).toContain(text)
    }
    expect(shown.split("\n").find((line) => line.includes("Born"))).toMatch(/Born +│ 31\.02\.1990 +│ +│ 31\.02\.1990/)
  })

  it("the output of status contains the state of a pipeline and its last run", () => {
    const never = [{ pipeline: "people", nextRun: { at: "2026-11-21T02:00:00+01:00", zone: "Europe/Berlin" } }]
    const lines = statusTable(status("contacts"), never, { width: 120, colour: false }).split("\n")
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/contacts +│ Rows are in doubt +│ 2025-02-28 03:01 +│ +1,200 │ +4 │/)
    expect(lines[2]).toMatch(/people +│ never ran +│ never +│ +0 │ +│ 2026-11-21 02:00$/)
    expect(lines[0]).toContain("last good run (Europe/Berlin)")
  })

  it("the output of status contains each pipeline's time zone if there are several", () => {
    const ours = status("contacts")
    const theirs = status("people").map((one) => ({ ...one, zone: "America/New_York" }))
    const [head, ...lines] = statusTable([...ours, ...theirs], [], { width: 120, colour: false }).split("\n")
    expect(head).toMatch(/last good run +│.*time zone$/)
    expect(lines).toEqual([
      expect.stringMatching(/2025-02-28 03:01 .*Europe\/Berlin$/),
      expect.stringMatching(/2025-02-27 21:01 .*America\/New_York$/),
    ])
  })

  it("the list of runs contains the runs that left a report", () => {
    const { run, mode, form, startedAt, finishedAt, outcome, exitCode, rows, readBack } = exampleReport()
    const shown = showRuns(
      [{
        run,
        mode,
        form,
        startedAt,
        finishedAt,
        outcome,
        exitCode,
        rows,
        readBack,
        zone: "Europe/Berlin",
        folder: "f",
      }],
      { width: 160, colour: false },
    )
    expect(shown).toContain(run)
    expect(shown).toContain("started (Europe/Berlin)")
    expect(shown).toContain("2025-03-01 03:00 ")
    expect(shown).toContain("1,005")
  })
})

describe("fitting text into the terminal", () => {
  it("text is truncated between whole characters, and only if it exceeds the width", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const cut = cutToWidth(text, width)
        expect(stringWidth(cut)).toBeLessThanOrEqual(width)
        if (stringWidth(text) <= width && !/\p{Cc}|\p{Cf}/u.test(text)) expect(cut).toBe(text)
      }),
      { seed: 5, numRuns: 300 },
    )
    expect(cutToWidth("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…")
  })

  it("a table of 16,000 rows is drawn in linear time, with the same column widths throughout", () => {
    const rows = Array.from(
      { length: 16_000 },
      (_, at) => [String(at), at === 12_345 ? "the widest of all" : "short", "x"],
    )
    const before = process.cpuUsage()
    const lines = table(["a", "b", "c"], rows, { width: 80, colour: false }).split("\n")
    const { system, user } = process.cpuUsage(before)
    expect(lines).toHaveLength(16_001)
    expect(new Set(lines.map((line) => line.lastIndexOf("│"))).size).toBe(1)
    expect((user + system) / 1e6).toBeLessThan(15)
  })

  it("a table turns into blocks if its narrowest columns don't fit, and loses no text", () => {
    const columns = ["a", "b", "c", "d", "e"]
    const shown = table(columns, [["first value", "second", "", "fourth value", "fifth"]], { width: 24, colour: false })
    for (const text of ["a: first value", "b: second", "d: fourth value", "e: fifth"]) expect(shown).toContain(text)
  })
})
