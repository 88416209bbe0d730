import { Path } from "@effect/platform"
import { Effect, Option, Redacted } from "effect"
import type { NewService } from "../project/projectText.ts"
import { UsageWrong } from "./Failure.ts"
import { ask, choose } from "./terminal/prompt.ts"

/** What the command line gives. */
interface GivenOptions {
  readonly name: string | undefined
  readonly source: string | undefined
  readonly service: string | undefined
  readonly form: string | undefined
  readonly baseUrl: string | undefined
  readonly keyEnv: string | undefined
  readonly forms: string | undefined
}

interface Where {
  readonly root: string
  /** Whether the project already exists. */
  readonly exists: boolean
  /** Whether questions can be asked. */
  readonly interactive: boolean
}

const keyVariable = "FORM_SERVICE_API_KEY"

const wrong = (message: string) => new UsageWrong({ message })

const filled = (what: string) => (text: string): Effect.Effect<string, string> =>
  text === "" ? Effect.fail(what) : Effect.succeed(text)

const text = (question: string, what: string) => ask(question, filled(what))

/** Returns what is wrong with the address of a service: it needs https, or http to this machine. */
const addressFault = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLocal = url !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)
    ? undefined
    : `\`${address}\` is no address of a service: it begins with https:// (http:// only for this machine).`
}

/** Returns the options that a new pipeline still needs. */
const missingOf = (given: GivenOptions): ReadonlyArray<string> => [
  ...(given.source === undefined ? ["--source FILE, the file with the rows"] : []),
  ...(given.form === undefined ? ["--form ID, the form's id"] : []),
]

const askService = (given: GivenOptions, { interactive, root }: Where) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const practice = (folder: string): NewService => ({
      _tag: "Practice",
      name: given.service ?? "practice",
      forms: path.relative(path.join(root, "config"), path.resolve(folder)).split(path.sep).join("/") || ".",
    })
    const live = (baseUrl: string): NewService => ({
      _tag: "Live",
      name: given.service ?? "live",
      baseUrl: baseUrl.replace(/\/+$/, ""),
      keyVariable: given.keyEnv ?? keyVariable,
    })
    if (given.forms !== undefined) return practice(given.forms)
    if (given.baseUrl !== undefined) {
      const fault = addressFault(given.baseUrl)
      return fault === undefined ? live(given.baseUrl) : yield* wrong(fault)
    }
    if (!interactive) {
      const also = [...(given.name === undefined ? ["NAME, the pipeline's name"] : []), ...missingOf(given)]
      return yield* wrong(
        "There is no project here yet. To make one, say which service it is for: --base-url URL for a form service, or --forms DIR for the practice service with the forms of that folder."
          + (also.length === 0 ? "" : ` It also needs ${also.join("; ")}.`),
      )
    }
    const kind = yield* choose("There is no project here yet, so formferry creates one. Send the answers to (1 or 2)", [
      { title: "a form service: you need its address and an API key", value: "live" },
      { title: "the practice service: no account, and nothing leaves this machine", value: "practice" },
    ])
    if (kind === "practice") return practice(yield* text("Folder of its form files", "Type a folder, such as forms."))
    const address = yield* ask("The service's address, with the version segment", (given) => {
      const fault = addressFault(given)
      return fault === undefined ? Effect.succeed(given) : Effect.fail(fault)
    })
    return live(address)
  })

/** Asks for the API key of a new service, hidden while it is typed. Returns undefined if the environment has it. */
const askKey = (service: NewService | undefined, { interactive, root }: Where) =>
  Effect.gen(function*() {
    if (service?._tag !== "Live" || !interactive) return undefined
    const path = yield* Path.Path
    const { openEnvironment } = yield* Effect.promise(() => import("../project/secrets.ts"))
    const environment = yield* openEnvironment(path.join(root, ".env"))
    if (Option.isSome(yield* environment.secret(service.keyVariable))) return undefined
    const key = yield* ask(
      `API key of ${service.name} (not shown, written to .env, which git ignores)`,
      filled("Paste the key, or press Ctrl-C and set it in the environment."),
      { echo: false },
    )
    return Redacted.make(key)
  })

/** Returns the services and pipelines of a project. */
const contentsOf = (root: string) =>
  Effect.gen(function*() {
    const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    const { listPipelines } = yield* Effect.promise(() => import("../project/pipelineFiles.ts"))
    const project = yield* loadProject(root, { pipelines: [] })
    const { texts } = yield* listPipelines(root)
    return { services: [...project.services.keys()], pipelines: texts.flatMap(({ name }) => name ?? []) }
  })

/** Completes what the command line gives: takes the only service, asks in a terminal, or fails with every missing option. */
export const askForInit = (given: GivenOptions, where: Where) =>
  Effect.gen(function*() {
    const { exists, interactive, root } = where
    const known = exists ? yield* contentsOf(root) : { services: [], pipelines: [] }
    const newService = exists ? undefined : yield* askService(given, where)
    const name = given.name
      ?? (interactive ? yield* text("The pipeline's name", "Type a name, such as contacts.") : undefined)
    if (name === undefined) return yield* wrong("`init` needs a name for the pipeline: formferry init NAME …")
    if (known.pipelines.includes(name)) {
      return { name, newService, source: given.source, service: given.service, form: given.form, apiKey: undefined }
    }
    const onlyService = newService?.name ?? (known.services.length === 1 ? known.services[0] : undefined)
    const missing = [
      ...missingOf(given),
      ...(given.service === undefined && onlyService === undefined
        ? [`--service SERVICE, one of ${known.services.join(", ")}`]
        : []),
    ]
    if (missing.length > 0 && !interactive) {
      return yield* wrong(`\`init ${name}\` needs ${missing.join("; ")}.`)
    }
    const source = given.source ?? (yield* text("The file with the rows", "Type a file name, such as contacts.csv."))
    const service = given.service ?? onlyService
      ?? (yield* choose("Which service (its number)", known.services.map((name) => ({ title: name, value: name }))))
    const form = given.form ?? (yield* text("The form's id", "Type the id that the form's address contains."))
    return { name, newService, source, service, form, apiKey: yield* askKey(newService, where) }
  })
