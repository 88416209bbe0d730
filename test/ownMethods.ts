import { it, makeMethods } from "@effect/vitest"

/**
 * Runs before each file. `layer` of @effect/vitest replaces `effect` and `scoped` of vitest's own `it` with ones that run in that layer, on its clock or on none of its own. The files of
 * a worker share that `it`, so each begins with the original methods.
 */
makeMethods(it)
