import { Effect, identity } from "effect"
import { loadProject } from "../project/loadProject.ts"
import { listPipelines } from "../project/pipelineFiles.ts"
import { asFound, openSource } from "../source/openSource.ts"
import { addNew } from "./init/addNew.ts"
import { InitRefused } from "./init/Initialised.ts"
import type { InitOptions } from "./init/Initialised.ts"
import { makeProject } from "./init/makeProject.ts"
import { writeNew } from "./init/writeNew.ts"

/** Names under which a pipeline can have a file of its own, on every system. */
const isName = (name: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name) && !/[ .]$/.test(name)

/**
 * Writes a pipeline: the source as it is recognised and a mapping suggested from the form and all of the source's cells. Of a pipeline that
 * exists already only what is new is added. Outside of a project one is made first.
 */
export const initialise = (options: InitOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const { name, root } = options
      if (!isName(name)) {
        return yield* new InitRefused({
          message:
            `"${name}" can't be a pipeline's name: letters, digits, spaces, dots, dashes and underscores can, and it begins with a letter or digit.`,
        })
      }
      const opened = options.source === undefined ? undefined : yield* openNew(options.source, options.sheet)
      const made = options.newService === undefined ? [] : yield* makeProject(root, options.newService, options.apiKey)
      const { texts } = yield* listPipelines(root)
      const there = texts.find((text) => text.name === name)
      if (there !== undefined) return yield* addNew(root, there.yaml.file, options)
      const project = (options.guard ?? identity)(yield* loadProject(root, { pipelines: [] }))
      if (opened === undefined || options.service === undefined || options.form === undefined) {
        return yield* new InitRefused({
          message: `There is no pipeline ${name} yet: a new one needs --source FILE, --service SERVICE and --form ID.`,
        })
      }
      return yield* writeNew(project, {
        name,
        source: opened,
        file: options.source ?? "",
        service: options.service,
        form: options.form,
        made,
      })
    }),
  )

const openNew = (file: string, sheet: string | undefined) => openSource({ ...asFound(file), empty: [], sheet })
