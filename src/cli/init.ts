import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { visible } from "../domain/visible.ts"
import { count, counted, firstOf, listed, namesOf, present } from "../domain/words.ts"
import type { Initialised } from "../jobs/suggestMapping.ts"
import { disk, relativePath } from "../project/disk.ts"
import type { Project } from "../project/Project.ts"
import type { NewService } from "../project/projectText.ts"
import { quoted } from "../project/suggestion.ts"
import { command, flag, json, optionalArgument, text, type Values } from "./command.ts"
import { flagOf } from "./commandLine.ts"
import { wrong } from "./Failure.ts"
import { commandFor } from "./Invocation.ts"
import { maskingKeys } from "./openProject.ts"
import { connectionOptions, labelsOption, sourceGiven, sourceOptions } from "./sourceOptions.ts"
import { withProgress } from "./terminal/progress.ts"
import { ask, choose, confirm, unless } from "./terminal/prompt.ts"
import { cutToWidth, indentedLines, paints, type Screen } from "./terminal/screen.ts"
import { showTranslations } from "./terminal/translations.ts"

const name = optionalArgument("NAME", "The pipeline's name. In a terminal, you are asked for it.")

const options = {
  source: text("FILE", "The file with the rows."),
  ...connectionOptions,
  sourceForm: text("ID", "With `--connection`: the id of the form in the tool."),
  service: text("SERVICE", "The name of a service in config/formferry.yaml."),
  form: text("ID", "The form's id."),
  baseUrl: text("URL", "For a new project: the service's address, with the version segment."),
  keyEnv: text("VARIABLE", "For a new project: the environment variable with the API key."),
  forms: text("DIR", "For a new project: use the practice service, with the forms of this folder."),
  labels: labelsOption,
  review: flag("Ask about each open or uncertain entry, and write your answers. Only in a terminal."),
  ...sourceOptions,
  json,
}

type GivenOptions = Values<typeof options> & Values<{ readonly name: typeof name }>

interface Where {
  readonly root: string
  /** What the project contains. Undefined if there is no project yet. */
  readonly contents: Effect.Effect.Success<ReturnType<typeof contentsOf>> | undefined
  /** Whether questions can be asked. */
  readonly interactive: boolean
}

const keyVariable = "FORM_SERVICE_API_KEY"

const filled = (what: string) => unless((text) => text === "" ? what : undefined)

const askText = (question: string, what: string) => ask(question, filled(what))

/** Asks for the pipeline's name until it is valid. */
const askName = Effect.flatMap(
  Effect.promise(() => import("../jobs/init.ts")),
  ({ nameFault }) => ask("The pipeline's name, such as contacts", unless(nameFault)),
)

/** Asks for a file or folder until the answer is one that exists. A web address is always accepted. */
const askPath = (question: string, kind: "file" | "folder", what: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => {
    const exists = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
    return ask(question, (text) =>
      Effect.gen(function*() {
        const given = yield* filled(what)(text)
        if (/^https?:/i.test(given) || (yield* exists(given))) return given
        // Terminals paste the path of a file that is dropped on them in quotes.
        const inQuotes = /^(["'])(.+)\1$/.exec(given)?.[2]
        if (inQuotes !== undefined && (yield* exists(inQuotes))) return inQuotes
        return yield* Effect.fail(`There is no ${kind} ${quoted(visible(inQuotes ?? given))} here. ${what}`)
      }))
  })

/** Returns the options that a new pipeline still needs. */
const missingOf = (given: GivenOptions): ReadonlyArray<string> =>
  present([
    given.source === undefined && given.connection === undefined
    && "--source FILE, the file with the rows, or --connection NAME",
    given.form === undefined && "--form ID, the form's id",
  ])

const askService = (given: GivenOptions, { interactive, root }: Where) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { addressFault, withoutSlash } = yield* Effect.promise(() => import("../project/address.ts"))
    const practice = (folder: string): NewService => ({
      _tag: "Practice",
      name: given.service ?? "practice",
      forms: relativePath(path, path.join(root, "config"), path.resolve(folder)) || ".",
    })
    const live = (baseUrl: string): NewService => ({
      _tag: "Live",
      name: given.service ?? "live",
      baseUrl: withoutSlash(baseUrl),
      keyVariable: given.keyEnv ?? keyVariable,
    })
    if (given.forms !== undefined) return practice(given.forms)
    if (given.baseUrl !== undefined) {
      const fault = addressFault(given.baseUrl)
      return fault === undefined ? live(given.baseUrl) : yield* wrong(fault)
    }
    if (!interactive) {
      const also = present([given.name === undefined && "NAME, the pipeline's name", ...missingOf(given)])
      return yield* wrong(
        "There is no project here yet. To create one, say which service it is for: --base-url URL for a form service, or --forms DIR for the practice service with the forms of that folder."
          + (also.length === 0 ? "" : ` It also needs ${also.join("; ")}.`),
      )
    }
    const kind = yield* choose(
      "There is no project here yet, so formferry creates one. Where should answers be sent?",
      [
        { title: "a form service: you need its address and an API key", value: "live" },
        { title: "the practice service: no account, and nothing leaves this machine", value: "practice" },
      ],
    )
    if (kind === "practice") {
      return practice(
        yield* askPath(
          "The folder with the form files",
          "folder",
          "Type a folder, such as forms. docs/practice.md shows how to write a form file.",
        ),
      )
    }
    return live(yield* ask("The service's address, with the version segment", unless(addressFault)))
  })

/** Asks for the API key of a new service, hidden while it is typed, until the service accepts it. Returns undefined if an environment variable contains it. */
const askKey = (service: NewService | undefined, form: string, { interactive, root }: Where) =>
  Effect.gen(function*() {
    if (service?._tag !== "Live" || !interactive) return undefined
    const path = yield* Path.Path
    const { openEnvironment } = yield* Effect.promise(() => import("../project/secrets.ts"))
    const environment = yield* openEnvironment(path.join(root, ".env"))
    if (Option.isSome(yield* environment.secret(service.keyVariable))) return undefined
    const { keyFault } = yield* Effect.promise(() => import("../jobs/init.ts"))
    const instruction = "Paste the key, or press Ctrl-C and set it in the environment."
    return yield* ask(
      `API key of ${service.name} (not shown, written to .env, which git ignores)`,
      (text) =>
        Effect.gen(function*() {
          const key = Redacted.make(yield* filled(instruction)(text))
          const fault = yield* keyFault(service, key, form)
          return fault === undefined ? key : yield* Effect.fail(`${fault} ${instruction}`)
        }),
      { echo: false },
    )
  })

/** The maximum number of forms that are offered to choose from. */
const mostForms = 40

/** Asks for a form: offers a choice if the service can list its forms, otherwise asks for the form's id. */
const askForm = (project: Project | undefined, service: string, isPractice: boolean) =>
  Effect.gen(function*() {
    const typeId = isPractice
      ? "Type the `id` in the form's file."
      : `Type the id that the form's address contains.${
        project === undefined
          ? " If the service can list its forms, you can choose one after you have written config/formferry.yaml with `capabilities: [list]`."
          : ""
      }`
    const { can, fetchForms } = yield* Effect.promise(() => import("../jobs/services.ts"))
    const forms = project === undefined || !can(project, service, "list")
      ? []
      // A person can still type the id.
      : yield* Effect.orElseSucceed(fetchForms(project, service), () => [])
    return forms.length === 0 || forms.length > mostForms
      ? yield* askText("The form's id", typeId)
      : yield* choose("Which form?", forms.map(({ id, name }) => ({ title: `${name} (${id})`, value: id })))
  })

/** Returns a project, and the names of its services and pipelines. */
const contentsOf = (root: string) =>
  Effect.gen(function*() {
    const { listPipelines, loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    const project = yield* loadProject(root, { pipelines: [] })
    const { names } = yield* listPipelines(root)
    return { project, services: [...project.services.keys()], pipelines: names }
  })

/** Options that describe the service of a new project. */
const forNewProject = ["baseUrl", "keyEnv", "forms"] as const

/** Fails if an option would be ignored, because the project already has its services. */
const refuseNewService = (given: GivenOptions, project: Project) =>
  Effect.gen(function*() {
    const option = forNewProject.find((key) => given[key] !== undefined)
    if (option === undefined) return
    const services = Array.from(
      project.services.values(),
      (service) => service._tag === "Live" ? `${service.name} (${service.baseUrl})` : `${service.name} (practice)`,
    )
    return yield* wrong(
      `config/formferry.yaml already has ${services.length === 1 ? "the service" : "the services"} ${
        listed(services)
      }. To use it, omit \`${
        flagOf(option)
      }\`, which is only for a new project. To add or change a service, edit that file.`,
    )
  })

/** Completes the values given on the command line: uses the only service, asks in a terminal, or fails and lists every missing option. */
const askForInit = (given: GivenOptions, where: Where) =>
  Effect.gen(function*() {
    const { contents, interactive } = where
    if (contents !== undefined) yield* refuseNewService(given, contents.project)
    const services = contents?.services ?? []
    const newService = contents === undefined ? yield* askService(given, where) : undefined
    const name = given.name
      ?? (interactive ? yield* askName : undefined)
    if (name === undefined) return yield* wrong("NAME is missing: give the new pipeline a name.")
    if (contents?.pipelines.includes(name) === true) {
      const { form, service, source } = given
      return { name, newService, source, service, form, apiKey: undefined, isNew: false }
    }
    const onlyService = newService?.name ?? (services.length === 1 ? services[0] : undefined)
    const missing = present([
      ...missingOf(given),
      given.service === undefined && onlyService === undefined && `--service SERVICE, one of ${services.join(", ")}`,
    ])
    if (missing.length > 0 && !interactive) {
      return yield* wrong(`\`init ${name}\` needs ${missing.join("; ")}.`)
    }
    const source = given.connection === undefined
      ? given.source ?? (yield* askPath("The file with the rows", "file", "Type a file name, such as contacts.csv."))
      : undefined
    const service = given.service ?? onlyService
      ?? (yield* choose("Which service?", services.map((name) => ({ title: name, value: name }))))
    const form = given.form ?? (yield* askForm(contents?.project, service, newService?._tag === "Practice"))
    return { name, newService, source, service, form, apiKey: yield* askKey(newService, form, where), isNew: true }
  })

/** Returns the project's folder (`--project DIR`, otherwise the nearest one in this folder or its parents, otherwise this folder), and whether the project exists. */
const rootOf = (given: string | undefined) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    if (given === undefined) {
      const found = yield* Effect.option(findProject("."))
      return Option.isSome(found) ? { root: found.value, exists: true } : { root: path.resolve("."), exists: false }
    }
    const root = path.resolve(given)
    return { root, exists: yield* fs.exists(path.join(root, "config", "formferry.yaml")) }
  })

/** Returns the source of a new pipeline: a file, or a connection of the project. */
const sourceOf = (
  given: GivenOptions,
  file: string | undefined,
  contents: Where["contents"],
) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { connection, set, sourceForm: form } = given
    if (connection === undefined) {
      if (form !== undefined || set.length > 0) {
        return yield* wrong("`--source-form` and `--set` need `--connection`.")
      }
      return file === undefined ? undefined : yield* sourceGiven(path.resolve(file), given)
    }
    if (given.source !== undefined) return yield* wrong("Use either `--source` or `--connection`.")
    if (contents === undefined) {
      return yield* wrong("There is no project here yet, so it has no connection. Write it in config/formferry.yaml.")
    }
    const { connections } = contents.project
    return yield* sourceGiven({ connection, connections, form, formFlag: "--source-form", set }, given)
  })

export const init = command({
  name: "init",
  about:
    "Writes a pipeline with the detected source and a mapping suggested from the form. Adds what is new if the pipeline already exists.",
  examples: [
    {
      words: "init contacts --source contacts.csv --service live --form 8f2c",
      about: "Writes pipelines/contacts.yaml.",
    },
    {
      words: "init study --source study.csv --labels study-dictionary.csv --service live --form 8f2c",
      about: "Also uses the titles and labels of the form definition that the form tool exported.",
    },
    {
      words: "init contacts --connection kobo --source-form aBc123 --service live --form 8f2c",
      about: "Pulls the records from a form tool. The connection is in config/formferry.yaml.",
    },
    { words: "init contacts", about: "Asks you for anything that is missing, or adds new columns and questions." },
  ],
  arguments: { name },
  options,
  *run(input, { invocation, output }) {
    const { exists, root } = yield* rootOf(invocation.project)
    const interactive = output.interactive && !input.json
    if (input.review && !interactive) {
      return yield* wrong(
        "`--review` asks questions, so it needs a terminal and can't be combined with --json. Without a terminal, complete what `init` left open in the pipeline's file.",
      )
    }
    const contents = exists ? yield* contentsOf(root) : undefined
    const asked = yield* askForInit(input, { root, contents, interactive })
    const reading = namesOf({ ...sourceOptions, ...connectionOptions, sourceForm: true }).find((key) =>
      input[key] !== undefined && (key !== "set" || input.set.length > 0)
    )
    if (reading !== undefined && !asked.isNew) {
      return yield* wrong(
        `\`${
          flagOf(reading)
        }\` is for a new pipeline, and ${asked.name} already exists. Change \`source\` in its file.`,
      )
    }
    const source = yield* sourceOf(input, asked.source, contents)
    const { initialise } = yield* Effect.promise(() => import("../jobs/init.ts"))
    const guard = (project: Project) => maskingKeys(project, output.hide)
    const { labels } = input
    const made: Array<string> = []
    const result = yield* withProgress(
      asked.name,
      () => initialise({ ...asked, root, source, labels, guard, onProjectMade: (files) => void made.push(...files) }),
    ).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          if (made.length === 0) return
          output.say(
            `A project was created before \`init\` failed. Written: ${
              made.join(", ")
            }. To change the service, edit config/formferry.yaml.`,
          )
        })
      ),
    )
    if (input.json) return yield* output.print(JSON.stringify(result, null, 2))
    const next = commandFor(invocation, ["check", result.pipeline])
    yield* output.print(showInit(result, next, output.out))
    const left = result.open.length + result.choices.length
    if (!interactive || (!input.review && left === 0)) return
    if (!input.review && !(yield* confirm(`Complete the open entries now? At least ${counted(left, "question")}`))) {
      return
    }
    const { reviewPipeline } = yield* Effect.promise(() => import("./review.ts"))
    const { answered, skipped } = yield* reviewPipeline(root, result.pipeline, { guard, labels })
    yield* output.print([
      answered + skipped === 0
        ? "No entry is open or uncertain."
        : `${counted(answered, "question")} answered, ${count(skipped)} skipped. ${result.file} has the answers.`,
      `Next: ${skipped === 0 ? next : commandFor(invocation, ["init", result.pipeline, "--review"])}`,
    ].join("\n"))
  },
})

const shown = (names: ReadonlyArray<string>): string => firstOf(names.map((name) => cutToWidth(name, 60)), 12)

/** Shows what `init` wrote, what is left to do, and the command to run next. */
const showInit = (result: Initialised, next: string, screen: Screen): string => {
  const paint = paints(screen)
  const lines = (text: string) => indentedLines(text, screen.width, 2)
  const { added, choices, file, form, mapped, open, stillOpen, taken, translations, unmapped, warnings, written } =
    result
  const isUnchanged = added && mapped === 0 && open.length === 0
  return [
    isUnchanged
      ? `${paint.strong(file)}: nothing new, so nothing was added.`
      : added
      ? `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} added, everything else unchanged.`
      : `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} suggested for the form "${
        cutToWidth(form.name, 60)
      }".`,
    ...(added ? [] : lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft)),
    ...(open.length === 0
      ? []
      : lines(`Left open, as comments for you to complete (search for "left open"): ${shown(open)}.`).map(paint.warn)),
    ...(stillOpen.length === 0
      ? []
      : lines(`Still left open (search for "left open"): ${shown(stillOpen)}.`).map(paint.warn)),
    ...(choices.length === 0
      ? []
      : lines(`Cells that match no option, listed under \`values\` for you to complete: ${shown(choices)}.`)
        .map(
          paint.warn,
        )),
    ...showTranslations(translations, `${next} --json`, screen),
    ...(unmapped.length === 0 ? [] : lines(`Columns that are not mapped: ${shown(unmapped)}.`)),
    ...warnings.flatMap((warning) => lines(`Warning: ${warning}`)).map(paint.warn),
    ...result.notes.flatMap((note) => lines(`Note: ${note}`)),
    ...(written.length === 0 ? [] : lines(`Written: ${written.join(", ")}.`).map(paint.soft)),
    `Next: ${next}`,
  ].join("\n")
}
