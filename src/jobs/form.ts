import { Effect, Schema } from "effect"
import type { Project } from "../project/Project.ts"
import { quoted, suggest } from "../project/suggestion.ts"
import { openService } from "./openService.ts"

/** A service that config/formferry.yaml does not name (exit 2). */
export class ServiceUnknown extends Schema.TaggedError<ServiceUnknown>()("ServiceUnknown", {
  service: Schema.String,
  known: Schema.Array(Schema.String),
}) {
  override get message() {
    return `config/formferry.yaml has no service ${quoted(this.service)}. ${
      suggest(this.service, this.known, "Its services are") ?? ""
    }`.trim()
  }
}

/** A form's metadata, fetched from a service of the project. */
export const fetchForm = (project: Project, service: string, formId: string) =>
  Effect.scoped(
    Effect.gen(function*() {
      const config = project.services.get(service)
      if (config === undefined) {
        return yield* new ServiceUnknown({ service, known: [...project.services.keys()] })
      }
      const opened = yield* openService(config)
      return yield* opened.service.form(formId)
    }),
  )
