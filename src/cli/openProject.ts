import { Effect, Redacted } from "effect"
import type { Project, ServiceConfig } from "../project/Project.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"

/** Finds the folder of the project: `--project DIR`, otherwise the nearest one upwards. */
export const projectFolder = Effect.gen(function*() {
  const { project } = yield* Invocation
  const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
  return project ?? (yield* findProject("."))
})

/** Loads the project with these pipelines. Output masks its API keys and webhooks. */
export const openProject = (pipelines: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const output = yield* Output
    const folder = yield* projectFolder
    const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    const project = yield* loadProject(folder, { pipelines })
    return maskingKeys(project, output.hide)
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
