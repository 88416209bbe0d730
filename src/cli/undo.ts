import * as Effect from "effect/Effect"
import { exits, wasInterrupted } from "../domain/exit.ts"
import { count, counted, present } from "../domain/words.ts"
import type { UndoQuestion, UndoResult } from "../jobs/undo.ts"
import { userName } from "../jobs/userName.ts"
import { command, flag, json, pipeline, text, to } from "./command.ts"
import { CommandEnded } from "./Failure.ts"
import { commandFor, sameCommand } from "./Invocation.ts"
import { openProject } from "./openProject.ts"
import { confirming, formNamed, stopCleanly } from "./runs.ts"
import { withProgress } from "./terminal/progress.ts"
import { cutToWidth, paints, type Screen, wrapToWidth } from "./terminal/screen.ts"

export const undo = command({
  name: "undo",
  about:
    "Deletes the submissions that a run created, if the service can delete. The rows are then undone: later runs send them only with --resend-undone.",
  examples: [
    {
      words: "undo contacts --run 2026-11-20T020000.000Z-k3f9",
      about:
        "Asks you to confirm, then deletes what this run created. After an interruption, the same command continues.",
    },
    {
      words: "undo contacts --run 2026-11-20T020000.000Z-k3f9 --edited-too --confirm live",
      about:
        "Also deletes submissions that were edited since, came back different or are only likely to be of this run, and confirms that submissions of live may be deleted.",
    },
  ],
  arguments: { pipeline },
  options: {
    run: { ...text("RUN-ID", "The run's id, which is the name of its folder in reports/NAME/."), isRequired: true },
    editedToo: flag(
      "Also delete submissions that were edited in the form after the import, that came back different, or that match this run's rows only by their answers.",
    ),
    confirm: text("SERVICE", "Confirm that submissions of this service may be deleted. This can't be undone."),
    to,
    json,
  },
  *run(input, { invocation, output }) {
    const project = yield* openProject([input.pipeline])
    const { undoPipeline } = yield* Effect.promise(() => import("../jobs/undo.ts"))
    const by = yield* userName
    const interrupted = yield* stopCleanly
    const ask = yield* confirming(project, consequence, input.confirm)
    const result = yield* withProgress(input.pipeline, (hideProgress) =>
      undoPipeline(project, {
        ...input,
        run: input.run ?? "",
        by,
        confirm: (service) => input.confirm === service,
        ask: ask?.({ hideProgress, interrupted }),
        tell: (question) => Effect.sync(() => output.say(consequence(question))),
        interrupted,
      }))
    yield* output.print(invocation.json ? JSON.stringify(result) : showUndone(result, output.out))
    if (result.exitCode === exits.complete.code) return
    const next = result.exitCode === exits.unproven.code && result.inDoubt > 0
      ? commandFor(invocation, ["settle", input.pipeline], { "--to": input.to })
      : wasInterrupted(result.exitCode) || result.unseen > 0 || result.exitCode === exits.unavailable.code
      ? sameCommand(invocation)
      : commandFor(invocation, ["status", input.pipeline])
    return yield* new CommandEnded({ status: result.exitCode, next })
  },
})

/** Says how many submissions will be deleted permanently from which form. */
const consequence = ({ form, inDoubt, service, submissions }: UndoQuestion): string => {
  const more = inDoubt === 0 ? "" : `, and those of ${counted(inDoubt, "row")} in doubt if they have landed`
  return `${counted(submissions, "submission")} will be deleted from ${
    formNamed(form)
  } of ${service}${more}. This can't be undone.`
}

/** Shows what was deleted, what remains and why, and where the list is. */
const showUndone = (result: UndoResult, screen: Screen): string => {
  const paint = paints(screen)
  const { absent, because, deleted, earlier, edited, folder, form, inDoubt, left, likely, notLanded, run, unknown } =
    result
  const { refused, replaced, uncovered, unseen } = result
  const was = (many: number) => (many === 1 ? "was" : "were")
  const remain = (many: number) => (many === 1 ? "remains" : "remain")
  const it = (many: number) => (many === 1 ? "it" : "them")
  const lines = present([
    because !== undefined && `${because} To continue, run the same command again.`,
    absent > 0 && `The service no longer had ${count(absent)} of the deleted submissions.`,
    earlier > 0 && `${counted(earlier, "submission")} of this run ${was(earlier)} deleted by an earlier \`undo\`.`,
    left > 0 && `${counted(left, "submission")} ${was(left)} not deleted yet.`,
    edited > 0
    && `${counted(edited, "submission")} ${remain(edited)} in the form, because ${
      edited === 1 ? "its" : "their"
    } answers differ from those that were imported. To delete ${it(edited)} too, add --edited-too.`,
    likely > 0
    && `${counted(likely, "submission")} ${
      remain(likely)
    } in the form, because only the answers show that the run created ${
      it(likely)
    }: the answer to the request was lost. Look at ${it(likely)} in the form. To delete ${
      it(likely)
    } too, add --edited-too.`,
    refused > 0
    && `${counted(refused, "submission")} ${remain(refused)} in the form, because the service refused to delete ${
      it(refused)
    }. The reasons are in undone.csv.`,
    unseen > 0
    && `${counted(unseen, "submission")} ${was(unseen)} never seen in the form, so nothing shows whether ${
      unseen === 1 ? "it exists" : "they exist"
    }. Run this command again. It counts a submission as deleted if it is still not found.`,
    notLanded > 0 && `${counted(notLanded, "row")} that ${was(notLanded)} in doubt had not landed.`,
    inDoubt > 0
    && `${counted(inDoubt, "row")} of this run ${
      inDoubt === 1 ? "is" : "are"
    } in doubt and may have a submission: settle ${
      it(inDoubt)
    }, then run this command again. Until then, no run sends ${it(inDoubt)}.`,
    unknown > 0 && (unknown === 1
      ? "1 row has a submission whose id is unknown, because a person settled the row as landed. Delete this submission in the form."
      : `${
        count(unknown)
      } rows have submissions whose ids are unknown, because a person settled the rows as landed. Delete these submissions in the form.`),
    replaced > 0
    && `${counted(replaced, "submission")} of this run ${remain(replaced)} in the form, because a later run replaced ${
      it(replaced)
    }.`,
    uncovered > 0
    && `${counted(uncovered, "earlier submission")} ${remain(uncovered)} in the form: the deleted ${
      uncovered === 1 ? "submission" : "submissions"
    } had replaced ${it(uncovered)}. To delete ${it(uncovered)} too, undo ${
      uncovered === 1 ? "the run" : "the runs"
    } that created ${it(uncovered)}.`,
    deleted + earlier + notLanded > 0 && "The rows are undone: later runs send them only with --resend-undone.",
    `Every submission is listed in ${folder}/undone.csv.`,
  ])
  return [
    paint.strong(
      wrapToWidth(
        `${counted(deleted, "submission")} of run ${run} ${was(deleted)} deleted from ${
          cutToWidth(form.name, 60)
        } on ${form.service}.`,
        screen.width,
      ).join("\n"),
    ),
    ...lines.flatMap((line) => wrapToWidth(line, screen.width)),
  ].join("\n")
}
