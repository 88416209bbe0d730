import type { FileSystem, Path } from "@effect/platform"
import type { Duration, Effect, Exit } from "effect"
import type { Progress } from "../../domain/progress.ts"
import type { RunReport } from "../../domain/report.ts"
import type { Schedule } from "../../project/cron.ts"
import type { loadProject } from "../../project/loadProject.ts"
import type { Project } from "../../project/Project.ts"
import type { AttemptFailure } from "../exitStatus.ts"
import type { RunOptions } from "../run.ts"

/** What happens while pipelines run by schedule. Times are in milliseconds since 1970. */
export type ScheduleEvent =
  /** A pipeline waits for its next time; undefined: there is none any more. */
  | {
    readonly _tag: "Waits"
    readonly pipeline: string
    readonly schedule: Schedule
    readonly next: number | undefined
  }
  /** A pipeline's run begins; `again`: its last one broke off. */
  | { readonly _tag: "Begins"; readonly pipeline: string; readonly schedule: Schedule; readonly again: boolean }
  /** `project`: as it was read for this run, or before it when it can't be read now. */
  | {
    readonly _tag: "Ended"
    readonly pipeline: string
    readonly schedule: Schedule
    readonly project: Project
    readonly exit: Exit.Exit<RunReport, AttemptFailure>
  }
  /** Another process runs it. */
  | { readonly _tag: "Elsewhere"; readonly pipeline: string }
  /** Files of which nobody can tell when their pipeline is to run, as sentences. */
  | { readonly _tag: "Unreadable"; readonly files: ReadonlyArray<string> }

export interface ScheduleOptions extends Pick<RunOptions, "interrupted"> {
  /** The project's folder, absolute. */
  readonly root: string
  /** Loads the project with these pipelines, as the files stand now: each run sees what people edited. */
  readonly load: (
    pipelines: ReadonlyArray<string>,
  ) => Effect.Effect<
    Project,
    Effect.Effect.Error<ReturnType<typeof loadProject>>,
    FileSystem.FileSystem | Path.Path
  >
  /** Services that rows may be sent to. */
  readonly confirmed: ReadonlyArray<string>
  /** `--project` as typed, for the commands to run next. */
  readonly projectOption?: string | undefined
  readonly tell: (event: ScheduleEvent) => Effect.Effect<void>
  readonly progress?: ((pipeline: string, event: Progress) => Effect.Effect<void>) | undefined
  readonly warn?: ((pipeline: string, ...warnings: Parameters<RunOptions["warn"]>) => Effect.Effect<void>) | undefined
  /** Pipelines that may run at the same time; default four. */
  readonly atOnce?: number | undefined
  /** How often the files are looked at for new times; default every minute. */
  readonly lookEvery?: Duration.DurationInput | undefined
}
