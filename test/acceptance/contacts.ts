import { Effect, Redacted } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Form } from "../../src/domain/form.ts"
import type { RunReport } from "../../src/domain/report.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { formWith } from "../fakeForms.ts"
import { answering } from "../localServer.ts"
import { type Fault, planned } from "../practice/faults.ts"
import { apiKey, expectNoKeyIn, formferry, inProcess, type Ran } from "./formferry.ts"

/** A form of three questions, two similar forms, one of them with URL parameters, and a form without questions. */
const form = (id: string, questions: Form["questions"], urlParameters: Form["urlParameters"] = []) =>
  formWith({
    id,
    name: `Form ${id}`,
    questions,
    urlParameters,
  })

const questions: Form["questions"] = [
  { id: "qName", name: "Name", type: "ShortAnswer", options: undefined },
  { id: "qMail", name: "E-mail", type: "EmailInput", options: undefined },
  { id: "qBorn", name: "Born", type: "DatePicker", options: undefined },
]

const stamps = ["row_key", "run_id", "imported_by"].map((name) => ({ id: name, name }))

const forms = [
  form("contacts", questions),
  form("other", questions),
  form("stamped", questions, stamps),
  form("empty", []),
]

/** Returns `source.csv` of a project, with one row per key. */
export const csv = (
  keys: ReadonlyArray<number>,
  row = (key: number) => `Person ${key},p${key}@example.org,1990-01-17`,
) => ["No,Name,Mail,Born", ...keys.map((key) => `${key},${row(key)}`), ""].join("\n")

export const upTo = (last: number): ReadonlyArray<number> => Array.from({ length: last }, (_, index) => index + 1)

export const pipelineYaml = (options: {
  readonly name?: string
  readonly sink?: string
  readonly file?: string
  readonly question?: string
  readonly column?: string
  readonly more?: string
} = {}): string =>
  `pipeline: ${options.name ?? "contacts"}
source:
  file: ${options.file ?? "../source.csv"}
  rowKey: [No]
mapping:
  questions:
    - { name: ${options.question ?? "Name"}, from: ${options.column ?? "Name"}, required: true }
    - { name: E-mail, from: Mail, as: email }
    - { name: Born, from: Born, as: date }
sink:
  ${options.sink ?? "service: live\n  form: contacts"}
${options.more ?? ""}`

/** A project in its own folder, with a service that the test can inspect. */
export interface Bench {
  readonly folder: string
  readonly write: (file: string, text: string | Uint8Array) => void
  readonly read: (file: string) => string
  /** Replaces text in a file, as `replace` does. Fails if the file does not contain it. */
  readonly edit: (file: string, before: RegExp | string, after: string) => void
  /** Runs the built command in a separate process. */
  readonly run: (...args: ReadonlyArray<string>) => Effect.Effect<Ran>
  /** Runs the command line in this process. */
  readonly inProcess: (...args: ReadonlyArray<string>) => Effect.Effect<Ran>
  /** Runs the command line in this process. Fails with its output if it exits with a different code. */
  readonly exits: (code: number, ...args: ReadonlyArray<string>) => Effect.Effect<Ran>
  /** Returns the report of a pipeline's latest run. */
  readonly report: (pipeline?: string) => RunReport & { readonly folder: string }
  /** Returns the runs that left a report folder. */
  readonly runs: (pipeline?: string) => ReadonlyArray<string>
  /** The address of the service. */
  readonly baseUrl: string
  /** The address of the service's results page. */
  readonly results: string
  /** Returns the number of submissions in a form. */
  readonly count: (form?: string) => number
  /** Returns the answers to a question, or the values of a URL parameter, in all submissions of a form, sorted. */
  readonly answers: (question: string, form?: string) => ReadonlyArray<unknown>
}

/**
 * Makes a bench for the current scope. When the scope closes, checks that no file that the commands wrote contains the
 * key.
 */
export const bench = (options: { readonly requestsPerSecond?: number; readonly faults?: ReadonlyArray<Fault> } = {}) =>
  Effect.gen(function*() {
    const service = yield* serve({
      forms,
      port: 0,
      apiKey: Redacted.make(apiKey),
      faults: planned({ seed: 1, faults: options.faults ?? [] }),
    })
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "formferry-acceptance-")))),
      (folder) =>
        Effect.sync(() => {
          expectNoKeyIn(folder)
          rmSync(folder, { recursive: true })
        }),
    )
    const write = (file: string, text: string | Uint8Array) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    write(
      "config/formferry.yaml",
      `services:
  live:
    baseUrl: ${service.baseUrl}
    apiKey: { env: FORM_SERVICE_API_KEY }
    requestsPerSecond: ${options.requestsPerSecond ?? 1000}
    confirm: false
  careful:
    baseUrl: ${service.baseUrl}
    apiKey: { env: FORM_SERVICE_API_KEY }
`,
    )
    write("pipelines/contacts.yaml", pipelineYaml())
    const runs = (pipeline = "contacts") => {
      try {
        return readdirSync(join(folder, "reports", pipeline)).filter((name) => name !== "latest")
      } catch {
        return []
      }
    }
    const read = (file: string) => readFileSync(join(folder, file), "utf8")
    const made: Bench = {
      folder,
      write,
      read,
      edit: (file, before, after) => {
        const text = read(file)
        const isFound = typeof before === "string" ? text.includes(before) : text.search(before) !== -1
        if (!isFound) throw new Error(`${file} does not contain ${String(before)}:\n${text}`)
        write(file, text.replace(before, after))
      },
      run: (...args) => formferry(args, { cwd: folder }),
      inProcess: (...args) => inProcess(args, { cwd: folder }),
      exits: (code, ...args) => {
        // Made before the command runs, so that its stack contains the test's line.
        const failure = new Error()
        return Effect.tap(inProcess(args, { cwd: folder }), ({ status, stderr, stdout }) => {
          if (status === code) return Effect.void
          failure.message = `formferry ${args.join(" ")} exited with code ${status}, not ${code}:\n${stdout}${stderr}`
          return Effect.die(failure)
        })
      },
      report: (pipeline = "contacts") => {
        const latest = realpathSync(join(folder, "reports", pipeline, "latest"))
        return { ...JSON.parse(readFileSync(join(latest, "report.json"), "utf8")) as RunReport, folder: latest }
      },
      runs,
      baseUrl: service.baseUrl,
      results: service.results,
      count: (form = "contacts") => service.count(form),
      answers: (question, form = "contacts") =>
        service.submissions(form)
          .map(({ questions, urlParameters }) =>
            [...questions, ...urlParameters].find(({ id }) => id === question)?.value
          )
          .toSorted((a, b) => String(a) < String(b) ? -1 : 1),
    }
    return made
  })

/** Puts a proxy between a bench's commands and its service. */
export const putBetween = (at: Bench, listener: RequestListener) =>
  Effect.map(answering(listener), (port) => {
    const config = at.read("config/formferry.yaml")
    at.write("config/formferry.yaml", config.replaceAll(new URL(at.baseUrl).host, `127.0.0.1:${port}`))
  })
