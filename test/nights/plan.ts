import { Duration } from "effect"
import type { AnomalyCode } from "../../src/domain/anomaly.ts"
import { Draws } from "../faults/Draws.ts"
import type { Fault } from "../practice/faults.ts"

/** A row as its owner knows it. */
export interface Person {
  readonly no: number
  readonly name: string
  readonly mail: string
}

/** The encoding of a night's file. */
export type Writing = "utf-8" | "windows-1252" | "utf-16le"

/** The special event of a night. */
export type Special = "truncated" | "empty" | "missing" | "garbled" | "slow" | "down" | "the same" | "full"

export interface Night {
  readonly special: Special | undefined
  /** The rows of the export, or undefined if there is no file. */
  readonly rows: ReadonlyArray<Person> | undefined
  readonly writing: Writing
  readonly delimiter: string
  readonly addedColumn: boolean
  readonly columnsTurned: boolean
  readonly faults: ReadonlyArray<Fault>
  /** The request at which the first process is killed. */
  readonly crashAt: number | undefined
  readonly competing: boolean
  readonly webhookDown: boolean
  /** Whether a person settles rows in doubt the next morning. */
  readonly settled: boolean
  /** Anomalies that must be reported. */
  readonly unusual: ReadonlyArray<AnomalyCode>
}

const person = (no: number, edition = 0): Person => ({
  no,
  name: `Jürgen ${no}${edition === 0 ? "" : ` the ${edition}th`}`,
  mail: `p${no}@example.org`,
})

/** Nights with a special event. Events of the same kind never follow each other, so each anomaly is new. */
const specials: ReadonlyMap<number, Special> = new Map([
  [8, "truncated"],
  [11, "down"],
  [13, "slow"],
  [16, "empty"],
  [19, "missing"],
  [22, "garbled"],
  [25, "truncated"],
  // The source stays shortened for a second night, so the anomaly is not new.
  [26, "the same"],
  [29, "the same"],
  [32, "slow"],
  [36, "down"],
  [37, "down"],
  [40, "garbled"],
  [43, "missing"],
  [46, "truncated"],
  [50, "empty"],
  [54, "slow"],
])

const unusual: { readonly [S in Special]?: ReadonlyArray<AnomalyCode> } = {
  truncated: ["shrunken-source", "vanished"],
  empty: ["empty-source", "vanished"],
  garbled: ["invalid-share"],
  slow: ["slow-run"],
}

const faultsOf = (draws: Draws, special: Special | undefined): ReadonlyArray<Fault> => {
  if (special === "down") return [{ fault: "refuse", on: "any", chance: 1, for: Duration.minutes(30) }]
  if (special === "slow") return [{ fault: "delay", on: "any", chance: 1, when: "before", for: Duration.seconds(4) }]
  const few = draws.pick([0.03, 0.1])
  return draws.chance(0.4) ? [] : [draws.pick<Fault>([
    { fault: "throttled", on: "any", chance: few, retryAfter: "seconds", wait: Duration.seconds(2) },
    { fault: "unanswered", on: "create", when: draws.pick(["before", "after"]), chance: few },
    { fault: "reset", on: "create", when: draws.pick(["before", "after"]), chance: few },
    { fault: "status", status: 503, body: "html", when: "after", on: "any", chance: few },
    { fault: "delay", on: "any", when: "after", chance: few, for: Duration.seconds(1) },
    { fault: "shuffled", chance: 0.7 },
  ])]
}

/**
 * Plans the nights and their faults. The export grows, is edited, sometimes loses a row, and changes its order and
 * format.
 */
export const plan = (seed: number, nights: number): ReadonlyArray<Night> => {
  const draws = new Draws(seed)
  let next = 81
  let people: ReadonlyArray<Person> = Array.from({ length: 80 }, (_, at) => person(at + 1))
  let before: Night["rows"]
  const planned: Array<Night> = []
  for (let night = 1; night <= nights; night++) {
    const special = specials.get(night)
    if (special !== "the same") {
      const grows = special === "slow" ? 40 : draws.int(0, 6)
      people = [
        ...people.flatMap((one) =>
          draws.chance(0.002) ? [] : draws.chance(0.006) ? [person(one.no, draws.int(2, 99))] : [one]
        ),
        ...Array.from({ length: grows }, () => person(next++)),
      ]
      if (draws.chance(0.2)) people = people.toReversed()
    }
    const rows = special === "truncated"
      ? people.slice(0, Math.floor(people.length * 0.3))
      : special === "empty"
      ? []
      : special === "missing"
      ? undefined
      : special === "garbled"
      ? people.map((one) => (one.no % 6 === 0 ? { ...one, mail: "?" } : one))
      : special === "the same"
      ? before
      : people
    before = rows
    const same = special === "the same" ? planned.at(-1) : undefined
    planned.push({
      special,
      rows,
      writing: same?.writing ?? draws.pick(["utf-8", "utf-8", "windows-1252", "utf-16le"]),
      delimiter: same?.delimiter ?? draws.pick([",", ",", ";"]),
      addedColumn: same?.addedColumn ?? night > 30,
      columnsTurned: same?.columnsTurned ?? draws.chance(0.2),
      faults: faultsOf(draws, special),
      crashAt: special !== "slow" && draws.chance(0.5) ? draws.int(1, draws.pick([2, 3, 8])) : undefined,
      competing: draws.chance(0.5),
      webhookDown: special !== undefined && draws.chance(0.15),
      settled: night % 6 === 0,
      unusual: (special === undefined ? undefined : unusual[special]) ?? [],
    })
  }
  return planned
}
