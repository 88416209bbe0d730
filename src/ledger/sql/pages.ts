import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Item } from "../../domain/item.ts"
import { isoOf } from "../../domain/times.ts"
import { fateCode, openStates, stateCode, verdictCode, verdictOf } from "../codes.ts"
import type { LedgerError } from "../errors.ts"
import type { DoubtfulRow, ExportedRow, ImportedRow, Page, Pages, SentRow, UndeletableRow } from "../pages.ts"
import { submissionsPage } from "./evidence.ts"
import { intendedRows } from "./intend.ts"
import { lastReplaced, replacedPage } from "./replace.ts"
import { row } from "./row.ts"
import { condition, optional, required, type Selected, selected, type Selection, selection } from "./selection.ts"
import { all, get, type Param, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"
import { ofUndoneRun, wasFound } from "./undo.ts"
import { unseenPage, vanishedPage } from "./vanished.ts"
import { driftedOf, isAcknowledged, unpackAnswers } from "./verdicts.ts"

const item = optional("d.item", (text: string) => JSON.parse(text) as Item)
const cells = optional("d.cells", (text: string) => JSON.parse(text) as ReadonlyArray<string>)

const importedFields = {
  at: row.id,
  key: row.key,
  row: row.row,
  submissionId: required(row.submission),
  submissionTime: row.time,
  verdict: required(row.verdict),
  replaces: optional<string>(lastReplaced),
  drift: selected(`CASE r.verdict WHEN ${verdictCode.verified} THEN f.standing END`, driftedOf),
}
const imported = { ...selection<ImportedRow>(importedFields), joins: "" }
const sent = {
  ...selection<SentRow>({
    ...importedFields,
    keyDigest: row.digest,
    batch: row.batch,
    run: selected<string>("u.name"),
    item,
    answers: optional("coalesce(d.answers, v.answers)", unpackAnswers),
    cells,
    isFound: condition(wasFound("r.id", "r.batch")),
  }),
  joins: "LEFT JOIN detail d ON d.row = r.id LEFT JOIN verified v ON v.row = r.id",
}

/**
 * Returns a function that reads a page of imported rows, in the order in which they were first sent. In this order the file is read forwards, and a
 * run's rows are next to each other.
 */
const importedPage = <A>(rows: Selection<A> & { readonly joins: string }) =>
  function*(store: Store, place: number, page: Page<"imported">): Sql<ReadonlyArray<A>> {
    // A row without a submission id can't be read back. A person said that it landed.
    const where: Array<string> = [`r.state = ${stateCode.imported}`, "r.submission IS NOT NULL", "r.id > ?"]
    let { after } = page
    // If possible, uses the partial index, which contains few rows, in order. Otherwise, `+` prevents SQLite from sorting all rows of the place.
    const rare = page.verdicts !== undefined && !page.verdicts.includes("verified")
    const runParams: Array<Param> = []
    if (page.run !== undefined) {
      // A statement with both min and max would read every batch of the run.
      const batches = yield* get<readonly [number | null, number | null]>(
        `SELECT (SELECT min(id) FROM batch WHERE run = u.id), (SELECT max(id) FROM batch WHERE run = u.id)
         FROM run u WHERE u.place = ? AND u.name = ?`,
        [place, page.run],
      )
      const [first, last] = batches ?? [null, null]
      if (first === null || last === null) return []
      if (after === 0 && !rare) {
        const start = yield* get<readonly [number | null]>("SELECT min(id) FROM row WHERE batch BETWEEN ? AND ?", [
          first,
          last,
        ])
        after = (start?.[0] ?? 1) - 1
      }
      where.push("u.name = ?", "r.batch BETWEEN ? AND ?")
      runParams.push(page.run, first, last)
    }
    if (page.verdicts !== undefined) {
      where.push(`r.verdict IN (${page.verdicts.map((verdict) => verdictCode[verdict]).join(", ")})`)
    }
    where.push(rare ? "r.place = ? AND r.verdict > 0" : "+r.place = ?")
    return yield* rows.all(
      store,
      `FROM row r ${rare ? "INDEXED BY row_unverified" : "NOT INDEXED"}
       CROSS JOIN batch b ON b.id = r.batch CROSS JOIN run u ON u.id = b.run ${rows.joins} LEFT JOIN drift f ON f.row = r.id
       WHERE ${where.join(" AND ")} ORDER BY r.id LIMIT ?`,
      [after, ...runParams, place, page.limit],
    )
  }

const doubtful = selection<DoubtfulRow>({
  at: row.id,
  keyDigest: row.digest,
  key: row.key,
  row: row.row,
  batch: selected<number>("b.id"),
  run: selected<string>("u.name"),
  sentAt: selected("b.sent", isoOf),
  first: selected<number>("coalesce(x.first, b.id)"),
  closed: optional<number>("CASE WHEN b.dead = 0 THEN b.closed END"),
  reason: selected<string>(
    `CASE r.state WHEN ${stateCode.intended} THEN 'the run that sent it has not recorded the outcome' ELSE x.reason END`,
  ),
  resent: row.resent,
  item,
  cells,
  columns: selected("b.columns", (id: number, texts) => texts.listOf(id)),
  acknowledged: condition(isAcknowledged("r", "r.content", fateCode.inDoubt)),
  isUndone: condition(ofUndoneRun),
})

const doubtfulPage = (store: Store, place: number, page: Page<"doubtful">): Sql<ReadonlyArray<DoubtfulRow>> =>
  doubtful.all(
    store,
    `FROM row r LEFT JOIN doubt x ON x.row = r.id JOIN batch b ON b.id = r.batch JOIN run u ON u.id = b.run
     LEFT JOIN detail d ON d.row = r.id
     WHERE r.id IN (
       SELECT id FROM (
         SELECT id FROM row INDEXED BY row_doubt WHERE place = ?1 AND state = ${stateCode.inDoubt} AND id > ?2 ORDER BY id LIMIT ?3
       ) AS doubted${page.withOpen === true ? ` UNION ALL ${intendedRows} AND r.id > ?2` : ""}) ORDER BY r.id LIMIT ?3`,
    [place, page.after, page.limit],
  )

const undeletable = selection<UndeletableRow>({
  at: row.id,
  key: row.key,
  row: row.row,
  state: row.state,
  submissionId: row.submission,
  replaces: optional<string>(lastReplaced),
})

/** Returns a page of the rows without a submission to delete whose first or latest request came from a run. */
const undeletablePage = (store: Store, place: number, page: Page<"undeletable">): Sql<ReadonlyArray<UndeletableRow>> =>
  undeletable.all(
    store,
    `FROM row r NOT INDEXED LEFT JOIN doubt x ON x.row = r.id
     WHERE r.id > ?3 AND +r.place = ?1
       AND (r.state IN (${stateCode.inDoubt}, ${stateCode.undone}) OR (r.state = ${stateCode.imported} AND r.submission IS NULL))
       AND EXISTS (SELECT 1 FROM batch b JOIN run u ON u.id = b.run WHERE b.id IN (r.batch, x.first) AND u.place = ?1 AND u.name = ?2)
     ORDER BY r.id LIMIT ?4`,
    [place, page.run, page.after, page.limit],
  )

export function* unfinished(
  place: number,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Sql<ReadonlyArray<number>> {
  return (yield* all<readonly [number]>(
    `SELECT id FROM row WHERE batch > ? AND batch <= ? AND +place = ? AND state IN (${openStates}, ${stateCode.notCreated})`,
    [after, upTo, place],
  )).map(([id]) => id)
}

/** The name of each kind of data in messages, and the function that reads a page of it. */
const kinds: {
  readonly [K in keyof Pages]: {
    readonly name: string
    readonly read: (store: Store, place: number, page: Page<K>) => Sql<ReadonlyArray<Pages[K]["row"]>>
  }
} = {
  imported: { name: "imported rows", read: importedPage(imported) },
  sent: { name: "imported rows", read: importedPage(sent) },
  doubtful: { name: "rows in doubt", read: doubtfulPage },
  submissions: { name: "submission ids", read: (_, place, page) => submissionsPage(place, page) },
  replaced: { name: "replaced submissions", read: replacedPage },
  undeletable: { name: "rows without a submission", read: undeletablePage },
  vanished: { name: "vanished rows", read: vanishedPage },
  unseen: { name: "vanished rows", read: unseenPage },
}

/** Reads rows in pages. See `PipelineLedger.pages`. */
export const pages = <K extends keyof Pages>(
  store: Store,
  place: () => Sql<number>,
  of: K,
  { after = 0, size = pageRows, ...choice }: Pages[K]["choice"] & {
    readonly after?: number | undefined
    readonly size?: number
  },
): Stream.Stream<ReadonlyArray<Pages[K]["row"]>, LedgerError> =>
  Stream.paginateEffect(after, (from) =>
    store.read(`reading ${kinds[of].name}`, function*() {
      const at = yield* place()
      const page = { ...choice, after: from, limit: size } as unknown as Page<K>
      // No place has the number 0. Some pages would be searched for it row by row.
      const rows = at === 0 ? [] : yield* kinds[of].read(store, at, page)
      return [rows, pageAfter(rows, size)] as const
    }))

/** Returns where the next page begins. None if the rows are the last ones. */
const pageAfter = (rows: ReadonlyArray<{ readonly at: number }>, size: number): Option.Option<number> =>
  rows.length < size ? Option.none() : Option.fromNullable(rows.at(-1)?.at)

const pageRows = 1_000

interface Exported extends ExportedRow {
  readonly at: number
}

/** The columns that differ between present rows and replaced submissions. */
type Own = "at" | "state" | "row" | "submissionId" | "verdict" | "submissionTime"

const exported = (own: { readonly [K in Own]: Selected<Exported[K]> }, from: string) => ({
  ...selection<Exported>({
    at: own.at,
    pipeline: selected("p.pipeline"),
    service: selected("p.service"),
    form: selected("p.form"),
    key: row.key,
    state: own.state,
    row: own.row,
    submissionId: own.submissionId,
    verdict: own.verdict,
    sentAt: selected("b.sent", isoOf),
    submissionTime: own.submissionTime,
    run: selected("u.name"),
  }),
  from,
  after: `${own.at.sql} > ?1`,
})

const verdictIn = (sql: string) => selected(sql, (code: number | null) => code === null ? null : verdictOf(code))

const presentRows = exported({
  at: row.id,
  state: row.state,
  row: row.row,
  submissionId: selected("r.submission"),
  verdict: verdictIn("r.verdict"),
  submissionTime: selected("r.time"),
}, "FROM row r NOT INDEXED JOIN place p ON p.id = r.place JOIN batch b ON b.id = r.batch JOIN run u ON u.id = b.run")

const replacedSubmissions = exported(
  {
    at: selected("x.id"),
    state: selected("0", () => "replaced"),
    row: selected("x.number"),
    submissionId: selected("x.submission"),
    verdict: verdictIn("x.verdict"),
    submissionTime: selected("x.time"),
  },
  "FROM replaced x JOIN row r ON r.id = x.row JOIN place p ON p.id = r.place JOIN batch b ON b.id = x.batch JOIN run u ON u.id = b.run",
)

export const exportRows = (
  store: Store,
  pipelines: ReadonlyArray<string>,
): Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError> => {
  const chosen = JSON.stringify(pipelines)
  const everyOne = (rows: typeof presentRows) =>
    Stream.paginateEffect(0, (last) =>
      Effect.map(
        store.read("exporting rows", () =>
          rows.all(
            store,
            `${rows.from} WHERE ${rows.after}
             AND (?2 = '[]' OR p.pipeline IN (SELECT value FROM json_each(?2))) ORDER BY 1 LIMIT ${pageRows}`,
            [last, chosen],
          )),
        (found) => [
          found.map(Struct.omit("at")),
          pageAfter(found, pageRows),
        ],
      ))
  return Stream.concat(everyOne(presentRows), everyOne(replacedSubmissions))
}
