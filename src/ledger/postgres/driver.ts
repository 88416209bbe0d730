import { Refusal, type Rows, type Sql, type Statement } from "../sql/statement.ts"
import type { Answer, Connection } from "./connection.ts"
import { translated } from "./dialect.ts"

/**
 * Returns how to send the statements of one transaction.
 *
 * @param begin statements that start the transaction. They are sent with the first statement
 */
const openTransaction = (connection: Connection, begin: string) => {
  const sent: Array<Promise<unknown>> = []
  /** Notes a statement whose result nothing awaits. If it fails, `answered` fails. */
  const note = <A>(result: Promise<A>): Promise<A> => {
    // Without a handler, a failure would end the process before `answered` sees it.
    result.catch(() => undefined)
    sent.push(result)
    return result
  }
  return {
    send: ({ params, sql }: Pick<Statement, "sql" | "params">): Promise<Answer> => {
      if (sent.length === 0) void note(connection.exec(begin))
      return note(connection.send(translated(sql), params))
    },
    /** Rolls the transaction back, if it was started. */
    rollBack: async (): Promise<void> => {
      if (sent.length > 0) await connection.exec("ROLLBACK")
    },
    /** Returns once every statement was answered. Fails like the first one that failed: the later ones fail only because of it. */
    answered: async (): Promise<void> => {
      for (const result of await Promise.allSettled(sent)) {
        if (result.status === "rejected") throw result.reason
      }
    },
  }
}

type OpenTransaction = ReturnType<typeof openTransaction>

/** A program that is refused, and why. */
export interface Refused<Key> {
  readonly key: Key
  readonly refusal: Refusal<unknown>
}

/** Sends a statement whose answer is needed, with each of its parameters, or with the one that follows. */
const ask = async (transaction: OpenTransaction, statement: Statement): Promise<Rows> => {
  if (statement.each !== undefined) {
    const answers = await Promise.all(statement.each.map((params) => transaction.send({ sql: statement.sql, params })))
    return answers.map(({ rows }) => rows)
  }
  const sent = transaction.send(statement)
  const following = statement.following && transaction.send(statement.following(undefined))
  const { changes, rows } = await sent
  if (following !== undefined) return [rows, (await following).rows]
  return statement.answer === "changes" ? [[changes]] : rows
}

/**
 * Runs programs in lockstep: sends the next statement of each, waits for all answers, and continues. So they need as many round trips as the longest
 * of them. Returns their results, or the first one that is refused.
 */
const inLockstep = async <Key>(
  transaction: OpenTransaction,
  programs: ReadonlyArray<readonly [Key, Sql<unknown>]>,
): Promise<Map<Key, unknown> | Refused<Key>> => {
  const results = new Map<Key, unknown>()
  let refused: Refused<Key> | undefined
  let live: ReadonlyArray<readonly [Key, Sql<unknown>, Rows]> = programs.map(([key, program]) => [key, program, []])
  while (live.length > 0) {
    const asked: Array<Promise<readonly [Key, Sql<unknown>, Rows]>> = []
    for (const [key, program, answer] of live) {
      const next = advance(transaction, program, () => program.next(answer))
      if (next instanceof Refusal) refused ??= { key, refusal: next }
      else if (next.done === true) results.set(key, next.value)
      else {
        const statement = next.value
        asked.push(
          ask(transaction, statement).then((answer) => [key, program, answer] as const, (cause) => {
            // A program may turn a failure of its statement into a refusal. It can't continue, because the transaction has failed.
            const failed = advance(transaction, program, () => program.throw(cause))
            if (failed instanceof Refusal) refused ??= { key, refusal: failed }
            throw cause
          }),
        )
      }
    }
    const answered = await Promise.allSettled(asked)
    if (refused !== undefined) return refused
    // In a failed transaction, every later statement fails, too. The first failure gives the reason.
    if (answered.some(({ status }) => status === "rejected")) await transaction.answered()
    live = answered.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  }
  return results
}

/** Continues a program up to the next answer that it needs, or to its end. */
const advance = (
  transaction: OpenTransaction,
  program: Sql<unknown>,
  start: () => IteratorResult<Statement, unknown>,
): IteratorResult<Statement, unknown> | Refusal<unknown> => {
  try {
    let next = start()
    while (next.done !== true && next.value.answer === "nothing") {
      void transaction.send(next.value)
      next = program.next([])
    }
    return next
  } catch (cause) {
    if (cause instanceof Refusal) return cause
    throw cause
  }
}

/** Part of a transaction: programs that run in lockstep. */
export type Wave<Key> = ReadonlyArray<readonly [Key, () => Sql<unknown>]>

export interface Ending {
  /** A program that runs with the commit. It must not need an answer. */
  readonly last: () => Sql<void>
  /** Fulfilled when the transaction may commit. If it fails, everything is rolled back. */
  readonly mayCommit: () => Promise<void>
  /** Called when the commit was sent. What is sent from now on belongs to the next transaction. */
  readonly sent: () => void
  /** A statement after the commit. It costs no round trip. `noteAnswer` gets its answer if the transaction is committed. */
  readonly after: { readonly sql: string; readonly noteAnswer: (answer: Answer) => void } | undefined
}

/**
 * Runs waves of programs in one transaction, one wave after another. Returns their results once they are durable. If a program is refused, rolls
 * everything back and returns it.
 *
 * @param begin statements that start the transaction. They are sent together with the first wave
 */
export const transact = async <Key>(
  connection: Connection,
  begin: string,
  waves: ReadonlyArray<Wave<Key>>,
  { after, last, mayCommit, sent }: Ending,
): Promise<Map<Key, unknown> | Refused<Key>> => {
  const transaction = openTransaction(connection, begin)
  const results = new Map<Key, unknown>()
  let isEnded = false
  try {
    for (const wave of waves) {
      const ended = await inLockstep(transaction, wave.map(([key, program]) => [key, program()] as const))
      if (!(ended instanceof Map)) {
        await transaction.rollBack()
        return ended
      }
      for (const [key, value] of ended) results.set(key, value)
    }
    await mayCommit()
    const ends = last()
    if (advance(transaction, ends, () => ends.next([])) instanceof Refusal) throw new Error("A commit was refused.")
    const committed = transaction.send({ sql: "COMMIT", params: [] })
    const following = after && transaction.send({ sql: after.sql, params: [] })
    isEnded = true
    sent()
    await transaction.answered()
    // A transaction that had failed would be rolled back.
    if ((await committed).command !== "COMMIT") throw new Error("the database rolled a transaction back")
    if (following !== undefined) after?.noteAnswer(await following)
    return results
  } catch (cause) {
    // A commit that fails rolls back. A further ROLLBACK would end the next transaction, and its later statements would be committed one by one.
    if (!isEnded) void transaction.rollBack().catch(() => undefined)
    throw cause
  }
}

/**
 * Runs one statement in a transaction that takes no advisory lock, and returns how many rows changed. Everything is sent at once: if this process is
 * suspended before the answer, no transaction stays open that the server would have to end.
 */
export const runAtOnce = async (
  connection: Connection,
  statement: Pick<Statement, "sql" | "params">,
): Promise<number> => {
  const transaction = openTransaction(connection, `BEGIN ISOLATION LEVEL READ COMMITTED; ${connection.inSchema}`)
  const answer = transaction.send(statement)
  void transaction.send({ sql: "COMMIT", params: [] })
  await transaction.answered()
  return (await answer).changes
}

/** Runs a program that reads, in a transaction that shows it one state of the ledger. */
export const readAt = async <A>(connection: Connection, program: Sql<A>): Promise<A> => {
  const transaction = openTransaction(
    connection,
    `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${connection.inSchema}`,
  )
  try {
    const ended = await inLockstep(transaction, [["program", program]])
    if (!(ended instanceof Map)) throw ended.refusal
    return ended.get("program") as A
  } finally {
    // Nothing was written, so the next statement need not wait for the end of the transaction.
    void transaction.rollBack().catch(() => undefined)
  }
}
