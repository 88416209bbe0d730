// Sends a random text through a whole run with the practice service, and compares what arrived.
import { FileSystem } from "@effect/platform"
import { Effect, Either } from "effect"
import type { Submission } from "../../../src/domain/submission.ts"
import { platform } from "../../project/projectFolder.ts"
import { world } from "../../run/world.ts"
import { drawText, type TrueRecord } from "./drawText.ts"

const answer = (submission: Submission, id: string) => {
  const value = submission.questions.find((one) => one.id === id)?.value
  return typeof value === "string" ? value : ""
}

const lastMail = (records: ReadonlyArray<TrueRecord>) => records.at(-1)?.cells[2] ?? ""

const mailIn = (one: string) => String((JSON.parse(one) as ReadonlyArray<unknown>)[1])

/**
 * Sends a seed's text through a whole run with the columns of the test pipeline. Checks that everything that arrived
 * was intended, that nothing is missing if the run exits with code 0, and that nothing is sent from the run's
 * unchanged rejected.csv. @returns the exit code, 2 if the source was refused, and broken promises
 */
export const throughRun = (seed: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { bytes, config, doubtful, records, wellFormed: isWellFormed } = drawText(seed, true)
    const wellFormed = isWellFormed && !doubtful
    const fs = yield* FileSystem.FileSystem
    const { practice, root, run, settings } = yield* world
    const said = [
      ...(config.quoteChar === undefined ? [] : [`, quoteChar: ${config.quoteChar}`]),
      ...(config.raggedRows === undefined ? [] : [`, raggedRows: ${config.raggedRows}`]),
      ...(config.encoding === undefined ? [] : [`, encoding: ${config.encoding}`]),
      ...(config.delimiter === undefined ? [] : [`, delimiter: ${JSON.stringify(config.delimiter)}`]),
    ]
    yield* settings({ source: said.join("") })
    yield* fs.writeFile(`${root}/source.csv`, bytes)
    const ended = yield* Effect.either(run())
    const exitCode = Either.isRight(ended) ? ended.right.exitCode : 2
    const line = (name: string, mail: string) => JSON.stringify([name.replaceAll(/\r\n?/g, "\n").trim(), mail])
    // A cut in an unquoted cell at the file's end can't be detected.
    const isCut = (one: string) => records.at(-1)?.broken === "cut" && lastMail(records).startsWith(mailIn(one))
    const meant = records.flatMap(({ broken, cells }) => broken === "cut" ? [] : line(cells[1] ?? "", cells[2] ?? ""))
    const arrived = practice.submissions("people").map((one) => line(answer(one, "name"), answer(one, "mail")))
    const fedBack = Either.isRight(ended) && exitCode === 1
      ? yield* Effect.option(run({ source: `reports/people/${ended.right.run}/rejected.csv` }))
      : undefined
    const sent = practice.count("people") - arrived.length
    const missing = meant.filter((one) => !arrived.includes(one))
    const violations = [
      ...arrived.filter((one) => !meant.includes(one) && !isCut(one)).map((one) => `arrived and never meant: ${one}`),
      ...(new Set(arrived).size < arrived.length ? ["a record arrived twice"] : []),
      ...(exitCode === 0 && missing.length > 0 ? [`exit code 0, and missing: ${missing[0]}`] : []),
      ...(Either.isLeft(ended) && arrived.length > 0 ? ["stopped, and something was sent"] : []),
      ...(sent > 0 ? [`${sent} rejected records were sent unchanged from rejected.csv`] : []),
      ...(wellFormed && Either.isLeft(ended) ? [`well-formed, and refused: ${ended.left.message}`] : []),
      ...(wellFormed && missing.length > 0 ? [`well-formed, and missing: ${missing[0]}`] : []),
      ...(wellFormed && exitCode !== 0 ? [`well-formed, and exit code ${exitCode}`] : []),
    ]
    return { exitCode, violations, fedBack: fedBack?._tag === "Some" }
  })).pipe(Effect.provide(platform))
