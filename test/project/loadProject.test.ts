import { expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform, projectFolder, projectYaml } from "./projectFolder.ts"

const contacts = `# yaml-language-server: $schema=../config/schemas/pipeline.schema.json
pipeline: contacts
x-anchors:
  zone: &berlin { zone: Europe/Berlin }
source:
  file: ../samples/contacts.csv
  format: csv
  encoding: windows-1252
  delimiter: ";"
  headerRow: 1
  rowKey: [Customer No]
  empty: [N/A, "-", 0]
mapping:
  questions:
    - id: abc1
      name: Full name
      from: [First, Last]
      as: text
      join: " "
    - name: Birthday
      from: Born
      as: date
      format: [dd.MM.yyyy, yyyy-MM-dd]
      required: true
    - name: Interests
      from: Interests
      as: choices
      split: ","
      options: [Reading, 007, yes]
      values: { Foot ball: yes, 1.50: Reading, none: null }
    - name: Greeting
      template: "Dear {First} {Last}"
    - name: Imported from
      value: 007
  urlParameters:
    - name: legacy_id
      from: Customer No
  submissionTime: { from: Created, format: dd.MM.yyyy HH:mm, <<: *berlin }
  login: { from: E-mail }
  scheduling:
    - name: Booking
      from:
        fullName: Name
        timezone: { value: Europe/Berlin }
        eventStartTime: { from: Start, format: dd.MM.yyyy HH:mm, <<: *berlin }
  payments:
    - name: Fee
      from: { paymentId: Txn, totalAmount: { from: Amount, decimal: "," }, currency: { value: EUR } }
  ignore: [Internal note]
  unmapped: error
sink:
  targets:
    staging: { service: practice, form: one }
    production: { service: live, form: two }
  alongside: [old-contacts]
  retries: { max: 2 minutes }
  canary: off
  stopWhen: { new: 50%, changed: 3, invalid: { share: 20%, atLeast: 50 } }
reconcile:
  tolerate: [{ name: Phone, because: the service reformats it }]
`

it.scoped("loadProject reads a pipeline that uses every section, and adds defaults", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({ "config/formferry.yaml": projectYaml, "pipelines/contacts.yaml": contacts })
    const project = yield* loadProject(root)
    expect(project.ledger).toMatchObject({ name: `${root}/.formferry/ledger.db`, storesReports: false })
    expect(project.reports).toBe(`${root}/reports`)
    expect(project.services.get("practice")).toEqual({
      _tag: "Practice",
      capabilities: [],
      name: "practice",
      address: "practice:practice",
      forms: `${root}/samples/forms`,
      store: `${root}/.formferry/practice`,
    })
    expect(project.services.get("live")).toMatchObject({
      _tag: "Live",
      baseUrl: "https://forms.example.com/v1/api",
      requestsPerSecond: 5,
      concurrency: 8,
      timeout: Duration.seconds(30),
      editLinkParameter: "includeEditLink",
      gateway: "gateway",
      unavailableIsNotCreated: false,
      confirm: true,
    })
    const pipeline = project.pipelines.get("contacts")
    expect(pipeline?.source).toMatchObject({
      file: `${root}/samples/contacts.csv`,
      format: "csv",
      encoding: "windows-1252",
      delimiter: ";",
      headerRow: 1,
      rowKey: [{ name: "Customer No", path: ["source", "rowKey", 0] }],
      empty: ["", "N/A", "-", "0"],
      columns: [],
      where: [],
      raggedRows: "reject",
      vanished: "report",
    })
    const [name, birthday, interests, greeting, imported] = pipeline?.mapping.questions ?? []
    expect(name).toMatchObject({
      path: ["mapping", "questions", 0],
      id: "abc1",
      name: "Full name",
      input: {
        _tag: "Columns",
        columns: [
          { name: "First", path: ["mapping", "questions", 0, "from", 0] },
          { name: "Last", path: ["mapping", "questions", 0, "from", 1] },
        ],
      },
      as: "text",
      options: { join: " " },
      required: false,
      when: [],
      onInvalid: "reject",
      unique: false,
    })
    expect(birthday).toMatchObject({ as: "date", required: true, options: { format: ["dd.MM.yyyy", "yyyy-MM-dd"] } })
    expect(interests?.options).toEqual({
      split: ",",
      options: ["Reading", "007", "yes"],
      values: { "Foot ball": "yes", "1.50": "Reading", none: null },
    })
    expect(greeting?.input).toMatchObject({
      _tag: "Template",
      pieces: expect.arrayContaining([
        expect.objectContaining({ name: "First" }),
        { name: "Last", path: ["mapping", "questions", 3, "template"] },
      ]),
    })
    expect(imported?.input).toEqual({ _tag: "Value", value: "007" })
    expect(pipeline?.mapping.submissionTime).toMatchObject({
      as: "dateTime",
      options: { format: "dd.MM.yyyy HH:mm", zone: "Europe/Berlin" },
    })
    const parts = pipeline?.mapping.scheduling[0]?.input
    expect(parts).toMatchObject({
      _tag: "Parts",
      parts: [
        { part: "fullName", input: { _tag: "Columns", columns: [{ name: "Name" }] }, options: {} },
        { part: "timezone", input: { _tag: "Value", value: "Europe/Berlin" } },
        {
          part: "eventStartTime",
          path: ["mapping", "scheduling", 0, "from", "eventStartTime"],
          options: { format: "dd.MM.yyyy HH:mm", zone: "Europe/Berlin" },
        },
      ],
    })
    expect(pipeline?.mapping.payments[0]?.input).toMatchObject({ parts: [{}, { options: { decimal: "," } }, {}] })
    expect(pipeline?.sink).toMatchObject({
      targets: [
        { target: "staging", service: "practice", form: "one", path: ["sink", "targets", "staging"] },
        { target: "production", service: "live", form: "two", path: ["sink", "targets", "production"] },
      ],
      alongside: ["old-contacts"],
      blankRows: "reject",
      batchSize: 10,
      concurrency: 4,
      retries: { attempts: 6, base: Duration.millis(500), max: Duration.minutes(2) },
      inDoubt: "hold",
      onChange: "report",
      canary: 0,
      stopWhen: {
        new: { share: 0.5 },
        replaced: { share: 0.1 },
        changed: { rows: 3 },
        invalid: { share: 0.2, atLeast: 50 },
        refused: { share: 0.05 },
        differing: { share: 0.01 },
        inDoubt: { rows: 20 },
      },
    })
    expect(pipeline?.document.at(["sink", "targets", "production"], "key")).toEqual({
      line: 54,
      column: 5,
      excerpt: "    production: { service: live, form: two }",
    })
    expect(pipeline?.reconcile).toMatchObject({
      visibleWithin: Duration.seconds(60),
      lateWithin: Duration.minutes(5),
      tolerate: [{
        name: "Phone",
        because: "the service reformats it",
        path: ["reconcile", "tolerate", 0],
      }],
    })
  }).pipe(Effect.provide(platform)))

it.scoped("a folder pipelines/ that can't be read is an error, but a missing one is a project without pipelines", () =>
  Effect.gen(function*() {
    const unreadable = yield* projectFolder({ "config/formferry.yaml": projectYaml, pipelines: "not a folder" })
    const error = yield* Effect.flip(loadProject(unreadable))
    expect(error.message).toContain("pipelines:1:1: The folder can't be read")
    const missing = yield* projectFolder({ "config/formferry.yaml": projectYaml })
    expect((yield* loadProject(missing)).pipelines.size).toBe(0)
  }).pipe(Effect.provide(platform)))
