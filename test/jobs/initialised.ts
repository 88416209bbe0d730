import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { initialise } from "../../src/jobs/init.ts"
import { asFound } from "../../src/source/openSource.ts"
import { projectFolder } from "../project/projectFolder.ts"

/** Makes a project with a practice service, and a pipeline that `init` writes for a file and a form. The form begins with its id. */
export const initialised = Effect.fn(function*(rows: string, form: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* projectFolder({ "people.csv": rows, "forms/form.yaml": form })
  const { open, warnings } = yield* initialise({
    root,
    newService: { _tag: "Practice", name: "practice", forms: "../forms" },
    name: "people",
    source: asFound(path.join(root, "people.csv")),
    service: "practice",
    form: /^id: (\w+)\n/.exec(form)?.[1],
  })
  const file = path.join(root, "pipelines/people.yaml")
  const read = fs.readFileString(file)
  return {
    root,
    open,
    warnings,
    /** The pipeline as `init` wrote it. */
    text: yield* read,
    read,
    write: (text: string) => fs.writeFileString(file, text),
  }
})
