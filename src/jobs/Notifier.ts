import { Context, Effect } from "effect"
import type { Anomaly } from "../domain/report.ts"
import type { Project } from "../project/Project.ts"
import type { RunEnd } from "./webhookNotifier.ts"

/** Notifies the webhooks of a project. Is called once after each run, only by attempt.ts. */
export class Notifier extends Context.Tag("formferry/Notifier")<Notifier, {
  /**
   * Never fails: an unreachable webhook is logged, and the run's exit code stays.
   *
   * @param anomalies how the run differs from earlier ones
   */
  readonly notify: (project: Project, end: RunEnd, anomalies: ReadonlyArray<Anomaly>) => Effect.Effect<void>
}>() {
  /**
   * Calls the webhooks over HTTP. The code for that is loaded only if there are any.
   *
   * @param attended whether a person sees the run in a terminal: a run that fails before its report is not notified then
   */
  static readonly overHttp = (attended: boolean): Context.Tag.Service<typeof Notifier> => ({
    notify: (project, end, anomalies) =>
      project.notify.length === 0 || (attended && end._tag === "Failed")
        ? Effect.void
        : Effect.flatMap(
          Effect.promise(() => import("./webhookNotifier.ts")),
          ({ webhookNotifier }) => webhookNotifier().notify(project, end, anomalies),
        ),
  })
}
