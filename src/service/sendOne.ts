import { Effect, Exit } from "effect"
import type { Admission, Priority } from "./Admission.ts"
import { NeverSent } from "./transport.ts"
import type { Transport, TransportExit, TransportRequest } from "./transport.ts"
import type { Unwanted } from "./Unwanted.ts"

/** What becomes of a request that was given up before its turn. */
export const notWanted = new NeverSent({ reason: "it was not wanted any more", heldBack: true })

/** A request, and how its turn comes. */
export interface SendOne<A> {
  readonly request: TransportRequest
  readonly priority: Priority
  readonly queue: Admission["queue"]
  readonly dispatch: NonNullable<Transport["dispatch"]>
  /**
   * What an answer, or its failing, comes to.
   *
   * @param startedAt when the request was let in, in milliseconds
   */
  readonly judge: (outcome: TransportExit, startedAt: number) => Exit.Exit<A>
  /** Where it is told before the turn came, the request is not sent. Afterwards it is finished all the same. */
  readonly unwanted: Unwanted | undefined
  /** What that comes to. */
  readonly notSent: () => A
}

/**
 * Sends a request in its turn, at most once, by callbacks: to wait for the turn and for the answer is one step of an Effect, where a door, a span and a transport that are each an
 * Effect take some eighty. Interrupted, it leaves the line; what is on its way by then is given up.
 */
export const sendOne = <A>(
  { dispatch, judge, notSent, priority, queue, request, unwanted }: SendOne<A>,
): Effect.Effect<A> =>
  Effect.async((resume) => {
    let ended = false
    /** Ends the listening. */
    let deaf = (): void => undefined
    const end = (result: Effect.Effect<A>): void => {
      if (ended) return
      ended = true
      resume(result)
    }
    const begin = (startedAt: number, leave: () => void): void => {
      deaf()
      if (ended) return leave()
      try {
        giveUp = dispatch(request, (outcome) => {
          // Who comes next goes by the pace as this answer leaves it.
          if (!ended) end(judgedOrDied(judge, outcome, startedAt))
          leave()
        })
      } catch (defect) {
        leave()
        end(Effect.die(defect))
      }
    }
    let giveUp = queue(priority, begin)
    const listening = unwanted?.(() => {
      giveUp()
      end(Effect.sync(notSent))
    })
    if (listening !== undefined) deaf = listening
    return Effect.sync(() => {
      ended = true
      deaf()
      giveUp()
    })
  })

const judgedOrDied = <A>(judge: SendOne<A>["judge"], outcome: TransportExit, startedAt: number): Exit.Exit<A> => {
  try {
    return judge(outcome, startedAt)
  } catch (defect) {
    return Exit.die(defect)
  }
}
