import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { reconcilePipeline } from "../../src/jobs/reconcile.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { runOf } from "../demo/runOf.ts"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { formId, truthProject } from "./truthProject.ts"

const rows = 150

interface Member {
  readonly id: string
  readonly value: unknown
}

interface Stored {
  readonly submissionId: string
  readonly questions: ReadonlyArray<Member>
  readonly urlParameters: ReadonlyArray<Member>
  readonly scheduling: ReadonlyArray<Member>
  readonly payments: ReadonlyArray<Member>
  readonly login?: { readonly email: string }
}

/** A value that someone fills in for a missing answer. */
const fresh = {
  questions: "new",
  urlParameters: "new",
  scheduling: { fullName: "new" },
  payments: { paymentId: "new" },
} as const

/** A different value of the same shape. */
const another = (value: unknown): unknown => {
  if (typeof value === "string") return `${value}!`
  if (typeof value === "number") return value + 1
  if (typeof value === "boolean") return !value
  if (Array.isArray(value)) return value.length === 0 ? ["new"] : value.slice(1)
  if (typeof value === "object" && value !== null) {
    const [name = "new", member] = Object.entries(value)[0] ?? []
    return { ...value, [name]: another(member) }
  }
  return "new"
}

const isNothing = (value: unknown) => value === null || value === undefined

it.scopedLive(
  "a reconciliation reports nothing after an import of every kind, and later reports exactly the edits and deletions",
  () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const root = yield* projectFolder(truthProject(rows, 7_021).files)
      expect(yield* runOf(root, "every-kind")).toMatchObject({ exitCode: 0, readBack: { verified: rows } })
      const reconcile = Effect.flatMap(loadProject(root), (project) =>
        reconcilePipeline(project, {
          pipeline: "every-kind",
          to: undefined,
          progress: () => Effect.void,
          interrupted: Effect.never,
        }))
      expect(yield* reconcile).toMatchObject({ exitCode: 0, readBack: { verified: rows }, differences: [] })

      const store = path.join(root, "store", `${formId}.jsonl`)
      const stored = (yield* fs.readFileString(store)).trimEnd().split("\n").map((line): Stored => JSON.parse(line))
      const expected: Array<string> = []
      const lists = ["questions", "urlParameters", "scheduling", "payments"] as const
      const kept = stored.flatMap((one, at): ReadonlyArray<Stored> => {
        // Every fifth submission stays unchanged and every seventh is deleted. Each of the others is edited in a
        // different member.
        if (at % 5 === 0) return [one]
        if (at % 7 === 0) return []
        const members = lists.flatMap((list) => one[list].map(({ id }) => ({ list, id })))
        const chosen = members[at % (members.length + 1)]
        if (chosen === undefined) {
          expected.push(`${one.submissionId} login`)
          return [{ ...one, login: { email: "somebody@else.example" } }]
        }
        expected.push(`${one.submissionId} ${chosen.id}`)
        const edited = one[chosen.list].map((member) =>
          member.id === chosen.id
            ? { ...member, value: isNothing(member.value) ? fresh[chosen.list] : another(member.value) }
            : member
        )
        return [{ ...one, [chosen.list]: edited }]
      })
      yield* fs.writeFileString(store, kept.map((one) => `${JSON.stringify(one)}\n`).join(""))

      const found = yield* reconcile
      const missing = rows - kept.length
      expect(found).toMatchObject({
        exitCode: 4,
        readBack: { verified: rows - missing - expected.length, differing: expected.length, missing, unread: 0 },
        balance: { holds: true },
      })
      expect(found.differences.map((one) => `${one.submissionId} ${one.question}`).toSorted()).toEqual(
        expected.toSorted(),
      )
      expect(expected.length).toBeGreaterThan(80)
    }).pipe(Effect.provide(platform)),
  60_000,
)
