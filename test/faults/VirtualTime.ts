import { Clock, Duration, Effect, type Exit, type Fiber, FiberRef, type Scheduler } from "effect"
import { turnsOfCommit } from "../../src/ledger/JobQueue.ts"

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/**
 * Virtual time, which is paused while any task can run and then jumps to the next timer. Each machine has one task
 * queue. Nothing outside the simulation is awaited, unless a test names it (`outside`). So the same seed produces the same run.
 */
export class VirtualTime {
  /** Milliseconds. */
  now = Date.UTC(2026, 0, 1)
  private moves = 0
  private order = 0
  private sleepers: Array<Sleeper> = []
  private readonly awaited = new Set<Promise<unknown>>()

  readonly clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => this.now,
    unsafeCurrentTimeNanos: () => BigInt(this.now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper: Sleeper = {
          at: Math.ceil(this.now + Duration.toMillis(duration)),
          order: this.order++,
          wake: () => resume(Effect.void),
        }
        this.sleepers.push(sleeper)
        return Effect.sync(() => {
          this.sleepers = this.sleepers.filter((one) => one !== sleeper)
        })
      }),
  }

  /** Notes an event, so that a caller waiting for quiet continues to wait. */
  moved(): void {
    this.moves++
  }

  /** Pauses time until work outside the simulation has ended, such as a request to a database server. Returns the work. */
  outside<A>(work: Promise<A>): Promise<A> {
    const ended = work.then(() => undefined, () => undefined).then(() => {
      this.awaited.delete(ended)
      this.moved()
    })
    this.awaited.add(ended)
    return work
  }

  /**
   * Runs every task that can run now, including tasks resumed by a commit of the ledger, which comes a few turns of the
   * event loop later.
   */
  private async quiet(): Promise<void> {
    for (let before = -1; before !== this.moves;) {
      before = this.moves
      while (this.awaited.size > 0) await Promise.race(this.awaited)
      for (let turns = 0; turns <= turnsOfCommit; turns++) await new Promise<void>((turn) => setImmediate(turn))
    }
  }

  /** Advances until a condition is true. Returns false if no timer is left, or after the given time in milliseconds. */
  async until(isSo: () => boolean, patience: number): Promise<boolean> {
    const end = this.now + patience
    for (;;) {
      await this.quiet()
      if (isSo()) return true
      const next = this.sleepers.reduce<Sleeper | undefined>(
        (first, one) =>
          first === undefined || one.at < first.at || (one.at === first.at && one.order < first.order) ? one : first,
        undefined,
      )
      if (next === undefined) return false
      if (next.at > end) {
        this.now = end
        return false
      }
      this.sleepers = this.sleepers.filter((one) => one !== next)
      this.now = Math.max(this.now, next.at)
      next.wake()
    }
  }

  /** Advances time by this many milliseconds. */
  async pass(millis: number): Promise<void> {
    const end = this.now + millis
    await this.until(() => false, millis)
    this.now = end
    await this.quiet()
  }
}

/** A machine on which fibres run. It can be suspended for a while, or switched off permanently. */
export class Machine implements Scheduler.Scheduler {
  private readonly time: VirtualTime
  private tasks: Array<() => void> = []
  private draining = false
  private state: "running" | "stopped" | "off" = "running"

  constructor(time: VirtualTime) {
    this.time = time
  }

  get isOff(): boolean {
    return this.state === "off"
  }

  get isStopped(): boolean {
    return this.state === "stopped"
  }

  shouldYield(fiber: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    return fiber.currentOpCount > fiber.getFiberRef(FiberRef.currentMaxOpsBeforeYield)
      ? fiber.getFiberRef(FiberRef.currentSchedulingPriority)
      : false
  }

  scheduleTask(task: () => void): void {
    if (this.state === "off") return
    this.tasks.push(task)
    if (this.state === "running") this.drain()
  }

  /** Simulates SIGKILL or a power cut. */
  switchOff(): void {
    this.state = "off"
    this.tasks = []
  }

  /** Simulates SIGSTOP or a closed laptop lid. */
  stop(): void {
    if (this.state === "running") this.state = "stopped"
  }

  goOn(): void {
    if (this.state !== "stopped") return
    this.state = "running"
    this.drain()
  }

  private drain(): void {
    this.time.moved()
    if (this.draining) return
    this.draining = true
    queueMicrotask(() => {
      while (this.state === "running") {
        const task = this.tasks.shift()
        if (task === undefined) break
        task()
      }
      this.draining = false
    })
  }

  /** Starts an effect on this machine. */
  start<A, E>(effect: Effect.Effect<A, E>): Running<A, E> {
    const running: { exit: Exit.Exit<A, E> | undefined } = { exit: undefined }
    const fiber = Effect.runFork(Effect.withClock(effect, this.time.clock), { scheduler: this })
    fiber.addObserver((exit) => {
      this.time.moved()
      running.exit = exit
    })
    return running
  }
}

export interface Running<A, E> {
  /** How the effect ended, or undefined while it is running. */
  readonly exit: Exit.Exit<A, E> | undefined
}
