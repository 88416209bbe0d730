import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { initialise } from "../jobs/init.ts"
import { readPipelineFile } from "../jobs/pipelineFile.ts"
import { fetchForms } from "../jobs/services.ts"
import { type PipelineStanding, type ProjectStatus, projectStatus } from "../jobs/status.ts"
import { listPipelines, loadProject } from "../project/loadProject.ts"
import { decodeSource } from "../project/sourceSection.ts"
import { type PipelineCard, Refused, StudioApi } from "./Api.ts"
import { answering, Studio } from "./Studio.ts"
import { insideProject, receiveUpload } from "./uploads.ts"

const barsShown = 14

const refused = (code: string, message: string) => new Refused({ code, message, diagnostics: [] })

export const projectCalls = HttpApiBuilder.group(StudioApi, "project", (handlers) =>
  handlers
    .handle("home", () => answering(home))
    .handle("forms", ({ payload: { service } }) =>
      answering(Effect.flatMap(theProject, (project) => fetchForms(project, service))))
    .handle("create", ({ payload: { form, pipeline, service, source } }) =>
      answering(Effect.gen(function*() {
        const { guard, open, root, surveyNew } = yield* Studio
        const { texts } = yield* listPipelines(root)
        const names = texts.map(({ file, name = file }) =>
          name
        )
        if (names.includes(pipeline)) {
          return yield* refused("InitRefused", `The pipeline ${pipeline} already exists. Choose a different name.`)
        }
        const config = decodeSource({ file: yield* insideProject(source) }, {})
        if ("key" in config) return yield* refused("InitRefused", config.message)
        const { keep, survey } = surveyNew(pipeline)
        const about = { root, guard, name: pipeline, newService: undefined, source: config, service, form, survey }
        yield* initialise(about)
        const file = yield* readPipelineFile(root, pipeline)
        yield* Effect.ignore(Effect.flatMap(open(file), keep))
        return file
      })))
    .handle(
      "reading",
      ({ payload: { pipeline } }) => Effect.map(Studio, ({ rowsRead }) => rowsRead.get(pipeline) ?? {}),
    )
    .handleRaw("upload", ({ request, urlParams: { name } }) =>
      answering(Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const { root } = yield* Studio
        const folder = path.join(root, uploads)
        yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
        // People's answers don't belong in a repository.
        yield* fs.writeFileString(path.join(folder, ".gitignore"), "*\n")
        const { bytes, file } = yield* receiveUpload(request, folder, name)
        return { bytes, file: `${uploads}/${file}` }
      }))))

/** The folder for uploaded sources, in the project's folder. */
const uploads = "sources"

const theProject = Effect.gen(function*() {
  const { guard, root } = yield* Studio
  return guard(yield* loadProject(root, { pipelines: [] }))
})

const home = Effect.gen(function*() {
  const path = yield* Path.Path
  const { isDemo, root } = yield* Studio
  const project = yield* theProject
  const { texts, unreadable } = yield* listPipelines(root)
  const status = yield* projectStatus(project, [], { verify: false, runs: barsShown })
  const known = texts.map(({ file, name = file }) => cardOf(status, name))
  // The ledger also knows pipelines whose files were removed.
  const removed = new Set(
    status.pipelines.map(({ pipeline }) => pipeline).filter((name) => known.every((one) => one.name !== name)),
  )
  return {
    folder: path.basename(path.resolve(root)),
    isDemo,
    pipelines: [...known, ...[...removed].map((name) => cardOf(status, name))],
    services: [...project.services.keys()],
    diagnostics: unreadable,
  }
})

const cardOf = (status: ProjectStatus, name: string): PipelineCard => {
  const standings = status.pipelines.filter(({ pipeline }) => pipeline === name)
  const nextRun = standings.find((one) => one.nextRun !== undefined)?.nextRun
    ?? status.waiting.find(({ pipeline }) => pipeline === name)?.nextRun
  return {
    name,
    standings: standings.map(standingCard),
    nextRun: nextRun?.at,
    notBegun: status.notBegun.find(({ pipeline }) => pipeline === name)?.at,
    problem: status.missed.find(({ pipeline }) => pipeline === name)?.message,
  }
}

// The schemas leave out what the page doesn't show.
const standingCard = ({ destination, going, runs, standing }: PipelineStanding): PipelineCard["standings"][number] => ({
  ...destination,
  ...standing,
  going,
  runs: runs.map((run) => ({ ...run, ...run.facts })),
})
