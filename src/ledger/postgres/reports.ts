import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createReadStream, createWriteStream } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { pipeline, Readable } from "node:stream"
import { pipeline as piped } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import type { LedgerError, LedgerRefused } from "../errors.ts"
import type { RunName, StoredFile, StoredReports } from "../LedgerDatabase.ts"
import type { Param } from "../sql/statement.ts"
import { connectTo } from "./connection.ts"
import { attempt } from "./failures.ts"
import { version } from "./opening.ts"
import type { PostgresOptions } from "./options.ts"
import { rewriteTables } from "./rewrite.ts"
import { inTime } from "./Writer.ts"

/** The number of compressed bytes in a row of the database, except for the last row of a file. */
const pieceSize = 256 * 1024

/** Compresses a file. Yields pieces, at least one. */
async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  // A failure of the file ends the loop below.
  const zipped = pipeline(createReadStream(file), createGzip(), () => undefined)
  let parts: Array<Buffer> = []
  let size = 0
  for await (const part of zipped as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size < pieceSize) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}

/** Opens the reports for the scope, on a connection of their own. Undefined if there is no such ledger, or if it is not this project's. */
export const openReports = (
  options: PostgresOptions,
): Effect.Effect<StoredReports | undefined, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const connection = yield* connectTo(options)
    const [storedRun, storedFile] = [connection.table("storedRun"), connection.table("storedFile")]
    const send = (sql: string, ...params: ReadonlyArray<Param>) =>
      inTime(connection, () => connection.send(sql, params))
    const doing = <A>(what: string, work: () => Promise<A>) => attempt(connection.label, what, work)

    const isThere = yield* doing("looking for its reports", async () => {
      if (!(await inTime(connection, () => connection.hasTable("storedRun")))) return false
      const { rows } = await send(
        `SELECT name, value FROM ${connection.table("meta")} WHERE name IN ('project', 'version')`,
      )
      const meta = new Map(rows.map(([name, value]) => [name, value]))
      return meta.get("project") === options.project && meta.get("version") === version
    })
    if (!isThere) return undefined

    const transaction = async (work: () => Promise<void>) => {
      await send("BEGIN")
      try {
        await work()
        await send("COMMIT")
      } catch (cause) {
        void connection.exec("ROLLBACK").catch(() => undefined)
        throw cause
      }
    }
    const write = async ({ pipeline, run }: RunName, folder: string) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (!entry.isFile()) continue
        let nth = 0
        for await (const piece of piecesOf(join(folder, entry.name))) {
          await send(`INSERT INTO ${storedFile} VALUES ($1, $2, $3, $4, $5)`, pipeline, run, entry.name, nth++, piece)
        }
      }
    }
    async function* piecesIn({ pipeline, run }: RunName, { name, pieces }: StoredFile): AsyncGenerator<Buffer> {
      for (let nth = 0; nth < pieces; nth++) {
        const { rows: [row] } = await send(
          `SELECT bytes FROM ${storedFile} WHERE pipeline = $1 AND run = $2 AND name = $3 AND nth = $4`,
          pipeline,
          run,
          name,
          nth,
        )
        if (row === undefined) throw new Error(`the report of ${run} was changed while it was read. Try again`)
        yield row[0] as Buffer
      }
    }

    return {
      runs: (pipeline) =>
        doing("listing its reports", async () => {
          const { rows } = await send(
            `SELECT run, emptied FROM ${storedRun} WHERE pipeline = $1 ORDER BY run DESC`,
            pipeline,
          )
          return rows.map(([run, emptied]) => ({ run: String(run), isEmptied: emptied === 1 }))
        }),
      files: ({ pipeline, run }) =>
        doing("listing the files of a report", async () => {
          const { rows } = await send(
            `SELECT name, count(*) FROM ${storedFile} WHERE pipeline = $1 AND run = $2 GROUP BY name`,
            pipeline,
            run,
          )
          return rows.map(([name, pieces]) => ({ name: String(name), pieces: Number(pieces) }))
        }),
      read: (of, file, to) =>
        doing("reading a report", () =>
          piped(
            Readable.from(piecesIn(of, file)),
            createGunzip(),
            createWriteStream(to, { flags: "wx", mode: 0o600, flush: true }),
          )),
      store: (of, folder) =>
        doing("storing a report", () =>
          transaction(async () => {
            const { changes } = await send(
              `INSERT INTO ${storedRun} VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`,
              of.pipeline,
              of.run,
            )
            if (changes > 0) await write(of, folder)
          })),
      empty: (emptied) =>
        doing("emptying reports", async () => {
          for (const { folder, ...of } of emptied) {
            await transaction(async () => {
              const params = [of.pipeline, of.run]
              const { changes } = await send(
                `UPDATE ${storedRun} SET emptied = 1 WHERE pipeline = $1 AND run = $2`,
                ...params,
              )
              await send(`DELETE FROM ${storedFile} WHERE pipeline = $1 AND run = $2`, ...params)
              if (changes > 0) await write(of, folder)
            })
          }
        }).pipe(Effect.zipRight(rewriteTables(connection, ["storedfile"]))),
      remove: (pipeline, runs) =>
        doing("removing old reports", async () => {
          for (const run of runs) await send(`DELETE FROM ${storedRun} WHERE pipeline = $1 AND run = $2`, pipeline, run)
        }),
    }
  })
