// Tests the way from a file to a correct pipeline: in generated projects, a person names only the time zone, the
// country and the row key.
import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { reviewPipeline } from "../../../src/cli/review.ts"
import type { Json } from "../../../src/domain/json.ts"
import { checkProject } from "../../../src/jobs/check.ts"
import { runPipeline } from "../../../src/jobs/run.ts"
import { loadProject } from "../../../src/project/loadProject.ts"
import { drafted } from "../../jobs/drafts/drafts.ts"
import { isLong } from "../../long.ts"
import { platform } from "../../project/projectFolder.ts"
import { unattended } from "../../run/unattended.ts"
import { answeringAlways } from "./answeringAlways.ts"
import { compare } from "./arrived.ts"
import { drawPair } from "./drawPair.ts"
import { topicsOf } from "./topics.ts"

const drawn = Array.from({ length: 15 }, (_, at) => 7001 + at)

/** Answers as a person who names the time zone, the country and the row key, and skips all other questions. */
const answerOf = (shown: string): string =>
  shown.includes("Type the zone")
    ? "Europe/Berlin"
    : shown.includes("Type the country")
    ? "DE"
    : /identify a row|Which (?:zone|country)\?/.test(shown)
    ? shown.includes("1  several columns together") ? "2" : "1"
    : /^(\d+) {2}skip/m.exec(shown)?.[1] ?? ""

const project = (seed: number) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const pair = drawPair(seed, topicsOf("unseen"))
    const { root } = yield* drafted(pair.file.name, pair.file.bytes, pair.form)
    yield* answeringAlways(answerOf, reviewPipeline(root, "drafted", {}))
    const { diagnostics, pipelines: [one] } = yield* checkProject(root, [])
    const errors = [...diagnostics, ...one?.diagnostics ?? []].filter(({ severity }) => severity === "error")
    const isChecked = errors.length === 0 && (one?.failures.length ?? 0) === 0
    const run = isChecked
      ? yield* Effect.either(runPipeline(yield* loadProject(root), { ...unattended, pipeline: "drafted" }))
      : undefined
    const exitCode = run?._tag === "Right" ? run.right.exitCode : undefined
    const file = path.join(root, ".formferry/practice", `${pair.form.id}.jsonl`)
    const lines = (yield* fs.exists(file)) ? (yield* fs.readFileString(file)).trimEnd().split("\n") : []
    const stored = lines.map((line) => {
      const { questions } = JSON.parse(line) as { readonly questions: ReadonlyArray<{ id: string; value?: Json }> }
      return new Map(questions.flatMap(({ id, value }) => value === undefined || value === null ? [] : [[id, value]]))
    })
    return { seed, style: pair.style.name, isChecked, exitCode, responses: pair.responses, ...compare(pair, stored) }
  }).pipe(Effect.scoped)

layer(platform)("generated projects", (it) => {
  it.effect.runIf(isLong)(
    "are imported after a review that only sets the time zone, the country and the row key",
    () =>
      Effect.gen(function*() {
        const projects = yield* Effect.forEach(drawn, project)
        const accepted = projects.filter(({ exitCode, isChecked }) => isChecked && exitCode === 0)
        const whole = accepted.filter(({ missing, submissions, responses, wrong }) =>
          missing.length === 0 && wrong === 0 && submissions === responses
        )
        const lines = projects.map((
          { answered, exitCode, isChecked, missing, mistaken, responses, seed, style, submissions },
        ) =>
          `${seed} ${style}: check ${isChecked ? "passes" : "fails"}, exit code ${
            exitCode ?? "none"
          }, ${submissions} of ${responses} arrived; of ${answered.length} questions ${missing.length} missing, ${mistaken.length} wrong`
        )
        const questions = projects.flatMap(({ answered }) => answered)
        const mistaken = projects.flatMap((one) => one.mistaken)
        const arrived = questions.length - projects.flatMap(({ missing }) => missing).length
        yield* Effect.sync(() =>
          process.stdout.write(
            `${
              lines.join("\n")
            }\naccepted ${accepted.length}, with every answer ${whole.length}; of ${questions.length} questions ${arrived} arrived, and ${mistaken.length} have wrong answers\n`,
          )
        )
        // Today's figures, for forms with decoys. If suggestions improve, raise them. Never lower them.
        expect(accepted.length).toBe(drawn.length)
        expect(arrived / questions.length).toBeGreaterThanOrEqual(135 / 185)
        expect(mistaken.length).toBeLessThanOrEqual(1)
      }),
    120_000,
  )
})
