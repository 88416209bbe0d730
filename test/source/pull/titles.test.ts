// A pull and an export of the same form have the same questions, cells and row key. Both are written from one set of responses.
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Papa from "papaparse"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { loadProject } from "../../../src/project/loadProject.ts"
import { openSource } from "../../../src/source/openSource.ts"
import type { Source } from "../../../src/source/Source.ts"
import { listen } from "../../localServer.ts"
import { config, file, read, readAll, run, texts } from "../opening.ts"

const samples = fileURLToPath(new URL("../../../samples", import.meta.url))

/** The answers of the tool by path. */
const answers = new Map<string, unknown>()
const server = createServer((request, response) => {
  const answer = answers.get(new URL(request.url ?? "/", "http://tool").pathname)
  response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer))
})
let port = 0
const root = mkdtempSync(join(tmpdir(), "formferry-titles-"))
beforeAll(async () => {
  port = await listen(server)
  for (const folder of ["config", "pipelines"]) mkdirSync(join(root, folder))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(root, { recursive: true })
})

interface Pulled {
  readonly format?: string
  readonly records: ReadonlyArray<unknown>
  readonly definition?: unknown
}

/** Pulls records, and the definition of their form if there is one. */
const openPull = ({ definition, format, records }: Pulled) =>
  Effect.suspend(() => {
    answers.set("/records", { data: records, more: "no" })
    if (definition === undefined) answers.delete("/form")
    else answers.set("/form", { more: "no", ...(definition as object) })
    writeFileSync(
      join(root, "config/formferry.yaml"),
      `services: { practice: { practice: { forms: forms } } }
connections:
  tool: { base: "http://127.0.0.1:${port}", requestsPerSecond: 100 }
`,
    )
    writeFileSync(
      join(root, "pipelines/people.yaml"),
      `pipeline: people
source:
  connection: tool
  request: { path: /records }
  success: { /more: ["no"] }
  records: /data${format === undefined ? "" : `\n  format: ${format}`}${
        definition === undefined ? "" : "\n  labels: { path: /form }"
      }
mapping: { questions: [] }
sink: { service: practice, form: people }
`,
    )
    return Effect.flatMap(loadProject(root), ({ pipelines }) => openSource(pipelines.get("people")!.source))
  })

const pull = (pulled: Pulled) =>
  run(Effect.gen(function*() {
    const source = yield* openPull(pulled)
    const { rows } = yield* readAll(source)
    const files = yield* source.files
    return { source, rows, files, digest: yield* source.digest! }
  }))

type Opened = Awaited<ReturnType<typeof pull>>

/** Returns a source's columns from `from` on, its blocks, and its cells before and after cleaning. */
const shape = ({ rows, source }: { readonly source: Source; readonly rows: Opened["rows"] }, width: number) => {
  const { tool } = source
  if (tool === undefined) throw new Error("it was not recognised")
  return {
    names: source.columns.slice(0, width).map(({ name, title }) => name ?? title),
    blocks: source.blocks,
    key: tool.defaultRowKey,
    rows: texts(rows, width).map((row) => row.slice(0, width)),
    cleaned: texts(rows.map((row) => tool.clean(row)), width).map((row) => row.slice(0, width)),
  }
}

const both = async (
  path: string,
  pulled: Pulled & { readonly format: string },
  widthOf = (source: Source) => source.columns.length,
) => {
  const exported = await run(read(config(path, { format: pulled.format })))
  const width = widthOf(exported.source)
  return { exported: shape(exported, width), pulled: shape(await pull(pulled), width) }
}

describe("Typeform", () => {
  const [titles = [], ...rows] = Papa.parse<ReadonlyArray<string>>(
    readFileSync(`${samples}/form-tools/typeform.csv`, "utf8").trimEnd(),
  ).data
  const cell = (row: ReadonlyArray<string>, title: string) => row[titles.indexOf(title)] ?? ""
  const definition = {
    id: "form1",
    hidden: ["fbclid"],
    variables: { score: 0 },
    fields: [
      { id: "F0", ref: "hello", title: "Welcome", type: "statement", properties: {} },
      { id: "F1", ref: "name", title: "What is your *name*?", type: "short_text", properties: {} },
      {
        id: "G1",
        ref: "contact",
        title: "How to reach you",
        type: "contact_info",
        properties: {
          fields: [
            { id: "F2", ref: "mail", title: "Email", type: "email", properties: {} },
            { id: "F3", ref: "phone", title: "Phone number", type: "phone_number", properties: {} },
          ],
        },
      },
      { id: "F4", ref: "born", title: "Date of birth", type: "date", properties: {} },
      {
        id: "F5",
        ref: "sports",
        title: "Which sports?",
        type: "multiple_choice",
        properties: {
          allow_multiple_selection: true,
          allow_other_choice: true,
          choices: [{ id: "c1", label: "Hiking" }, { id: "c2", label: "Cycling, also by train" }],
        },
      },
      { id: "F6", ref: "again", title: "Would you come again?", type: "yes_no", properties: {} },
    ],
  }
  const answersOf = (row: ReadonlyArray<string>) => {
    const labels = ["Hiking", "Cycling, also by train"].filter((label) => cell(row, label) !== "")
    const other = cell(row, "Other")
    return [
      { type: "text", text: cell(row, "What is your *name*?"), field: { id: "F1", type: "short_text" } },
      { type: "email", email: cell(row, "Email"), field: { id: "F2", type: "email" } },
      {
        type: "phone_number",
        phone_number: cell(row, "Phone number").slice(1),
        field: { id: "F3", type: "phone_number" },
      },
      { type: "date", date: cell(row, "Date of birth").slice(0, 10), field: { ref: "born", type: "date" } },
      {
        type: "choices",
        choices: {
          // A label that was changed since.
          labels: labels.map((label) => label.replace("Hiking", "Walking")),
          ids: labels.map((label) => (label === "Hiking" ? "c1" : "c2")),
          ...(other !== "" && { other }),
        },
        field: { id: "F5", type: "multiple_choice" },
      },
      { type: "boolean", boolean: cell(row, "Would you come again?") === "1", field: { id: "F6", type: "yes_no" } },
    ]
  }
  const utc = (text: string) => `${text.replace(" ", "T")}Z`
  const responses = rows.map((row) => ({
    landing_id: cell(row, "#"),
    token: cell(row, "#"),
    response_id: cell(row, "#"),
    landed_at: utc(cell(row, "Start Date (UTC)")),
    submitted_at: utc(cell(row, "Submit Date (UTC)")),
    metadata: { platform: "other", network_id: cell(row, "Network ID") },
    hidden: { fbclid: cell(row, "fbclid") },
    variables: [{ key: "score", type: "number", number: Number(cell(row, "score")) }],
    answers: answersOf(row),
  }))

  it("a pull has the columns, blocks, cells and row key of an export", async () => {
    const path = `${samples}/form-tools/typeform.csv`
    // The text of the ending is not part of a response.
    const compared = await both(path, { format: "typeform", records: responses, definition }, () => titles.length - 1)
    expect(compared.pulled).toEqual(compared.exported)
    expect(compared.pulled.key).toEqual(["#"])
  })

  it("what the definition lacks is kept in columns of its own, and is mentioned", async () => {
    const added = {
      ...responses[0],
      answers: [
        { type: "text", text: "new", field: { id: "F9", ref: "later", type: "short_text" } },
        { type: "choices", choices: { labels: ["Rowing", "Hiking"] }, field: { id: "F5" } },
      ],
    }
    const { rows, source } = await pull({ format: "typeform", records: [...responses, added], definition })
    const names = source.columns.map(({ name }) => name)
    const last = rows.at(-1) ?? []
    expect(texts([last], names.length)[0]?.[names.indexOf("later")]).toBe("new")
    expect(texts([last], names.length)[0]?.[names.indexOf("Which sports? (no longer an option)")]).toBe(`["Rowing"]`)
    expect(last[names.indexOf("Hiking")]).toBe("Hiking")
    expect(source.tool?.notes).toEqual([
      "The definition of the form lacks a question of the responses, so the columns have ids as names: later.",
    ])
  })

  it("a response that was not submitted is not complete, and has no time", async () => {
    const started = { ...responses[0], answers: null, submitted_at: "0001-01-01T00:00:00Z" }
    const { rows, source } = await pull({ format: "typeform", records: [...responses, started], definition })
    const names = source.columns.map(({ name }) => name)
    const last = rows.at(-1) ?? []
    expect([last[names.indexOf("Response Type")], last[names.indexOf("Submit Date (UTC)")]]).toEqual([null, null])
    expect(source.tool?.complete).toEqual({ position: names.indexOf("Response Type"), is: ["completed"] })
  })

  it("without answers of a question, its column exists", async () => {
    const { source } = await pull({
      format: "typeform",
      records: [{ ...responses[0], answers: null, hidden: undefined, variables: undefined }],
      definition,
    })
    expect(source.columns.slice(0, titles.length - 1).map(({ title }) => title)).toEqual(titles.slice(0, -1))
  })

  it("a changed definition changes the digest, because it changes the cells", async () => {
    const first = await pull({ format: "typeform", records: responses, definition })
    const again = await pull({ format: "typeform", records: responses, definition })
    const changed = await pull({ format: "typeform", records: responses, definition: { ...definition, hidden: [] } })
    expect(again.digest).toEqual(first.digest)
    expect(changed.digest).not.toEqual(first.digest)
    expect(first.files.map(({ file }) => file.sha256)).toEqual(first.digest.map(({ sha256 }) => sha256))
  })
})

describe("SurveyMonkey", () => {
  const own =
    /^(?:Respondent ?ID|Collector ID|Start Date|End Date|IP Address|Email Address|First Name|Last Name|Custom Data 1)$/

  /** Writes an export as a survey's details and its responses. Ids are positions. */
  const surveyOf = (text: string) => {
    const [first = [], second = [], ...rows] = Papa.parse<ReadonlyArray<string>>(text.trimEnd()).data
    let title = ""
    const columns = first.map((head, position) => {
      if (head !== "" || (second[position] ?? "") === "") title = head
      return { title, sub: second[position] ?? "", position, isFirst: head !== "" }
    })
    const groups: Array<typeof columns> = []
    for (const column of columns) {
      if (own.test(column.title)) continue
      if (column.isFirst) groups.push([column])
      else groups.at(-1)?.push(column)
    }
    const cells = (position: number) =>
      [...new Set(rows.map((row) => row[position] ?? ""))].filter((cell) => cell !== "")
    const isOther = (sub: string) => sub.startsWith("Other (")
    const questions = groups.map((group, at) => {
      const id = `q${at}`
      const [main] = group
      const other = group.find(({ sub }) => isOther(sub))
      const parts = group.filter((column) => column !== other)
      const isTicks = parts.every(({ position, sub }) =>
        cells(position).every((cell) => cell === sub || cell === "Not selected")
      )
      const family = parts.length === 1 ? "single_choice" : isTicks ? "multiple_choice" : "matrix"
      const choices = family === "multiple_choice"
        ? parts.map(({ position, sub }) => ({ id: `c${position}`, text: sub, visible: true }))
        : [...new Set(parts.flatMap(({ position }) => cells(position)))].filter((cell) => !isOther(cell))
          .map((text) => ({ id: `c${text}`, text, visible: true }))
      return {
        group: parts,
        other,
        json: {
          id,
          family,
          subtype: family === "matrix" ? "rating" : "vertical",
          headings: [{ heading: main?.title }],
          answers: {
            choices,
            ...(family === "matrix"
              && { rows: parts.map(({ position, sub }) => ({ id: `r${position}`, text: sub, visible: true })) }),
            ...(other !== undefined
              && { other: { id: `o${at}`, text: other.sub, visible: true, is_answer_choice: true } }),
          },
        },
      }
    })
    const records = rows.map((row) => {
      const at = (name: RegExp) => row[first.findIndex((title) => name.test(title))]
      return {
        id: at(/^Respondent ?ID$/),
        collector_id: at(/^Collector ID$/) ?? "",
        date_modified: "2026-01-31T08:00:00+00:00",
        ip_address: at(/^IP Address$/) ?? "",
        response_status: "completed",
        pages: [{
          id: "p1",
          questions: questions.flatMap(({ group, json: { answers: { other: otherChoice }, family, id }, other }) => {
            const given = group.flatMap(({ position, sub }): ReadonlyArray<object> => {
              const cell = row[position] ?? ""
              if (cell === "" || cell === "Not selected" || (otherChoice !== undefined && isOther(cell))) return []
              if (family === "multiple_choice") return [{ choice_id: `c${position}` }]
              return [{ choice_id: `c${cell}`, ...(family === "matrix" && { row_id: `r${position}`, sub }) }]
            })
            const text = row[other?.position ?? -1] ?? ""
            const all = text === "" ? given : [...given, { other_id: otherChoice?.id, text }]
            return all.length === 0 ? [] : [{ id, answers: all }]
          }),
        }],
      }
    })
    return {
      format: "surveymonkey",
      definition: { id: "s1", pages: [{ id: "p1", questions: questions.map(({ json }) => json) }] },
      records,
    }
  }

  /** Returns the questions of a source, without the tool's own columns. */
  const questionsOf = ({ blocks, names, ...rest }: ReturnType<typeof shape>, width: number) => {
    const from = names.length - width
    const part = (rows: typeof rest.rows) => rows.map((row) => row.slice(from))
    return {
      names: names.slice(from),
      blocks: blocks.map(({ columns, title }) => ({
        title,
        columns: columns.map((column) => ({ ...column, position: column.position - from })),
      })),
      cleaned: part(rest.cleaned),
    }
  }

  it.each([
    ["the sample", `${samples}/form-tools/surveymonkey.csv`],
    ["the Star Wars survey", `${samples}/surveymonkey/538-StarWars.first200.csv`],
    ["the steak survey", `${samples}/surveymonkey/538-steak-risk-survey.csv`],
  ])("a pull of %s has the questions, blocks and answers of the export", async (_, path) => {
    const text = readFileSync(path, "latin1").replace(/^\u00ef\u00bb\u00bf/, "")
    const exported = await run(read(config(file(text), { format: "surveymonkey" })))
    const pulled = await pull(surveyOf(text))
    const width = exported.source.columns.filter(({ title }) => !own.test(title)).length
    const mine = shape(exported, exported.source.columns.length)
    const theirs = shape(pulled, 9 + width)
    expect(theirs.names.slice(0, 9)).toEqual([
      "Respondent ID",
      "Collector ID",
      "Start Date",
      "End Date",
      "IP Address",
      "Email Address",
      "First Name",
      "Last Name",
      "Custom Data 1",
    ])
    expect(questionsOf(theirs, width)).toEqual(questionsOf(mine, width))
    expect(theirs.rows.map(([id]) => id)).toEqual(mine.rows.map(([id]) => id))
    expect(theirs.key).toEqual(["Respondent ID"])
  })

  it("text, contacts, menus and grids with several answers have the columns of an export", async () => {
    const question = (id: string, heading: string, family: string, subtype: string, answers: object = {}) => ({
      id,
      family,
      subtype,
      headings: [{ heading }],
      answers,
    })
    const item = (id: string, text: string, visible = true) => ({ id, text, visible })
    const definition = {
      pages: [{
        questions: [
          question("q0", "Read this", "presentation", "descriptive_text"),
          question("q1", "Why?", "open_ended", "essay"),
          question("q2", "Who are you?", "demographic", "international", {
            rows: [item("r1", "Name"), item("r2", "Company", false), item("r3", "Email Address")],
          }),
          question("q3", "Which, how often?", "matrix", "menu", {
            rows: [item("r1", "Bus")],
            cols: [
              { ...item("k1", "Week"), choices: [item("c1", "Daily")] },
              { ...item("k2", "Weekend"), choices: [item("c2", "Never")] },
            ],
          }),
          question("q4", "Likes", "matrix", "multi", {
            rows: [item("r1", "Tea"), item("r2", "Coffee")],
            choices: [item("c1", "Hot"), item("c2", "Cold")],
          }),
          question("q5", "How likely?", "matrix", "rating", {
            rows: [item("r1", "")],
            choices: [{ id: "c1", text: "", weight: 9 }],
          }),
        ],
      }],
    }
    const record = {
      id: "1",
      collector_id: "7",
      pages: [{
        questions: [
          { id: "q1", answers: [{ text: "Because" }] },
          { id: "q2", answers: [{ row_id: "r1", text: "Ada" }, { row_id: "r2", text: "ACME" }] },
          {
            id: "q3",
            answers: [{ row_id: "r1", col_id: "k1", choice_id: "c1" }, { row_id: "r1", col_id: "k2", choice_id: "c2" }],
          },
          { id: "q4", answers: [{ row_id: "r1", choice_id: "c2" }, { row_id: "r2", choice_id: "c2" }] },
          { id: "q5", answers: [{ row_id: "r1", choice_id: "c1" }] },
          { id: "q9", answers: [{ choice_id: "77", simple_text: "Old" }] },
        ],
      }],
    }
    const { rows, source } = await pull({ format: "surveymonkey", records: [record], definition })
    const found = source.columns.slice(9).map(({ title }, at) => [title, texts(rows, 9 + at)[0]?.[9 + at]])
    expect(found).toEqual([
      ["Why? [Open-Ended Response]", "Because"],
      ["Who are you? [Name]", "Ada"],
      ["Who are you? [Email Address]", ""],
      ["Which, how often? [Bus - Week]", "Daily"],
      ["Which, how often? [Bus - Weekend]", "Never"],
      ["Likes [Tea - Hot]", ""],
      ["Likes [Tea - Cold]", "Cold"],
      ["Likes [Coffee - Hot]", ""],
      ["Likes [Coffee - Cold]", "Cold"],
      ["How likely?", "9"],
      ["Who are you? (no longer an option)", `{"row_id":"r2","text":"ACME"}`],
      ["question q9", "Old"],
    ])
  })

  it("without a definition, columns are named by the questions' ids", async () => {
    const pages = [{ questions: [{ id: "q1", answers: [{ text: "Because" }] }] }]
    const { source } = await pull({ format: "surveymonkey", records: [{ id: "1", collector_id: "7", pages }] })
    expect(source.columns.at(-1)?.title).toBe("question q1")
    expect(source.tool?.notes[0]).toMatch(/^Columns are named by the questions' ids/)
  })
})

describe("Fillout", () => {
  const at = "Sat Sep 19 2026 15:05:00 GMT-0400 (Eastern Daylight Time)"
  const address = ["1 Main St", "Flat 2", "Springfield", "IL", "62701", "USA"]
  const parts = ["Address", "Address line 2", "City", "State/Province", "Zip/Postal code", "Country"]
  const exported = Papa.unparse([
    [
      "Submission ID",
      "Last updated",
      "Submission started",
      "Status",
      "Current step",
      "Your name",
      ...parts.map((part) => `${part} (Home)`),
      "Subscribe?",
      "Comment",
      "email",
      "Errors",
      "Url",
      "Network ID",
    ],
    ["s1", at, at, "finished", "Ending", "Ada", ...address, "true", "", "ada@example.org", "None", "https://x", "7f"],
    ["s2", at, at, "finished", "Ending", "Ben", ...address.map(() => ""), "false", "", "", "None", "https://x", "8f"],
  ])
  const question = (id: string, name: string, type: string, value?: unknown) => ({ id, name, type, value })
  const [first, second, city, state, zipCode, country] = address
  const records = [
    {
      submissionId: "s1",
      submissionTime: "2026-09-19T19:05:00.000Z",
      lastUpdatedAt: "2026-09-19T19:05:00.000Z",
      startedAt: "2026-09-19T19:05:00.000Z",
      questions: [
        question("a", "Name", "ShortAnswer", "Ada"),
        question("b", "Home", "Address", {
          address: first,
          addressLine2: second,
          city,
          state,
          zipCode,
          country,
          county: "Sangamon",
        }),
        question("c", "Subscribe?", "Checkbox", true),
        question("e", "Extras", "Checkboxes", ["A, B", "C"]),
      ],
      calculations: [{ id: "k", name: "Total", value: 3 }],
      urlParameters: [{ id: "email", name: "email", value: "ada@example.org" }],
      documents: [],
    },
    {
      submissionId: "s2",
      submissionTime: "2026-09-19T19:05:00.000Z",
      questions: [question("a", "Name", "ShortAnswer", "Ben"), question("c", "Subscribe?", "Checkbox", false)],
      urlParameters: [],
    },
  ]
  const definition = {
    questions: [
      question("a", "Your name", "ShortAnswer"),
      question("b", "Home", "Address"),
      question("c", "Subscribe?", "Checkbox"),
      question("d", "Comment", "LongAnswer"),
    ],
  }

  it("a pull has the columns, answers and row key of an export", async () => {
    const mine = shape(await run(read(config(file(exported)))), 18)
    const theirs = await pull({ format: "fillout", records, definition })
    const found = shape(theirs, theirs.source.columns.length)
    const asked = mine.names.filter((name) => !/^(?:Last|Submission s|Status|Current|Errors|Url|Network)/.test(name))
    const of = ({ cleaned, names }: typeof mine) =>
      cleaned.map((row) => Object.fromEntries(asked.map((name) => [name, row[names.indexOf(name)]])))
    expect(of(found)).toEqual(of(mine))
    expect(found.names.filter((name) => asked.includes(name))).toEqual(asked)
    expect([mine.key, found.key]).toEqual([["Submission ID"], ["Submission ID"]])
  })

  it("answers that an export does not contain get columns, too", async () => {
    const { rows, source } = await pull({ format: "fillout", records, definition })
    const value = (title: string) => texts(rows, 40)[0]?.[source.columns.findIndex((column) => column.title === title)]
    expect(["county (Home)", "Extras", "Total", "Submission time"].map(value)).toEqual([
      "Sangamon",
      `["A, B","C"]`,
      "3",
      "2026-09-19T19:05:00.000Z",
    ])
  })
})

describe("Airtable", () => {
  const records = [
    {
      id: "rec1",
      createdTime: "2026-01-31T08:00:00.000Z",
      fields: {
        Name: "Ada Example",
        Agreed: true,
        Photo: [{ id: "att1", url: "https://v5.airtableusercontent.com/v3/u/1/abc", filename: "ada.jpg" }],
        Likes: ["Tea", "Coffee"],
        Owner: { id: "usr1", email: "eve@example.org", name: "Eve" },
      },
    },
    { id: "rec2", createdTime: "2026-01-31T09:00:00.000Z", fields: { Name: "Ben", Likes: ["Tea, black"] } },
  ]
  const table = (id: string, ...names: ReadonlyArray<string>) => ({
    id,
    name: id,
    fields: names.map((name) => ({ id: `fld${name}`, name })),
  })
  const definition = {
    tables: [
      table("tblOther", "Name", "Price"),
      table("tbl1", "Name", "Agreed", "Photo", "Likes", "Owner", "Comment"),
    ],
  }
  const csv = Papa.unparse([
    ["Name", "Agreed", "Photo", "Likes", "Owner", "Comment"],
    ["Ada Example", "checked", "ada.jpg (https://v5.airtableusercontent.com/v3/u/1/abc)", "Tea,Coffee", "Eve", ""],
    ["Ben", "", "", "Tea, black", "", ""],
  ])

  it("a pull has the columns and cells of a grid view's CSV", async () => {
    const mine = await run(read(config(file(csv), { format: "airtable" })))
    const theirs = await pull({ format: "airtable", records, definition })
    const [first] = shape(theirs, 6).cleaned
    expect(shape(theirs, 6).names).toEqual(shape(mine, 6).names)
    expect(first).toEqual(shape(mine, 6).cleaned[0])
    // A list whose items contain commas remains a list, because a text could not be split again.
    expect(shape(theirs, 6).rows[1]?.[3]).toBe(`["Tea, black"]`)
    expect(theirs.source.tool?.defaultRowKey).toEqual(["Airtable record ID"])
  })

  it("without a definition, there is a column for each field of any record", async () => {
    const { source } = await pull({ format: "airtable", records })
    expect(source.columns.map(({ name }) => name)).toEqual([
      "Name",
      "Agreed",
      "Photo",
      "Likes",
      "Owner.id",
      "Owner.email",
      "Owner.name",
      "Airtable record ID",
      "Airtable created time",
    ])
  })
})

describe("a definition", () => {
  it("that can't be read is an error that names the second request", async () => {
    const broken = openPull({ format: "typeform", records: [{ answers: null }], definition: { more: "yes" } })
    await expect(run(broken)).rejects.toThrow(/reports a failure.*second request, for titles and labels\.$/)
  })
})

describe("records that are lists of cells", () => {
  const lists = [
    ["Name", "Likes; all", "", "Born"],
    ['Ada "A."\nExample', "tea; coffee", "x", "1990-02-12"],
    [],
    ["Ben", null, "", "", "more"],
    ["'; Cem", 7],
  ]

  it("are rows of a table whose first is the header, and shorter rows are padded", async () => {
    const { files, rows, source } = await pull({ records: lists })
    expect(source.columns.map(({ title }) => title)).toEqual(["Name", "Likes; all", "", "Born", ""])
    expect(texts(rows, 5)).toEqual([
      ['Ada "A."\nExample', "tea; coffee", "x", "1990-02-12", ""],
      ["Ben", "", "", "", "more"],
      ["'; Cem", "7", "", "", ""],
    ])
    expect(source.taken).toContainEqual({ what: "pulled", value: "4 records in 1 page" })
    expect(files[0]?.file.format).toBe("csv")
  })

  it("are recognised as the export of a form tool", async () => {
    const text = readFileSync(`${samples}/form-tools/google-forms.csv`, "utf8").replace(/^\ufeff/, "")
    const { data } = Papa.parse<ReadonlyArray<string>>(text.trimEnd())
    const exported = await run(read(config(file(text))))
    const pulled = await pull({ format: "google-forms", records: data })
    const width = exported.source.columns.length
    expect(shape(pulled, width)).toEqual(shape(exported, width))
  })

  it("can't be mixed with other records", async () => {
    await expect(pull({ records: [...lists, { name: "Dan" }] })).rejects.toThrow(
      /sent records that are not rows of one table/,
    )
  })
})
