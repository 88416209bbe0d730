import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { allFindings, type Diagnostic, toSeeValues } from "../domain/diagnostic.ts"
import { exitOf } from "../domain/exit.ts"
import type { RunReport } from "../domain/report.ts"
import { messageOf } from "../domain/systemErrors.ts"
import type { Checked } from "../jobs/check.ts"
import { type Failed, failed, markdownOf, reported } from "../notify/Notification.ts"
import { relativePath } from "../project/disk.ts"
import { Output } from "./Output.ts"

// `--output github`: a command's annotations and summary in GitHub Actions. Everyone who can read the repository sees them, so they contain no cells, answers or row keys.

/** Escapes the text of an annotation, because a line break would end it. A percent sign starts an escape, so it is escaped as well. */
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** Escapes a property, because a colon or comma would end it. */
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** Returns a finding as a workflow command, which GitHub shows at its line of a pull request. `file` is relative to the repository. */
export const annotation = (
  { column, file, line, message, severity, suggestion, withoutCells }: Omit<Diagnostic, "excerpt">,
): string =>
  `::${severity} file=${property(file)},line=${line},col=${column},title=formferry::${
    data(withoutCells ?? (suggestion === undefined ? message : `${message}\n${suggestion}`))
  }`

/** Returns the annotations of a checked project. Files are relative to the working folder, which is the repository's in a workflow. */
export const annotations = (folder: string, checked: Checked) =>
  Effect.map(Path.Path, (path) => {
    const seen = (file: string) => relativePath(path, path.resolve("."), path.resolve(folder, file))
    const lines = allFindings(checked).map((one) => annotation({ ...one, file: seen(one.file) }))
    const failures = checked.pipelines.flatMap(({ failures, pipeline }) =>
      failures.map(({ _tag, message }) => {
        // The message of `LedgerRefused` may contain row keys.
        const shown = _tag === "LedgerRefused"
          ? `The check against the ledger failed. ${toSeeValues(pipeline)}`
          : message
        const place = { severity: "error", file: seen("config/formferry.yaml"), line: 1, column: 1 } as const
        return annotation({ ...place, message: `${pipeline}: ${shown}` })
      })
    )
    return [...new Set([...lines, ...failures])]
  })

/** Adds Markdown to the summary of the workflow's job. */
const summarize = (markdown: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const file = yield* Config.option(Config.string("GITHUB_STEP_SUMMARY"))
    if (Option.isSome(file)) yield* fs.writeFileString(file.value, `${markdown}\n\n`, { flag: "a" })
  }).pipe(Effect.catchAll((error) => Effect.logWarning(`The job's summary could not be written. ${messageOf(error)}`)))

export const summarizeRun = (end: RunReport | Omit<Failed, "at">) =>
  Effect.gen(function*() {
    const markdown = markdownOf("run" in end ? reported(end, []) : failed({ ...end, at: "" }))
    yield* (yield* Output).print(markdown)
    yield* summarize(markdown)
  })

/** Prints an annotation and a summary that say why a command did not exit with code 0, and which command to run next. */
export const summarizeEnd = ({ next, status }: { readonly next: string | undefined; readonly status: number }) =>
  Effect.gen(function*() {
    const text = `Exit code ${status}: ${exitOf(status)?.meaning ?? "unknown"}.`
    yield* (yield* Output).print(`::error title=formferry::${data(text)}`)
    yield* summarize(`**${text}**${next === undefined ? "" : ` Next:\n\n\`\`\`sh\n${next}\n\`\`\``}`)
  })
