import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { exits } from "../domain/exit.ts"
import type { Selection } from "../jobs/selection.ts"
import type { Project, ServiceConfig } from "../project/Project.ts"
import { CommandEnded, wrong } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { Output, secretMask } from "./Output.ts"

/** Finds the folder of the project: `--project DIR`, otherwise the nearest one in this folder or its parents. */
export const projectFolder = Effect.gen(function*() {
  const { project } = yield* Invocation
  const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
  return project ?? (yield* findProject("."))
})

/** Loads the project in a folder with these pipelines. Output masks its API keys and webhooks. */
export const loadMasked = (folder: string, pipelines: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    return maskingKeys(yield* loadProject(folder, { pipelines }), output.hide)
  })

/** Finds the project and loads it as `loadMasked` does. */
export const openProject = (pipelines: ReadonlyArray<string>) =>
  Effect.flatMap(projectFolder, (folder) => loadMasked(folder, pipelines))

/** Returns the names of the pipelines that a command line chooses. No names mean all pipelines. Ends the command if `--failed` leaves none. */
export const chosenPipelines = (choice: Selection) =>
  Effect.gen(function*() {
    const output = yield* Output
    const { failed, pipelines, tag } = choice
    if (pipelines.length === 0 && tag.length === 0 && !failed) return []
    const { selectPipelines } = yield* Effect.promise(() => import("../jobs/selection.ts"))
    const names = yield* selectPipelines(openProject([]), choice)
    if (names.length > 0) return names
    output.say("Nothing to do: of the chosen pipelines, none failed in its last run.")
    return yield* new CommandEnded({ status: exits.complete.code, next: undefined })
  })

/** Loads the project with the pipelines that a command line chooses, and returns their names. Fails if it chooses none. */
export const openChosen = (choice: Selection) =>
  Effect.gen(function*() {
    const names = yield* chosenPipelines(choice)
    if (names.length === 0) {
      return yield* wrong(
        "NAME is missing: name pipelines, or choose them with `--tag` or `--failed`. '*' stands for all.",
      )
    }
    return { project: yield* openProject(names), names }
  })

/** Returns the project. Each key and webhook is passed to `hide` when it is looked up. */
export const maskingKeys = (project: Project, hide: (secret: string) => void): Project => ({
  ...project,
  notify: project.notify.map((webhook) => ({
    ...webhook,
    address: Effect.tap(webhook.address, (address) => Effect.sync(() => hide(Redacted.value(address)))),
  })),
  services: new Map(
    [...project.services].map(([name, service]): [string, ServiceConfig] => [
      name,
      service._tag === "Practice" ? service : {
        ...service,
        apiKey: Effect.tap(service.apiKey, (key) => Effect.sync(() => hide(Redacted.value(key)))),
      },
    ]),
  ),
})

/** Returns a function to use as `guard`, which passes each secret to `hide`, and one that masks these secrets in a text, also in JSON. */
export const secretsMask = (hide: (secret: string) => void) => {
  const own = secretMask()
  const guard = (project: Project) =>
    maskingKeys(project, (secret) => {
      own.hide(secret)
      hide(secret)
    })
  return { guard, mask: own.masked }
}
