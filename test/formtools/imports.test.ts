// Imports each real export of samples/ into the practice service. Every answer is compared with the same file as read
// by Python's csv and zip modules. .ci/form-tool-answers.py wrote the results in answers/.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { runOf } from "../demo/runOf.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

const samples = fileURLToPath(new URL("../../samples", import.meta.url))

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const expected = (name: string): Answers =>
  JSON.parse(readFileSync(new URL(`./answers/${name}.json`, import.meta.url), "utf8"))

interface Import {
  readonly name: string
  readonly file: string
  readonly rows: number
  /** Further keys of `source`, one per line. */
  readonly source: string
  /** The mapping's questions and other entries. */
  readonly mapping: string
  /** The form's questions, one per line. */
  readonly form: ReadonlyArray<string>
  /** The column that identifies the response. */
  readonly key: string
}

const text = (...names: ReadonlyArray<string>) => names.map((name) => `{ name: ${name} }`)

const films = [
  '"Star Wars: Episode I The Phantom Menace"',
  '"Star Wars: Episode II Attack of the Clones"',
  '"Star Wars: Episode III Revenge of the Sith"',
  '"Star Wars: Episode IV A New Hope"',
  '"Star Wars: Episode V The Empire Strikes Back"',
  '"Star Wars: Episode VI Return of the Jedi"',
].join(", ")

const imports: ReadonlyArray<Import> = [
  {
    name: "star-wars",
    file: "surveymonkey/538-StarWars.first200.csv",
    rows: 200,
    source: "",
    key: "RespondentID",
    mapping: `  questions:
    - { name: Seen any, from: Have you seen any of the 6 films in the Star Wars franchise? }
    - { name: Fan, from: Do you consider yourself to be a fan of the Star Wars film franchise? }
    - { name: Films seen, from: { block: Which of the following Star Wars films have you seen? Please select all that apply. } }
    - name: Ranking
      from: { block: Please rank the Star Wars films in order of preference with 1 being your favorite film in the franchise and 6 being your least favorite film. }
      as: ranking
    - name: Characters
      from: { block: "Please state whether you view the following characters favorably, unfavorably, or are unfamiliar with him/her." }
      as: matrix
    - { name: Shot first, from: Which character shot first? }
    - { name: Expanded Universe, from: Are you familiar with the Expanded Universe? }
    - { name: Fan of it, from: "Do you consider yourself to be a fan of the Expanded Universe?Œæ" }
    - { name: Star Trek, from: Do you consider yourself to be a fan of the Star Trek franchise? }
    - { name: Gender, from: Gender }
    - { name: Age, from: Age }
    - { name: Income, from: Household Income }
    - { name: Education, from: Education }
    - { name: Region, from: Location (Census Region) }
`,
    form: [
      "{ name: Seen any, type: Switch }",
      "{ name: Fan, type: Switch }",
      `{ name: Films seen, type: MultiSelect, options: [${films}] }`,
      `{ name: Ranking, type: Ranking, options: [${films}] }`,
      "{ name: Characters, type: Matrix }",
      ...text(
        "Shot first",
        "Expanded Universe",
        "Fan of it",
        "Star Trek",
        "Gender",
        "Age",
        "Income",
        "Education",
        "Region",
      ),
    ],
  },
  {
    name: "steak",
    file: "surveymonkey/538-steak-risk-survey.csv",
    rows: 550,
    source: "",
    key: "RespondentID",
    mapping: `  questions:
    - name: Lottery
      from: "Consider the following hypothetical situations: <br>In Lottery A, you have a 50% chance of success, with a payout of $100. <br>In Lottery B, you have a 90% chance of success, with a payout of $20. <br><br>Assuming you have $10 to bet, would you play Lottery A or Lottery B?"
    - { name: Smoke, from: Do you ever smoke cigarettes? }
    - { name: Alcohol, from: Do you ever drink alcohol? }
    - { name: Gamble, from: Do you ever gamble? }
    - { name: Skydiving, from: Have you ever been skydiving? }
    - { name: Speed, from: Do you ever drive above the speed limit? }
    - { name: Cheated, from: Have you ever cheated on your significant other? }
    - { name: Steak, from: Do you eat steak? }
    - { name: Prepared, from: How do you like your steak prepared? }
    - { name: Gender, from: Gender }
    - { name: Age, from: Age }
    - { name: Income, from: Household Income }
    - { name: Education, from: Education }
    - { name: Region, from: Location (Census Region) }
`,
    form: [
      ...text("Lottery", "Smoke", "Alcohol", "Gamble", "Skydiving", "Speed", "Cheated"),
      "{ name: Steak, type: Switch }",
      ...text("Prepared", "Gender", "Age", "Income", "Education", "Region"),
    ],
  },
  {
    name: "qualtrics",
    file: "qualtrics/qualtRics-sample.csv",
    rows: 1,
    source: "",
    key: "ResponseId",
    mapping: `  questions:
    - { name: Choice, from: Q1 }
    - { name: Text, from: Q2 }
    - { name: Topics, from: Q2 - Topics }
    - { name: Started, from: StartDate }
    - { name: Recorded, from: RecordedDate }
    - { name: Status, from: Status }
    - { name: Address, from: IPAddress }
    - { name: Progress, from: Progress }
    - { name: Seconds, from: Duration (in seconds) }
    - { name: Finished, from: Finished, as: boolean, "true": ["1"], "false": ["0"] }
    - { name: Last name, from: RecipientLastName }
    - { name: First name, from: RecipientFirstName }
    - { name: Email, from: RecipientEmail }
    - { name: Reference, from: ExternalReference }
    - { name: Latitude, from: LocationLatitude }
    - { name: Longitude, from: LocationLongitude }
    - { name: Channel, from: DistributionChannel }
    - { name: Language, from: UserLanguage }
  submissionTime: { from: EndDate, zone: UTC }
`,
    form: [
      ...["Choice", "Status", "Progress", "Seconds", "Latitude", "Longitude"].map((name) =>
        `{ name: ${name}, type: NumberInput }`
      ),
      "{ name: Finished, type: Switch }",
      ...text(
        "Text",
        "Topics",
        "Started",
        "Recorded",
        "Address",
        "Last name",
        "First name",
        "Email",
        "Reference",
        "Channel",
        "Language",
      ),
    ],
  },
  {
    name: "redcap",
    file: "redcap/REDCapR-survey.csv",
    rows: 2,
    source: "",
    key: "participant_id",
    mapping: `  questions:
    - { name: Born, from: dob }
    - { name: Email, from: email }
    - { name: Diabetes, from: has_diabetes, as: boolean, "true": ["1"], "false": ["0"] }
    - { name: Consent, from: { block: consent }, as: choices, options: ["1"], checked: ["1"], unchecked: ["0"] }
    - { name: Asked at, from: prescreening_survey_timestamp }
    - { name: Morale asked at, from: participant_morale_questionnaire_timestamp }
`,
    form: [
      "{ name: Born, type: DatePicker }",
      "{ name: Email, type: EmailInput }",
      "{ name: Diabetes, type: Switch }",
      '{ name: Consent, type: MultiSelect, options: ["1"] }',
      ...text("Asked at", "Morale asked at"),
    ],
  },
  {
    name: "odk",
    file: "odk/briefcase-choice-lists.csv",
    rows: 1,
    source: "",
    key: "KEY",
    mapping: `  questions:
    - { name: Another, from: another_string }
    - { name: Some in words, from: some_string }
    - { name: Yet another in words, from: some_group-yet_another_string }
    - { name: Instance, from: meta-instanceID }
    - { name: Some, from: { block: some_string }, as: choices, checked: ["1"], unchecked: ["0"] }
    - { name: Yet another, from: { block: some_group-yet_another_string }, as: choices, checked: ["1"], unchecked: ["0"] }
  submissionTime: { from: SubmissionDate, format: "MMM d, yyyy h:mm:ss a", zone: UTC }
`,
    form: [
      ...text("Another", "Some in words", "Yet another in words", "Instance"),
      "{ name: Some, type: MultiSelect, options: [CHOICE_1, CHOICE_2] }",
      "{ name: Yet another, type: MultiSelect, options: [CHOICE_1, CHOICE_2] }",
    ],
  },
  {
    name: "google",
    file: "google-forms/rstudio-2019-spanish-r-community-survey.xlsx",
    rows: 338,
    source: "  rowKey: [Timestamp]",
    key: "Timestamp",
    mapping: `  questions:
    - { name: Level, from: ¿Cómo calificarías tu nivel de experiencia usando R? }
    - name: Difficulty
      from: "Comparado con otros temas técnicos que aprendiste en clase o en el trabajo, en una escala del 1 al 5, ¿qué difícil fue aprender R?"
    - { name: Likes, from: ¿Qué es lo que más te gusta de usar R? }
    - { name: Country, from: ¿En qué país resides actualmente? }
  submissionTime: { from: Timestamp, zone: UTC }
`,
    form: ["{ name: Level }", "{ name: Difficulty, type: NumberInput }", ...text("Likes", "Country")],
  },
]

const project = ({ file, form, key, mapping, name, source }: Import) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* projectFolder({
      "config/formferry.yaml": "services:\n  practice:\n    practice: { forms: ../forms, store: ../store }\n",
      "forms/form.yaml": `id: f1\nname: ${name}\nquestions:\n${
        form.map((question, at) => `  - ${question.replace("{ ", `{ id: q${at + 1}, `)}`).join("\n")
      }\nurlParameters:\n  - { id: k, name: response }\n`,
      [`pipelines/${name}.yaml`]: `pipeline: ${name}
source:
  file: ../samples/${path.basename(file)}
${source}
mapping:
${mapping}  urlParameters:
    - { name: response, from: "${key}" }
  unmapped: ignore
sink: { service: practice, form: f1 }
`,
    })
    yield* fs.makeDirectory(path.join(root, "samples"))
    yield* fs.copyFile(path.join(samples, file), path.join(root, "samples", path.basename(file)))
    return root
  })

interface Stored {
  readonly questions: ReadonlyArray<{ readonly name: string; readonly value: unknown }>
  readonly urlParameters: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly submissionTime: string
}

/** Returns the service's submissions by response. */
const arrived = (root: string, submissionTime: boolean) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const lines = (yield* fs.readFileString(path.join(root, "store", "f1.jsonl"))).trimEnd().split("\n")
    return Object.fromEntries(lines.map((line) => {
      const stored: Stored = JSON.parse(line)
      const answers = Object.fromEntries(
        stored.questions.flatMap(({ name, value }) => value === null ? [] : [[name, value]]),
      )
      const at = submissionTime ? { submissionTime: stored.submissionTime.replace(".000Z", "Z") } : {}
      return [stored.urlParameters[0]?.value ?? "", { ...answers, ...at }]
    }))
  })

describe("importing a real export", () => {
  for (const one of imports) {
    it.scopedLive(`an import sends every answer in ${one.file}`, () =>
      Effect.gen(function*() {
        const answers = expected(one.name)
        expect(Object.keys(answers)).toHaveLength(one.rows)
        const root = yield* project(one)
        const report = yield* runOf(root, one.name)
        // The pipeline names no tool, so the file must be recognised.
        expect(report.sources[0]?.taken?.find(({ what }) => what === "tool")?.value).toMatch(
          /\(recognised with \d+ of 100/,
        )
        expect(report.problems).toEqual([])
        expect(report).toMatchObject({
          outcome: "complete",
          rows: { read: one.rows, imported: one.rows },
          readBack: { verified: one.rows },
        })
        const timed = Object.values(answers).some((answer) => "submissionTime" in answer)
        expect(yield* arrived(root, timed)).toEqual(answers)
        // The tool's own id, or the key that the pipeline names, identifies every response.
        const again = yield* runOf(root, one.name)
        expect(again).toMatchObject({ exitCode: 0, rows: { alreadyImported: one.rows }, requests: { create: 0 } })
      }).pipe(Effect.provide(platform)))
  }
})
