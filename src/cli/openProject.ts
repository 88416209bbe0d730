import { Effect, Redacted } from "effect"
import type { Project, ServiceConfig } from "../project/Project.ts"
import { Invocation } from "./Invocation.ts"
import { Output } from "./Output.ts"

/** The folder of the project that the command is about: `--project DIR`, else the nearest one upwards. */
export const projectFolder = Effect.gen(function*() {
  const { project } = yield* Invocation
  const { findProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
  return project ?? (yield* findProject("."))
})

/** Loads the project that the command is about, with these pipelines. Its API keys and webhooks are never written by this process. */
export const openProject = (pipelines: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const output = yield* Output
    const folder = yield* projectFolder
    const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    const project = yield* loadProject(folder, { pipelines })
    return hidingKeys(project, output.hide)
  })

/** The project, its keys and webhooks noted as soon as somebody looks one up. */
export const hidingKeys = (project: Project, hide: (secret: string) => void): Project => ({
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
