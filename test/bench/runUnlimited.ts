// Runs `formferry run bench --json` in a separate process without a rate limit. A project file allows at most 1,000
// requests per second.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { runPipeline } from "../../src/jobs/run.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { unattended } from "../run/unattended.ts"

const program = Effect.gen(function*() {
  const project = yield* loadProject(process.cwd())
  const services = new Map(
    [...project.services].map(([name, service]) =>
      [name, service._tag === "Live" ? { ...service, requestsPerSecond: Infinity } : service] as const
    ),
  )
  const report = yield* runPipeline({ ...project, services }, {
    pipeline: "bench",
    ...unattended,
  })
  process.stdout.write(`${JSON.stringify(report)}\n`)
})

void Effect.runPromise(Effect.provide(program, NodeContext.layer))
