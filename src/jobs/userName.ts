import * as Effect from "effect/Effect"
import { userInfo } from "node:os"

/** The user's name in the operating system. A user without an account entry has only a number. */
export const userName = Effect.try(() => userInfo().username).pipe(Effect.orElseSucceed(() => "unknown user"))
