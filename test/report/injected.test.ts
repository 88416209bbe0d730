import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { describe } from "vitest"
import { parse, stringify } from "yaml"
import { runPipeline } from "../../src/jobs/run.ts"
import { parseForm } from "../../src/practice/files.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { truthProject } from "../endtoend/truthProject.ts"
import { seeds } from "../long.ts"
import { type Alteration, makeAlterations } from "../practice/alter/alterations.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { unattended } from "../run/unattended.ts"
import { readDifferences } from "./readDifferences.ts"

const rows = 40

/**
 * Runs a project with a question of every kind against a service that changes a seeded share of the answers. Returns
 * the report, all of its differences, and the changes.
 */
const runAgainst = (seed: number) =>
  Effect.gen(function*() {
    const { files } = truthProject(rows, seed)
    const form = yield* parseForm("every-kind.yaml", files["forms/every-kind.yaml"])
    const alterations = makeAlterations({ seed, normalised: 0.25, corrupted: 0.02 + (seed % 5) / 100, uninvited: 0.02 })
    const practice = yield* serve({
      forms: [form],
      port: 0,
      apiKey: Redacted.make("practice_key_of_the_test"),
      faults: { seed, faults: [alterations.fault] },
    })
    const pipeline = parse(files["pipelines/every-kind.yaml"])
    const root = yield* projectFolder({
      ...files,
      "config/formferry.yaml": stringify({
        services: {
          live: {
            baseUrl: practice.baseUrl,
            apiKey: { env: "THE_KEY" },
            requestsPerSecond: 1_000,
            concurrency: 32,
            confirm: false,
          },
        },
      }),
      ".env": "THE_KEY=practice_key_of_the_test\n",
      "pipelines/every-kind.yaml": stringify({
        ...pipeline,
        // Every row is sent, whatever the service returns.
        sink: { service: "live", form: form.id, canary: "off", stopWhen: { differing: "100%" } },
      }),
    })
    const project = yield* loadProject(root)
    const report = yield* runPipeline(project, {
      pipeline: "every-kind",
      ...unattended,
    })
    return { report, differences: yield* readDifferences(root, report), made: alterations.made() }
  }).pipe(Effect.scoped)

const told = ({ effect, id, submissionId }: Alteration) => `${submissionId} ${id} ${effect}`

const drawn = Array.from({ length: seeds(3, 8) }, (_, index) => index + 1)

describe("differences listed in a report", () => {
  it.scopedLive.each(drawn)(
    "a report's differences are exactly the injected ones (seed %i)",
    (seed) =>
      Effect.gen(function*() {
        const { differences, made, report } = yield* runAgainst(seed)
        const corrupted = made.filter(({ effect }) => effect !== "normalised")
        const normalised = made.filter(({ effect }) => effect === "normalised")
        expect(corrupted.length).toBeGreaterThan(5)
        expect(normalised.length).toBeGreaterThan(50)

        expect(
          differences.map(({ question, submissionId, verdict }) => `${submissionId} ${question} ${verdict}`).toSorted(),
        )
          .toEqual(corrupted.map(told).toSorted())
        // The returned values also equal the injected values.
        const byId = new Map(corrupted.map((one) => [`${one.submissionId} ${one.id}`, one]))
        for (const difference of differences) {
          const one = byId.get(`${difference.submissionId} ${difference.question}`)
          const after = typeof one?.after === "string" ? meant(one.after) : one?.after
          expect(meant(difference.returned), one?.name).toEqual(after)
          expect(difference.editLink).toContain(`/edit/${difference.submissionId}`)
        }

        const differing = new Set(corrupted.map(({ submissionId }) => submissionId)).size
        expect(report.readBack).toEqual({ verified: rows - differing, differing, missing: 0, unread: 0 })
        expect(report.findings.reduce((sum, finding) => sum + finding.count, 0)).toBe(corrupted.length)
        // Exactly the normalised answers are reported as normalised.
        expect(report.normalised.reduce((sum, one) => sum + one.count, 0)).toBe(normalised.length)
        const count = (verdict: "equivalent" | "different" | "absent" | "unexpected") =>
          report.questions.reduce((sum, question) => sum + (question.verdicts[verdict] ?? 0), 0)
        expect(count("equivalent")).toBe(normalised.length)
      }).pipe(Effect.provide(platform)),
  )
})

/**
 * Returns the value that a cell of differences.csv represents: unchanged text, nothing, or JSON for any other value.
 */
const meant = (cell: string): unknown => {
  if (cell === "") return null
  if (!/^(null|true|false|-?\d|[[{])/.test(cell)) return cell
  try {
    const value: unknown = JSON.parse(cell)
    return value
  } catch {
    return cell
  }
}
