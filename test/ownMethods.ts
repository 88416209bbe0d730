import { it, makeMethods } from "@effect/vitest"

/**
 * Runs before each test file. `layer` of @effect/vitest replaces `effect` and `scoped` of the shared `it` with versions
 * that use that layer and its clock. All files of a worker share `it`, so this restores the original methods.
 */
makeMethods(it)
