import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkProject } from "../../src/jobs/check.ts"
import { repository } from "../demo/demonstration.ts"
import { marked, places } from "../project/marked.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"

/** Mistakes of different sorts: in the file, in the mapping, against the form, and against the source's header. */
const pipeline = marked(`pipeline: many
source:
  file: ../contacts.csv
  rowKey: [«Kundnr]
mapping:
  questions:
    - name: Salutation
      from: Anrede
      as: «choise
    - name: «Full nam
      from: [Vorname, Nachname]
    - name: E-mail
      from: «{ colum: E-Mail }
    - name: Birthday
      from: «Geburtsdatum
      as: date
      format: «DD.QQ.YYYY
    - name: Revenue
      from: Umsatz
      as: number
      decimal: «";"
    - name: Phone
      from: Telefon
      as: phone
      country: «Germany
    - name: Interests
      from: Interessen
      as: choices
      split: ","
      options: [Wandern, «Kochen]
    - name: Satisfaction
      from: Bewertung
      required: «maybe
    - «name: Town
  submissionTime: { from: Erfasst am, format: dd.MM.yyyy HH:mm, zone: «Europe/Berln }
  unmapped: «never
sink: { batchSize: «20, service: practice, retries: { base: «5 parsecs }, form: kT7cWm2Lq9 }
`)

it.scopedLive("a check of fifteen different mistakes gives fifteen diagnostics, each at its place", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    expect(pipeline.places).toHaveLength(15)
    const root = yield* projectFolder({
      "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
      "pipelines/many.yaml": pipeline.text,
      "forms/contacts.yaml": yield* fs.readFileString(path.join(repository, "samples/forms/contacts.yaml")),
    })
    yield* fs.copyFile(path.join(repository, "samples/contacts.csv"), path.join(root, "contacts.csv"))
    const { diagnostics, pipelines } = yield* checkProject(root, ["many"])
    expect(pipelines).toEqual([])
    expect(places(diagnostics)).toEqual(pipeline.places)
    expect(new Set(diagnostics.map(({ message }) => message)).size).toBe(15)
    // Each diagnostic shows its line as in the file.
    const lines = pipeline.text.split("\n")
    expect(diagnostics.map(({ excerpt }) => excerpt)).toEqual(diagnostics.map(({ line }) => lines[line - 1]))
  }).pipe(Effect.provide(platform)))

it.scopedLive("check reports a wrong source or destination, and omits errors that may be mere consequences", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({
      "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
      "forms/f.yaml": "id: f\nname: F\nquestions: [{ id: q, name: Q, type: ShortAnswer }]\n",
      "a.csv": "x;y\n1;2\n",
      "pipelines/p.yaml":
        "pipeline: p\nsource: { file: ../a.csv, delimitr: ';', rowKey: [x] }\nmapping: { questions: [{ name: Q, from: z }] }\nsink: { service: practice, form: f }\n",
    })
    const { diagnostics } = yield* checkProject(root, [])
    expect(diagnostics.map(({ message }) => message)).toEqual(["`delimitr` is not a key of `source`."])
  }).pipe(Effect.provide(platform)))
