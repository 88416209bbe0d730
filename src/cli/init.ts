import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import { visible } from "../domain/visible.ts"
import { counted } from "../domain/words.ts"
import type { Initialised } from "../jobs/suggestMapping.ts"
import { command, json, optionalArgument, text } from "./command.ts"
import { askForInit } from "./initQuestions.ts"
import { commandFor, Invocation } from "./Invocation.ts"
import { maskingKeys } from "./openProject.ts"
import { Output } from "./Output.ts"
import { cutToWidth, paints, type Screen, wrapToWidth } from "./terminal/screen.ts"

/** Returns the project's folder (`--project DIR`, otherwise the nearest one upwards, otherwise this folder), and whether the project exists. */
const rootOf = (asked: string | undefined) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    if (asked === undefined) {
      const found = yield* Effect.option(findProject("."))
      return Option.isSome(found) ? { root: found.value, exists: true } : { root: path.resolve("."), exists: false }
    }
    const root = path.resolve(asked)
    return { root, exists: yield* fs.exists(path.join(root, "config", "formferry.yaml")) }
  })

/** `init NAME`. */
export const init = command({
  name: "init",
  about:
    "Writes a pipeline: its source as detected, its mapping suggested from the form. Adds what is new if the pipeline already exists.",
  examples: [
    {
      words: "init contacts --source contacts.csv --service live --form 8f2c",
      about: "Writes pipelines/contacts.yaml.",
    },
    { words: "init contacts", about: "Asks for what is missing, or adds new columns and questions." },
  ],
  arguments: { name: optionalArgument("NAME", "The pipeline's name. In a terminal, you are asked for it.") },
  options: {
    source: text("FILE", "The file with the rows."),
    sheet: text("NAME", "The sheet of a workbook. Default: the first visible one."),
    service: text("SERVICE", "The service, by its name in config/formferry.yaml."),
    form: text("ID", "The form's id."),
    baseUrl: text("URL", "For a new project: the service's address, with the version segment."),
    keyEnv: text("VARIABLE", "For a new project: the environment variable with the API key."),
    forms: text("DIR", "For a new project: use the practice service, with the forms of this folder."),
    json,
  },
  run: (input) =>
    Effect.gen(function*() {
      const output = yield* Output
      const invocation = yield* Invocation
      const path = yield* Path.Path
      const { exists, root } = yield* rootOf(invocation.project)
      const asked = yield* askForInit(input, { root, exists, interactive: output.interactive && !input.json })
      const { initialise } = yield* Effect.promise(() => import("../jobs/init.ts"))
      const result = yield* initialise({
        ...asked,
        root,
        sheet: input.sheet,
        source: asked.source === undefined ? undefined : path.resolve(asked.source),
        guard: (project) => maskingKeys(project, output.hide),
      })
      if (input.json) return yield* output.print(JSON.stringify(result, null, 2))
      yield* output.print(showInit(result, commandFor(invocation, ["check", result.pipeline]), output.out))
    }),
})

const shown = (names: ReadonlyArray<string>): string =>
  names.slice(0, 12).map((name) => cutToWidth(visible(name), 60)).join(", ")
  + (names.length > 12 ? ` and ${names.length - 12} more` : "")

/** Shows what `init` wrote, what is left to do, and the command to run next. */
const showInit = (result: Initialised, next: string, screen: Screen): string => {
  const paint = paints(screen)
  const lines = (text: string) => wrapToWidth(text, screen.width - 2).map((line) => `  ${line}`)
  const { added, choices, file, form, mapped, open, taken, unmapped, warnings, written } = result
  const isUnchanged = added && mapped === 0 && open.length === 0
  return [
    isUnchanged
      ? `${paint.strong(file)} has an entry for everything: nothing was added.`
      : added
      ? `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} added, all else left as it stands.`
      : `${paint.strong(file)}: ${counted(mapped, "entry", "entries")} suggested for the form "${
        cutToWidth(visible(form.name), 60)
      }".`,
    ...(added ? [] : lines(taken.map(({ what, value }) => `${what} ${value}`).join(", ")).map(paint.soft)),
    ...(open.length === 0
      ? []
      : lines(`Left open, as comments to be filled in (look for "left open"): ${shown(open)}.`).map(paint.warn)),
    ...(choices.length === 0
      ? []
      : lines(`Cells that are no option of the form's, listed under \`values\` to be filled in: ${shown(choices)}.`)
        .map(
          paint.warn,
        )),
    ...(unmapped.length === 0 ? [] : lines(`Columns that nothing takes: ${shown(unmapped)}.`)),
    ...warnings.flatMap((warning) => lines(`Warning: ${warning}`)).map(paint.warn),
    ...(written.length === 0 ? [] : lines(`Written: ${written.join(", ")}.`).map(paint.soft)),
    `Next: ${next}`,
  ].join("\n")
}
