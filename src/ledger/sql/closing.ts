// A ledger that is moved is closed first, and its copy stays closed until it is complete. So at most one of the two can be used at any time.
import { LedgerRefused } from "../errors.ts"
import { all, Refusal, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"

/** What a ledger that was closed records, as JSON in `meta`. */
export interface Closing {
  readonly id: string
  /** What messages call that ledger. */
  readonly name: string
  /** Whether that ledger is complete. From then on, this one is never opened again. */
  readonly isMoved: boolean
}

/** What a ledger's `meta` contains about a move. */
export interface Moving {
  readonly id: string
  /** In the old ledger: where its rows go. */
  readonly closing: Closing | undefined
  /** In the new ledger, until the move has finished: whether everything was copied and compared. */
  readonly unfinished: "begun" | "copied" | undefined
  /** The ids of the ledgers whose rows this one took over. */
  readonly before: ReadonlyArray<string>
  /** The version of the ledger's tables, if another process can change them. */
  readonly version: string | undefined
}

/** Returns what the `meta` of a new ledger contains in addition, if rows are moved to it. */
export const unfinishedIf = (isMoved: boolean | undefined): { readonly unfinished?: string } =>
  isMoved === true ? { unfinished: "begun" } : {}

export function* movingOf(): Sql<Moving> {
  const meta = new Map(
    yield* all<readonly [string, string]>(
      "SELECT name, value FROM meta WHERE name IN ('id', 'closed', 'unfinished', 'before', 'version')",
    ),
  )
  const closed = meta.get("closed")
  const unfinished = meta.get("unfinished")
  return {
    id: meta.get("id") ?? "",
    closing: closed === undefined ? undefined : JSON.parse(closed) as Closing,
    unfinished: unfinished === undefined ? undefined : unfinished === "copied" ? "copied" : "begun",
    before: JSON.parse(meta.get("before") ?? "[]") as ReadonlyArray<string>,
    version: meta.get("version"),
  }
}

/** Returns why a ledger must not be used: because of a move, or because its tables were changed after it was opened. */
export function* closedBecause({ file, version }: Pick<Store, "file" | "version">): Sql<LedgerRefused | undefined> {
  const found = yield* movingOf()
  const why = found.version !== version
    ? `A different build of formferry has changed the tables of the ledger ${file}. Nothing was sent. Run again with that build.`
    : found.unfinished === undefined
    ? found.closing && closedMessage(file, found.closing)
    : unfinishedMessage(file)
  const canFinish = found.version === version && found.unfinished === undefined && found.closing?.isMoved === false
  return why === undefined
    ? undefined
    : new LedgerRefused({ message: why, ...(canFinish && { next: ["ledger", "move"] }) })
}

const closedMessage = (file: string, { isMoved, name }: Closing): string =>
  isMoved
    ? `The ledger ${file} was moved to ${name}. Nothing was sent. In config/formferry.yaml, remove \`ledger\`, and rename \`newLedger\` to \`ledger\`.`
    : `The ledger ${file} is closed, because it is being moved to ${name}. Nothing was sent. To finish the move, run: formferry ledger move. To keep this ledger, run: formferry ledger move --cancel`

const unfinishedMessage = (file: string): string =>
  `The ledger ${file} is incomplete, because a move to it has not finished. Nothing was sent. In config/formferry.yaml, `
  + "name the old ledger in `ledger`, and this one in `newLedger`. Then run: formferry ledger move"

/**
 * Returns the ledger's parts with a writer that refuses to write after the ledger was closed, or its tables were changed. Writes under a hold need
 * no such check: closing a ledger takes every lock, and a hold checks the version itself.
 */
export const untilClosed = (store: Store): Store => {
  const { writer } = store
  return {
    ...store,
    writer: {
      get failure() {
        return writer.failure
      },
      write: <A, E = never>(doing: string, program: () => Sql<A>) =>
        writer.write<A, E>(doing, function*() {
          const refused = yield* closedBecause(store)
          if (refused !== undefined) throw new Refusal(refused)
          return yield* program()
        }),
      writeOn: (...given) => writer.writeOn(...given),
    },
  }
}
