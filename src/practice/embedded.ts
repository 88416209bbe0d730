import type { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Form } from "../domain/form.ts"
import { type FaultsFileInvalid, loadFaults } from "./faultsFile.ts"
import { folderStore, type StoreUnusable } from "./folderStore.ts"
import { type FormFileInvalid, loadForms } from "./forms.ts"
import { type HttpPractice, type PracticeNotServed, serve } from "./PracticeService.ts"

export type PracticeFailure = FormFileInvalid | FaultsFileInvalid | PracticeNotServed | StoreUnusable

/** The practice service and the forms that it serves. */
export interface EmbeddedPractice extends HttpPractice {
  readonly forms: ReadonlyArray<Pick<Form, "id" | "name">>
}

/**
 * Serves the practice service on loopback until the scope closes.
 *
 * @param settings.forms folder of form files
 * @param settings.store folder in which submissions survive a restart. Default: in memory
 * @param settings.faults a faults file (docs/faults.md)
 * @param port 0 for any free port
 */
export const embedded = (
  settings: { readonly forms: string; readonly store: string | undefined; readonly faults?: string | undefined },
  port: number,
): Effect.Effect<EmbeddedPractice, PracticeFailure, Scope.Scope | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const forms = yield* loadForms(settings.forms)
    const served = yield* serve({
      forms,
      port,
      ...settings.store === undefined ? {} : { store: yield* folderStore(settings.store) },
      ...settings.faults === undefined ? {} : { faults: yield* loadFaults(settings.faults) },
    })
    return { ...served, forms: forms.map(({ id, name }) => ({ id, name })) }
  })
