import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FaultContext, PlannedFault } from "../../src/practice/faults.ts"
import { loadFaults, parseFaults } from "../../src/practice/files.ts"
import { namedFaults } from "../../src/practice/namedFaults.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { make } from "../../src/service/client.ts"
import type { CreateOutcome } from "../../src/service/FormService.ts"
import { isLong } from "../long.ts"
import { type Fault, planned } from "../practice/faults.ts"
import { inProcess } from "../practice/inProcess.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { hasTelemetry, observed } from "./observed.ts"
import { form } from "./pipeline.ts"

const items = ["Ada", "Grace"].map((name, index) => ({
  questions: [{ id: "name", value: `${name}  of place ${index}` }, { id: "amount", value: 12.5 }],
}))

/** Returns a create's outcome in a few words, with a mark for each returned submission. */
const shown = (outcome: CreateOutcome): string => {
  switch (outcome._tag) {
    case "Created":
      return `Created ${outcome.submissions.map((one) => (one === undefined ? "?" : "1")).join("")}`
    case "NotCreated":
      return `NotCreated ${outcome.throttled ? `throttled ${outcome.wait}` : ""}`.trim()
    case "Refused":
      return `Refused ${outcome.index ?? "unnamed"}`
    case "InDoubt":
      return `InDoubt ${outcome.error?.reason ?? ""}`.trim()
    case "Unusable":
      return `Unusable ${outcome.error.reason}`
  }
}

const table: ReadonlyArray<readonly [name: string, fault: Fault, outcome: string, held: number]> = [
  ["never answered before", { fault: "unanswered", when: "before" }, "InDoubt", 0],
  ["never answered after", { fault: "unanswered", when: "after" }, "InDoubt", 2],
  ["reset before", { fault: "reset", when: "before" }, "InDoubt", 0],
  ["reset after", { fault: "reset", when: "after" }, "InDoubt", 2],
  ["cut", { fault: "cut" }, "InDoubt", 2],
  ["delayed before", { fault: "delay", when: "before", for: Duration.millis(30) }, "Created 11", 2],
  ["delayed after", { fault: "delay", when: "after", for: Duration.millis(30) }, "Created 11", 2],
  ["delayed for too long", { fault: "delay", when: "after", for: Duration.millis(2_500) }, "InDoubt", 2],
  [
    "429 with seconds",
    { fault: "throttled", retryAfter: "seconds", wait: Duration.seconds(2) },
    "NotCreated throttled 2000",
    0,
  ],
  ["429 alone", { fault: "throttled", retryAfter: "none" }, "NotCreated throttled 250", 0],
  ...(["missing", "underscore", "format", "invalid"] as const).map((wording) =>
    [`credentials: ${wording}`, { fault: "credentials", wording, status: 400 }, "Unusable credentials", 0] as const
  ),
  ["credentials: 401", { fault: "credentials", wording: "invalid", status: 401 }, "Unusable credentials", 0],
  ["credentials: 403", { fault: "credentials", wording: "invalid", status: 403 }, "Unusable credentials", 0],
  ["invalid, named", { fault: "invalid", item: 1, named: true }, "Refused 1", 0],
  ["invalid, unnamed", { fault: "invalid", named: false }, "Refused unnamed", 0],
  ["invalid by its text", { fault: "invalid", named: true, containing: "Grace" }, "Refused 1", 0],
  ["invalid by a text that is not there", { fault: "invalid", named: true, containing: "Linus" }, "Created 11", 2],
  ...[413, 422].map((status) =>
    [`${status}`, { fault: "status", status, body: "json", when: "before" }, "Refused unnamed", 0] as const
  ),
  ...[400, 413, 422].flatMap((status) =>
    (["html", "empty"] as const).map((body) =>
      [`${status} ${body}`, { fault: "status", status, body, when: "after" }, "InDoubt unexpected", 2] as const
    )
  ),
  ...([
    [402, "InDoubt quota"],
    [404, "Unusable form-not-found"],
    [409, "InDoubt unexpected"],
    [302, "InDoubt redirect"],
  ] as const).map((
    [status, outcome],
  ) =>
    [
      `${status}`,
      { fault: "status", status, body: "empty", when: "before", location: "https://elsewhere.example/" },
      outcome,
      0,
    ] as const
  ),
  ...[408, 500, 502, 503].flatMap((status) => [
    [`${status} before`, { fault: "status", status, body: "html", when: "before" }, "InDoubt", 0] as const,
    [`${status} after`, { fault: "status", status, body: "html", when: "after" }, "InDoubt", 2] as const,
  ]),
  ["200 with a page before", { fault: "html", when: "before" }, "InDoubt", 0],
  ["200 with a page after", { fault: "html", when: "after" }, "InDoubt", 2],
  ["200 of another shape", { fault: "wrong-shape", when: "after" }, "InDoubt", 2],
  ["too few reported", { fault: "too-few", by: 1, created: true }, "Created 1", 2],
  ["too few created", { fault: "too-few", by: 1, created: false }, "Created 1", 1],
  ["too many reported", { fault: "too-many", by: 1 }, "Created 111", 2],
  ["shuffled", { fault: "shuffled" }, "Created 11", 2],
  ["one id twice", { fault: "duplicate-ids" }, "Created ??", 2],
  ["an answer dropped", { fault: "drop-answer" }, "Created 11", 2],
]

/** Starts the practice service with faults and a client of it, over real HTTP or in process. */
const ways = {
  "over HTTP": (faults: ReadonlyArray<Fault>) =>
    Effect.gen(function*() {
      const practice = yield* serve({ forms: [form], port: 0, faults: planned({ seed: 1, faults }) })
      return { practice, service: yield* client(practice) }
    }),
  "in process": (faults: ReadonlyArray<Fault>) =>
    Effect.gen(function*() {
      const practice = yield* inProcess({ forms: [form], faults: planned({ seed: 1, faults }) })
      return { practice, service: yield* client(practice, practice.open) }
    }),
}

const client = (
  { apiKey, baseUrl }: { readonly baseUrl: string; readonly apiKey: Redacted.Redacted },
  open?: Parameters<typeof make>[1],
) =>
  make({
    baseUrl,
    apiKey,
    requestsPerSecond: Infinity,
    concurrency: 2,
    timeout: Duration.millis(1_500),
    editLinkParameter: "includeEditLink",
    gateway: "gateway",
  }, open)

for (const [way, start] of Object.entries(ways)) {
  describe(`creating two submissions with a fault ${way}`, () => {
    for (const [at, [name, fault, outcome, held]] of table.entries()) {
      const telemetry = hasTelemetry(at)
      const how = telemetry ? "with telemetry" : "without telemetry"
      // The outcomes don't depend on the way, so the second one is only in the longer proofs.
      it.scopedLive.runIf(isLong || start === ways["over HTTP"])(
        `a create has the outcome "${outcome}" and stores ${held} submissions with the fault "${name}", ${how}`,
        () =>
          Effect.gen(function*() {
            const { practice, service } = yield* start([fault])
            let spans = 0
            const create = service.create("people", items, () => true)
            const created = telemetry ? observed(create, () => void spans++) : create
            expect(shown(yield* created)).toBe(outcome)
            expect(spans > 0).toBe(telemetry)
            // A request delayed beyond the client's timeout still arrives.
            if (name === "delayed for too long") yield* Effect.sleep("1500 millis")
            expect(practice.count("people")).toBe(held)
            expect(Object.values(practice.faults())).toEqual(
              outcome === "Created 11" && name.includes("not there") ? [] : [1],
            )
          }),
      )
    }

    it.scopedLive("an unavailable service refuses connections for the configured time, then accepts them again", () =>
      Effect.gen(function*() {
        const { practice, service } = yield* start([{ fault: "refuse", at: [1], for: Duration.seconds(1) }])
        const create = service.create("people", items, () => true)
        expect(shown(yield* create)).toBe("Created 11")
        yield* Effect.sleep("20 millis")
        expect(shown(yield* create)).toBe("NotCreated")
        yield* Effect.sleep("1100 millis")
        expect(shown(yield* create)).toBe("Created 11")
        expect(practice.count("people")).toBe(4)
      }))

    it.scopedLive("a kept-alive connection that is reset puts the next request in doubt, and no submission arrives", () =>
      Effect.gen(function*() {
        const { practice, service } = yield* start([{ fault: "reset-kept-alive", at: [1] }])
        const create = service.create("people", items, () => true)
        // The client has several connections, so one of the next few requests uses the closed connection.
        const outcomes = yield* Effect.replicateEffect(Effect.map(create, shown), 6)
        expect(outcomes.toSorted()).toEqual([...Array.from({ length: 5 }, () => "Created 11"), "InDoubt"])
        expect(practice.count("people")).toBe(10)
      }))

    it.scopedLive("a submission hidden by the fault `invisible` can be read only after its time", () =>
      Effect.gen(function*() {
        const { service } = yield* start([{ fault: "invisible", for: Duration.seconds(1) }])
        const outcome = yield* service.create("people", items, () => true)
        const id = outcome._tag === "Created" ? outcome.ids[0] ?? outcome.submissions[0]?.submissionId ?? "" : ""
        expect(yield* service.read("people", id)).toBeUndefined()
        yield* Effect.sleep("1100 millis")
        expect((yield* service.read("people", id))?.submissionId).toBe(id)
      }))

    it.scopedLive("a fault makes the service return answers that are trimmed, reformatted or of an unknown type", () =>
      Effect.gen(function*() {
        const kept = (fault: Fault) =>
          Effect.gen(function*() {
            const { practice, service } = yield* start([fault])
            yield* service.create("people", items.slice(0, 1), () => true)
            return practice.submissions("people")[0]?.questions.map(({ known, value }) => (known ? value : "unknown"))
          })
        expect(yield* kept({ fault: "trim-answers", length: 3 })).toEqual(["Ada", null, 12.5, null])
        expect(yield* kept({ fault: "reformat-answers" })).toEqual(["ADA  OF PLACE 0", null, "12.50", null])
        expect(yield* kept({ fault: "unknown-type", type: "HoloScan" })).toContain("unknown")
      }))

    it.scopedLive("the client waits until the date in Retry-After", () =>
      Effect.gen(function*() {
        const { service } = yield* start([{ fault: "throttled", retryAfter: "date", wait: Duration.seconds(3) }])
        const outcome = yield* service.create("people", items, () => true)
        expect(outcome).toMatchObject({ _tag: "NotCreated", throttled: true })
        const wait = outcome._tag === "NotCreated" ? outcome.wait ?? 0 : 0
        expect(wait).toBeGreaterThan(1_500)
        expect(wait).toBeLessThanOrEqual(4_000)
      }))
  })
}

const context: FaultContext = {
  items: [],
  now: 0,
  pick: () => 0,
  newId: () => "id",
  refuseConnections: () => {},
  resetNext: () => {},
  hide: () => {},
  intrude: Effect.die("not served"),
}

describe("the faults file", () => {
  const problems = (text: string) =>
    Effect.map(Effect.flip(parseFaults("faults.yaml", text)), (error) => error.problems)

  it.effect("the faults file accepts every kind of fault with its settings, in YAML or JSON", () =>
    Effect.gen(function*() {
      const plan = yield* parseFaults(
        "faults.yaml",
        `seed: 7
faults:
  - { fault: reset, on: any, chance: 0.05, when: before }
  - { fault: throttled, at: [2, 5], retryAfter: date, wait: 2 seconds }
  - { fault: status, status: 503, body: html, retryAfter: 1 seconds, skip: 3, times: 1 }
`,
      )
      const same = yield* parseFaults(
        "faults.json",
        JSON.stringify({
          seed: 7,
          faults: [
            { fault: "reset", on: "any", chance: 0.05, when: "before" },
            { fault: "throttled", at: [2, 5], retryAfter: "date", wait: "2 seconds" },
            { fault: "status", status: 503, body: "html", retryAfter: "1 seconds", skip: 3, times: 1 },
          ],
        }),
      )
      const { faults } = plan
      expect(same).toEqual({ seed: 7, faults: faults.map((fault) => ({ ...fault, reply: expect.any(Function) })) })
      const replies = (faults: ReadonlyArray<PlannedFault>) =>
        Effect.forEach(faults, ({ reply }) => reply?.(Effect.die("not served"), context) ?? Effect.void)
      expect(yield* replies(faults)).toEqual([
        { _tag: "Reset" },
        { _tag: "Answer", answer: expect.objectContaining({ status: 429 }) },
        {
          _tag: "Answer",
          answer: expect.objectContaining({
            status: 503,
            headers: { "content-type": "text/html; charset=utf-8", "retry-after": "1" },
          }),
        },
      ])
      expect(yield* replies(same.faults)).toEqual(yield* replies(faults))
      expect(plan.seed).toBe(7)
      expect(plan.faults[2]).toMatchObject({ name: "status 503 before", skip: 3, times: 1 })
      const least: Readonly<Record<string, string>> = {
        refuse: ", for: 1 seconds",
        delay: ", for: 1 seconds",
        invisible: ", for: 1 seconds",
        status: ", status: 500",
      }
      for (const fault of Object.keys(namedFaults)) {
        const { faults } = yield* parseFaults("faults.yaml", `faults: [{ fault: ${fault}${least[fault] ?? ""} }]`)
        expect(faults[0]?.name.split(" ")[0]).toBe(fault)
      }
    }))

  it.effect("all mistakes in a faults file are reported, each with its place", () =>
    Effect.gen(function*() {
      expect(
        yield* problems(`faults:
  - { fault: rest }
  - { fault: delay }
  - { fault: reset, chance: 2, wen: after }
  - { fault: reformat-answers, on: read }
  - { fault: delay, for: 80ms, when: later, at: 3 }
  - { fault: delay, for: 80, at: [0] }
`),
      ).toEqual([
        'faults[0].fault: there is no fault "rest"; did you mean reset?',
        "faults[1].for: is missing",
        "faults[2].wen: is not a setting here",
        "faults[2].chance: expects a number between 0 and 1, not 2",
        "faults[3].on: is not a setting here",
        "faults[4].at: expects a list of whole numbers from 1, not 3",
        'faults[4].for: expects a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`, not "80ms"',
        'faults[4].when: expects `before` or `after`, not "later"',
        "faults[5].at[0]: expects a whole number, 1 or more, not 0",
        "faults[5].for: expects a number and a unit, such as `500 millis`, `30 seconds` or `2 minutes`, not 80",
      ])
      expect((yield* problems("seed: &a [*a]\nfaults: []"))[0]).toContain("seed: expects ")
      expect(yield* problems("seeds: 1")).toEqual(["seeds: is not a setting here", "faults: is missing"])
    }))

  it.scoped("the faults file is read from a folder, and a missing file is reported", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({})
      writeFileSync(join(root, "faults.yaml"), "faults: []\n")
      expect(yield* loadFaults(join(root, "faults.yaml"))).toEqual({ seed: 1, faults: [] })
      expect((yield* Effect.flip(loadFaults(join(root, "other.yaml")))).message).toContain(
        "other.yaml can't be used:\n  it does not exist",
      )
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scopedLive("faults affect the same requests for the same seed, and different requests for a different seed", () =>
    Effect.gen(function*() {
      const outcomes = (seed: number) =>
        Effect.gen(function*() {
          const faults: ReadonlyArray<Fault> = [
            { fault: "status", status: 500, body: "json", when: "after", chance: 0.4 },
            { fault: "shuffled", chance: 0.5 },
          ]
          const practice = yield* inProcess({ forms: [form], faults: planned({ seed, faults }) })
          const service = yield* client(practice, practice.open)
          const create = Effect.map(service.create("people", items, () => true), shown)
          return yield* Effect.replicateEffect(create, 30)
        })
      const first = yield* outcomes(1)
      expect(yield* outcomes(1)).toEqual(first)
      expect(yield* outcomes(2)).not.toEqual(first)
      expect(new Set(first)).toEqual(new Set(["InDoubt", "Created 11"]))
    }))
})
