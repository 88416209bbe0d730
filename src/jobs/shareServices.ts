import type { FileSystem, Path } from "@effect/platform"
import { Effect, Scope } from "effect"
import type { ServiceConfig } from "../project/Project.ts"
import { type OpenedService, type OpenFailure, openService, type SharedOpenedService } from "./openService.ts"

/** The form services of a process. */
export interface Services {
  /** Opens a service the first time; all that ask for it share its pace, its queue and its connections, and count their requests apart. */
  readonly open: (
    config: ServiceConfig,
  ) => Effect.Effect<OpenedService, OpenFailure, FileSystem.FileSystem | Path.Path>
}

/** Opens each service once, by its name in the project, until the scope closes: several pipelines in one process keep the pace of one. */
export const shareServices: Effect.Effect<Services, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const opened = new Map<string, SharedOpenedService>()
  // Two that ask at the same time must not open it twice.
  const turn = yield* Effect.makeSemaphore(1)
  return {
    open: (config) =>
      Effect.gen(function*() {
        const known = opened.get(config.name)
          ?? (yield* Effect.provideService(openService(config), Scope.Scope, scope))
        opened.set(config.name, known)
        return { ...known, service: yield* known.service.apart }
      }).pipe(turn.withPermits(1)),
  }
})
