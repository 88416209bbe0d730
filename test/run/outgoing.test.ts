// Tests which rows are sent in which batches, wherever the source's chunks end.
import { expect, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import fc from "fast-check"
import type { RowChunk } from "../../src/domain/row.ts"
import type { IntendedRow } from "../../src/ledger/rows.ts"
import { FateTable } from "../../src/run/FateTable.ts"
import { outgoing } from "../../src/run/outgoing.ts"
import { CurrentRun, RunLedger, type RunPlan } from "../../src/run/RunContext.ts"
import { makeStop, Stop } from "../../src/run/Stop.ts"
import type { Survey } from "../../src/run/survey.ts"
import { SourceChanged } from "../../src/source/Source.ts"

/** A row of the source and its state. */
interface Met {
  readonly chosen: boolean
  readonly kind: "plain" | "faulty" | "keyless" | "invalid" | "replacing"
}

const chunksOf = (rows: ReadonlyArray<Met>, sizes: ReadonlyArray<number>): ReadonlyArray<RowChunk> => {
  const chunks: Array<RowChunk> = []
  for (let at = 0, nth = 0; at < rows.length; nth++) {
    const some = rows.slice(at, at + (sizes[nth % sizes.length] ?? 1))
    chunks.push({
      firstRow: at + 1,
      rows: some.map((_, index) => [`K-${at + 1 + index}`]),
      faults: new Map(
        some.flatMap(({ kind }, index) => kind === "faulty" ? [[index, { code: "ragged-row", message: "" }]] : []),
      ),
    })
    at += some.length
  }
  return chunks
}

/** Returns the context of `outgoing` with a source, a survey, and a stop. */
const over = (rows: ReadonlyArray<Met>, batchSize: number, chunks: Stream.Stream<RowChunk, SourceChanged>) =>
  Effect.map(makeStop, (stop) => {
    const fates = new FateTable()
    rows.forEach(({ kind }, index) => fates.set(index + 1, "pending", kind === "replacing" ? "replaces" : undefined))
    const met = (cells: ReadonlyArray<unknown>) => rows[Number(String(cells[0]).slice(2)) - 1]
    const plan = {
      pipeline: { sink: { batchSize } },
      shape: ["Key"],
      keyColumns: ["Key"],
      columns: [{ position: 0, title: "Key", name: "Key" }],
      mapping: {
        answers: [],
        map: (cells: ReadonlyArray<unknown>) =>
          met(cells)?.kind === "invalid" ? { problems: [] } : { item: { questions: [] } },
      },
      source: { columns: [], read: () => chunks },
      isFixed: false,
    } as unknown as RunPlan
    const ledger = {
      ledger: { digest: { key: Buffer.from, content: (cells: ReadonlyArray<string>) => Buffer.from(cells.join()) } },
      view: {
        facts: Effect.succeed({ isAnyKeyless: false }),
        lookUp: (keys: ReadonlyArray<Buffer>) => Effect.succeed(keys.map((key) => ({ submissionId: `of ${key}` }))),
      },
    } as unknown as RunLedger["Type"]
    const survey = {
      fates,
      cells: { startSending: () => undefined },
      files: [],
      numbering: () => (cells: ReadonlyArray<unknown>) => met(cells)?.kind === "keyless" ? undefined : String(cells[0]),
    } as unknown as Survey
    const context = Context.make(CurrentRun, plan).pipe(Context.add(RunLedger, ledger), Context.add(Stop, stop))
    return { context, stop, survey }
  })

const batchesOf = (
  { context, survey }: Effect.Effect.Success<ReturnType<typeof over>>,
  choose: (row: number) => boolean,
  count: number,
  afterEach: (batches: number) => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.gen(function*() {
    const batches: Array<ReadonlyArray<IntendedRow>> = []
    const next = yield* outgoing(survey, choose, count)
    for (let batch = yield* next; batch !== undefined; batch = yield* next) yield* afterEach(batches.push(batch))
    return batches
  }).pipe(Effect.scoped, Effect.provide(context))

const met = fc.record({
  chosen: fc.boolean(),
  kind: fc.constantFrom<Met["kind"]>("plain", "plain", "plain", "faulty", "keyless", "invalid", "replacing"),
})
const anySource = fc.record({
  rows: fc.array(met, { maxLength: 60 }),
  sizes: fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 4 }),
  together: fc.integer({ min: 1, max: 3 }),
  batchSize: fc.integer({ min: 1, max: 10 }),
  count: fc.integer({ min: 0, max: 60 }),
  stopAfter: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
})
const settings = { seed: 20_261_122, numRuns: 500 }

it("only the chosen rows are sent, in order and in full batches, up to the limit or until a stop", async () => {
  await fc.assert(
    fc.asyncProperty(anySource, async ({ batchSize, count, rows, sizes, stopAfter, together }) => {
      const going = rows.flatMap(({ chosen, kind }, index) =>
        chosen && (kind === "plain" || kind === "replacing") ? [index + 1] : []
      ).slice(0, count)
      const batches = await Effect.runPromise(Effect.gen(function*() {
        const chunks = Stream.rechunk(Stream.fromIterable(chunksOf(rows, sizes)), together)
        const opened = yield* over(rows, batchSize, chunks)
        const choose = (row: number) => rows[row - 1]?.chosen === true
        return yield* batchesOf(
          opened,
          choose,
          count,
          (given) => given === stopAfter ? opened.stop.request({ _tag: "Interrupted", signal: "SIGINT" }) : Effect.void,
        )
      }))
      const given = batches.flat()
      expect(given.map(({ row }) => row)).toEqual(going.slice(0, (stopAfter ?? Number.POSITIVE_INFINITY) * batchSize))
      expect(batches.slice(0, -1).every((batch) => batch.length === batchSize)).toBe(true)
      expect(batches.every((batch) => batch.length > 0 && batch.length <= batchSize)).toBe(true)
      for (const { key, replaces, row } of given) {
        expect([key, replaces]).toEqual([
          `K-${row}`,
          rows[row - 1]?.kind === "replacing" ? `of K-${row}` : undefined,
        ])
      }
    }),
    settings,
  )
})

it("a source that changed meanwhile stops the run, and an incomplete batch is not sent", () =>
  Effect.runPromise(Effect.gen(function*() {
    const rows = Array.from({ length: 25 }, (): Met => ({ chosen: true, kind: "plain" }))
    const chunks = Stream.concat(
      Stream.fromIterable(chunksOf(rows, [25])),
      Stream.fail(new SourceChanged({ file: "source.csv" })),
    )
    const opened = yield* over(rows, 10, chunks)
    const batches = yield* batchesOf(opened, () => true, 100)
    expect(batches.map((batch) => batch.length)).toEqual([10, 10])
    expect(opened.stop.reasons()).toMatchObject([{ _tag: "Unavailable" }])
  })))
