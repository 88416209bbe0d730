// What commands load when they run, so that `--help` appears at once. These are few groups, because Node takes about a millisecond to load each file of the build, and
// the build makes a file of what two `import()`s share.
import * as Effect from "effect/Effect"

export const projectFiles = Effect.promise(() => import("./groups/files.ts"))
export const running = Effect.promise(() => import("./groups/running.ts"))
export const looking = Effect.promise(() => import("./groups/looking.ts"))
export const drafting = Effect.promise(() => import("./groups/drafting.ts"))
