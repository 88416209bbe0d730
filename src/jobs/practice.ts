import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { serveFormFolder } from "../practice/PracticeService.ts"
import type { Project } from "../project/Project.ts"

export class PracticeFormsMissing extends Schema.TaggedError<PracticeFormsMissing>()("PracticeFormsMissing", {
  /** The project's practice services. Undefined if there is no project. */
  services: Schema.UndefinedOr(Schema.Array(Schema.String)),
}) {
  override get message() {
    const why = this.services === undefined
      ? "There is no project here"
      : this.services.length === 0
      ? "config/formferry.yaml has no practice service"
      : `config/formferry.yaml has several practice services (${this.services.join(", ")})`
    return `${why}: name the folder of form files to serve with --forms DIR.`
  }
}

/**
 * Runs the practice service until the scope closes: with the forms of a folder and a store in memory, or with the project's own forms and store.
 *
 * @param options.faults a faults file
 * @param options.port 0 for any free port
 */
export const servePractice = (
  project: Project | undefined,
  options: { readonly forms: string | undefined; readonly faults: string | undefined; readonly port: number },
) =>
  Effect.gen(function*() {
    if (options.forms !== undefined) {
      return yield* serveFormFolder({ forms: options.forms, store: undefined, faults: options.faults }, options.port)
    }
    const services = project === undefined
      ? undefined
      : [...project.services.values()].filter((service) => service._tag === "Practice")
    const [only] = services ?? []
    if (only === undefined || services?.length !== 1) {
      return yield* new PracticeFormsMissing({ services: services?.map(({ name }) => name) })
    }
    return yield* serveFormFolder({ ...only, faults: options.faults }, options.port)
  })
