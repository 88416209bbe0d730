import { Chunk, Effect, Stream } from "effect"
import type { RowChunk } from "../domain/row.ts"
import { SourceError } from "./Source.ts"
import type { Source, SourceDialect } from "./Source.ts"

/** A source of one file, with the file's name. */
export interface NamedSource {
  readonly file: string
  readonly source: Source
}

const shownTitle = (title: string | undefined) => title === undefined ? "missing" : JSON.stringify(title)

/** How a file's columns differ from the first file's; undefined when they are the same. */
const difference = (first: NamedSource, other: NamedSource): string | undefined => {
  const mine = first.source.columns.map(({ title }) => title)
  const yours = other.source.columns.map(({ title }) => title)
  for (let at = 0; at < Math.max(mine.length, yours.length); at++) {
    if (mine[at] === yours[at]) continue
    return `${other.file} has other columns than ${first.file}: column ${at + 1} is ${shownTitle(yours[at])}, not ${
      shownTitle(mine[at])
    }. Files of one source have the same columns in the same order: give the others a pipeline of their own, or export them alike.`
  }
  return first.source.format === other.source.format
    ? undefined
    : `${other.file} is ${other.source.format}, but ${first.file} is ${first.source.format}. Name the format that both have: \`source.format\`.`
}

/** The dialect of several files. An ASCII file has no encoding of its own, a file of one column no delimiter. */
const joinDialects = (first: SourceDialect, dialects: ReadonlyArray<SourceDialect>): SourceDialect => {
  const joined = (name: "encoding" | "delimiter" | "quotes") => {
    const values = new Set(dialects.flatMap((dialect) => dialect[name] ?? []))
    return values.size === 0 ? {} : { [name]: [...values].toSorted().join(" + ") }
  }
  return { ...first, ...joined("encoding"), ...joined("delimiter"), ...joined("quotes") }
}

/** The latest time; undefined where one is not known, for that may be later. */
const newestOf = (times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length < times.length ? undefined : Math.max(...known)
}

/**
 * Several files with the same columns as one source: rows are numbered on from file to file, and what is wrong with one names its file.
 * Fails when the columns differ.
 */
export const joinSources = (
  first: NamedSource,
  others: ReadonlyArray<NamedSource>,
): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    for (const other of others) {
      const message = difference(first, other)
      if (message !== undefined) return yield* new SourceError({ file: other.file, message })
    }
    const all = [first, ...others]
    const read: Source["read"] = (expected) =>
      Stream.suspend(() => {
        let before = 0
        let last = 0
        const inFile = ({ file }: NamedSource, chunk: RowChunk): RowChunk => {
          last = before + chunk.firstRow - 1 + chunk.rows.length
          const faults = [...chunk.faults].map(([at, problem]) =>
            [at, { ...problem, message: `In ${file}: ${problem.message}` }] as const
          )
          return { firstRow: before + chunk.firstRow, rows: chunk.rows, faults: new Map(faults) }
        }
        const one = (named: NamedSource, at: number) =>
          Stream.suspend(() => {
            before = last
            const fingerprint = expected?.[at]
            return Stream.map(
              named.source.read(fingerprint === undefined ? undefined : [fingerprint]),
              (chunk) => inFile(named, chunk),
            )
          })
        return Stream.concatAll(Chunk.fromIterable(all.map(one)))
      })
    return {
      ...first.source,
      dialect: joinDialects(first.source.dialect, all.map(({ source }) => source.dialect)),
      warnings: all.flatMap(({ source }) => source.warnings),
      read,
      changedAt: newestOf(all.map(({ source }) => source.changedAt)),
      digest: Effect.map(
        Effect.forEach(all, ({ source }) => source.digest ?? Effect.succeed([])),
        (digests) => digests.flat(),
      ),
      files: Effect.map(
        Effect.forEach(all, ({ source }) => source.files),
        (files) => files.every((one) => one.length > 0) ? files.flat() : [],
      ),
    }
  })
