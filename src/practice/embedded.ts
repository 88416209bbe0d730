import type { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Form } from "../domain/form.ts"
import type { FaultsFileInvalid } from "./faultsFile.ts"
import type { StoreUnusable } from "./folderStore.ts"
import { type FormFileInvalid, loadForms } from "./forms.ts"
import { type HttpPractice, type PracticeNotServed, serve } from "./PracticeService.ts"

export type PracticeFailure = FormFileInvalid | FaultsFileInvalid | PracticeNotServed | StoreUnusable

/** The practice service with what it serves. */
export interface EmbeddedPractice extends HttpPractice {
  readonly forms: ReadonlyArray<Pick<Form, "id" | "name">>
}

/**
 * Starts the practice service on loopback for as long as the scope lasts.
 *
 * @param settings.forms folder of form files
 * @param settings.store folder in which its submissions survive a restart; absent: in memory only
 * @param settings.faults a faults file (docs/faults.md)
 * @param port 0 for any free one
 */
export const embedded = (
  settings: { readonly forms: string; readonly store: string | undefined; readonly faults?: string | undefined },
  port: number,
): Effect.Effect<EmbeddedPractice, PracticeFailure, Scope.Scope | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const forms = yield* loadForms(settings.forms)
    // What it is not told to do is not loaded.
    const store = settings.store === undefined ? {} : { store: yield* keptIn(settings.store) }
    const faults = settings.faults === undefined ? {} : { faults: yield* faultsOf(settings.faults) }
    const served = yield* serve({ forms, ...store, ...faults, port })
    return { ...served, forms: forms.map(({ id, name }) => ({ id, name })) }
  })

const keptIn = (folder: string) =>
  Effect.flatMap(Effect.promise(() => import("./folderStore.ts")), ({ folderStore }) => folderStore(folder))

const faultsOf = (file: string) =>
  Effect.flatMap(Effect.promise(() => import("./faultsFile.ts")), ({ loadFaults }) => loadFaults(file))
