import type { SharedRate, Slots } from "../domain/sharedRate.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import type { Pacing } from "./Admission.ts"
import { mostLate, Pace } from "./pace.ts"
import { SentRequests } from "./SentRequests.ts"
import { NeverSent, type ResponseHeaders } from "./transport.ts"

/**
 * The reserve below a limit that the service's headers state, as a share of it. Half of it allows for slots that are used late, the other half for
 * requests that take longer than others to arrive.
 */
const margin = 0.05
/** How far ahead slots are leased, in milliseconds, in addition to two round trips. A dead host's slots are lost for about this time. */
const ahead = 100
/** How often a host with waiting requests learns what others have changed, and how long without an answer it still uses slots. In milliseconds. */
const everyAnswer = 100
const mostSilent = 250
/** After this many late answers in a row, no request can ever be sent, so the pace fails. */
const mostLateAnswers = 20
/** A round trip that takes longer is not a property of the network: this process was stopped. In milliseconds. */
const longestTrip = 200
/** The delay of a timer, in milliseconds. A slot can be used for at least this time, however unsure the clock is. */
const timerDelay = 5

/** A response that has changed the state of the rate. Times by the shared clock. */
type Observation = readonly [status: number, headers: ResponseHeaders, sentAt: number, now: number]

/**
 * The pace of requests to an account whose rate several hosts share. Slots are leased a few at a time, just before they are needed, and dropped if
 * they are not used in time. The state of the rate is that of `Pace`, with times by the shared clock. If a response changes it, the other hosts learn
 * that with their next lease, and use no slot without one. The methods are synchronous. Times are in milliseconds.
 */
export class SharedPace implements Pacing {
  readonly #rate: SharedRate
  readonly #now: () => number
  readonly #pace: Pace
  readonly #clock = new RemoteClock()
  /** The leased slots, by the shared clock: those that can be used, and all of the last two windows. */
  #slots: ReadonlyArray<number> = []
  #leased: ReadonlyArray<number> = []
  /** This host's requests, by its own clock. */
  readonly #sent = new SentRequests()
  /** Responses that have changed the state, and that the other hosts don't know yet. */
  #changes: ReadonlyArray<Observation> = []
  #isAsking = false
  #answeredAt = -Infinity
  /** How many answers in a row were too late to be used. */
  #lateAnswers = 0
  #roundTrip = 0
  #onChange: () => void = () => {}
  failure: NeverSent | undefined
  used = 0

  /** @param now returns this host's time: by the same clock as all other times */
  constructor(requestsPerSecond: number, rate: SharedRate, now: () => number) {
    this.#rate = rate
    this.#now = now
    this.#pace = new Pace(requestsPerSecond, {
      margin,
      counted: (from, before) => this.used * (before - from) / 1_000,
    })
  }

  get pausedUntil(): number {
    return this.#clock.latest(this.#pace.pausedUntil)
  }

  onChange(listener: () => void): void {
    this.#onChange = listener
  }

  take(now: number, ready: number): number {
    if (now < this.pausedUntil) return this.pausedUntil - now
    const at = this.#slots.findIndex((slot) => Math.max(now, this.#begins(slot)) <= this.#ends(slot))
    this.#slots = at < 0 ? [] : this.#slots.slice(at)
    const [first, ...others] = this.#slots
    const begins = first === undefined ? Infinity : this.#begins(first)
    const isAnswered = now - this.#answeredAt <= mostSilent
    if (begins <= now && isAnswered) {
      this.#slots = others
      this.#sent.forget(now - 2 * this.#pace.window)
      this.#sent.add(now)
      this.#ask(now, ready - 1)
      return 0
    }
    this.#ask(now, ready)
    return begins > now ? Math.min(begins - now, everyAnswer) : everyAnswer
  }

  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const before = this.#pace.state
    const observation = [status, headers, this.#clock.remote(sentAt), this.#clock.remote(now)] as const
    const wait = this.#pace.observe(...observation)
    if (status === 429) this.#sent.refused(sentAt)
    else this.#sent.answered(sentAt, now)
    if (this.#pace.state !== before) {
      this.#changes = [...this.#changes, observation]
      this.#ask(now, 0)
    }
    return wait
  }

  /** How long after its slot a request may be sent, and how much later than others it may be counted, in milliseconds. */
  get #tolerance(): number {
    return margin / 2 * this.#pace.window
  }

  /**
   * Returns when a slot can be used, by this host's clock. Usually that is its time. But if earlier requests may have been counted late, a window could
   * contain more of this host's requests than its slots.
   */
  #begins(slot: number): number {
    const from = slot - this.#pace.window
    const inWindow = this.#leased.filter((one) => one > from && one <= slot).length
    const counted = this.#sent.countedAt(inWindow, mostLate * this.#pace.window)
    return Math.max(this.#clock.latest(slot), counted + this.#pace.window - this.#tolerance)
  }

  /** Returns until when a slot can be used, by this host's clock. */
  #ends(slot: number): number {
    return Math.max(this.#clock.earliest(slot) + this.#tolerance, this.#clock.latest(slot) + timerDelay)
  }

  /** Leases slots for requests that are ready, if there are too few. Reports changes, and learns those of other hosts. */
  #ask(now: number, ready: number): void {
    if (this.#isAsking || this.failure !== undefined) return
    const interval = 1_000 / this.#pace.rateAt(this.#clock.remote(now))
    const last = this.#slots.at(-1)
    const covered = last === undefined ? 0 : this.#clock.latest(last) - now
    const missing = Math.ceil((ahead + 2 * this.#roundTrip - covered) / interval)
    const slots = now < this.pausedUntil ? 0 : Math.max(0, Math.min(ready - this.#slots.length, missing))
    const { length } = this.#changes
    if (slots === 0 && length === 0 && now - this.#answeredAt < everyAnswer) return
    this.#isAsking = true
    const request = { slots, interval, delay: this.#roundTrip, state: this.#pace.state, isChanged: length > 0 }
    this.#rate.lease(request).then(
      (answer) => this.#answered(answer, now, slots, interval, length),
      (cause: unknown) => {
        this.failure = new NeverSent({ reason: reasonOf(cause), final: true })
      },
    ).finally(() => {
      this.#isAsking = false
      if (this.#changes.length > 0) this.#ask(this.#now(), 0)
      this.#onChange()
    })
  }

  #answered(
    { from, newer, now: remote, used }: Slots,
    askedAt: number,
    slots: number,
    interval: number,
    known: number,
  ) {
    const now = this.#now()
    // If a clock was set, the times of the earlier slots are unknown.
    if (!this.#clock.note(remote, askedAt, now)) this.#slots = this.#leased = []
    this.#roundTrip = Math.min(now - askedAt, longestTrip)
    this.#lateAnswers = now - askedAt > mostSilent ? this.#lateAnswers + 1 : 0
    if (this.#lateAnswers >= mostLateAnswers) {
      this.failure = new NeverSent({
        reason:
          `the ledger's database answers too slowly for \`rateLimit: shared\`: the last ${mostLateAnswers} answers each took more than ${mostSilent} ms. `
          + "Run closer to the database, or remove `rateLimit: shared` and give each host a part of the rate",
        final: true,
      })
    }
    this.#answeredAt = askedAt
    this.used = used
    if (newer === undefined) {
      this.#changes = this.#changes.slice(known)
      const leased = Array.from({ length: slots }, (_, nth) => from + nth * interval)
      this.#slots = [...this.#slots, ...leased]
      this.#leased = [...this.#leased.filter((slot) => slot > remote - 2 * this.#pace.window), ...leased]
    } else {
      this.#pace.adopt(newer)
      this.#changes = this.#changes.filter((observation) => {
        const before = this.#pace.state
        this.#pace.observe(...observation)
        return this.#pace.state !== before
      })
    }
    this.#slots = this.#slots.filter((slot) => slot >= this.#pace.pausedUntil)
  }
}

/** The share by which two clocks may run at different speeds while one of them is corrected. */
const mostDrift = 0.000_5

/** The time of a remote clock, as exactly as round trips show it. Times are in milliseconds. */
class RemoteClock {
  /** This host's time minus the remote time is between these. */
  #least = -Infinity
  #most = Infinity
  #notedAt = 0

  /** Notes what the remote clock showed between two local times. Returns false if that contradicts earlier notes, which are then forgotten. */
  note(remote: number, from: number, until: number): boolean {
    const drift = (until - this.#notedAt) * mostDrift
    const least = Math.max(this.#least - drift, from - remote)
    const most = Math.min(this.#most + drift, until - remote)
    const agrees = least <= most
    this.#least = agrees ? least : from - remote
    this.#most = agrees ? most : until - remote
    this.#notedAt = until
    return agrees
  }

  /** Returns the local time at which the remote clock shows this time at the earliest. */
  earliest(remote: number): number {
    return remote + this.#least
  }

  /** Returns the local time at which the remote clock shows this time at the latest. */
  latest(remote: number): number {
    return remote + this.#most
  }

  /** Returns the time that the remote clock shows at this local time at the earliest. Before the first note, returns the local time. */
  remote(local: number): number {
    return this.#most === Infinity ? local : local - this.#most
  }
}
