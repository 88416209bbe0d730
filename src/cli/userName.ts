import { Effect } from "effect"
import { userInfo } from "node:os"

/** Who runs this, as the system knows them. A user without an entry in the system's list has a number only. */
export const userName = Effect.try(() => userInfo().username).pipe(Effect.orElseSucceed(() => "unknown user"))
