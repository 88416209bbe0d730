import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { parsedJson } from "../domain/json.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { LedgerError } from "./errors.ts"
import { sync } from "./fileSystem.ts"
import { type Holder, ownedName, removeLeft } from "./holder.ts"
import type { MarkPlaces } from "./Ledger.ts"
import {
  type DamagedMark,
  type HolderMark,
  holderName,
  type Mark,
  type MarkedHolder,
  type Marks,
  type SharedLedger,
} from "./marks.ts"

/** Returns the marks in folders. Those of a ledger in a file are written synchronously. */
export const marksIn = (places: MarkPlaces, shared?: SharedLedger): Marks => ({
  ledger: places.ledger,
  shared,
  read: readMarks(places),
  of: (holder, me) => new MarkWriter(places, holder, me, shared?.server),
})

/** Size of a mark's file in bytes. It is smaller than a sector, so that a power cut leaves either the old number or the new one. */
const length = 256

const textOf = (mark: Mark): string => `${JSON.stringify(mark).padEnd(length - 1)}\n`

const draftPrefix = "draft-"

/** Makes what was written durable. Heartbeats continue meanwhile, because a shared folder may be slow. */
const flushed = promisify(fdatasync)

const unwritable = (folder: string, cause: unknown): Error =>
  new Error(`its mark in ${folder} can't be written: ${reasonOf(cause)}`, { cause })

/** Writes one holder's mark into each folder, and makes it durable. */
export class MarkWriter implements HolderMark {
  private readonly places: MarkPlaces
  private readonly holder: MarkedHolder
  private readonly me: Holder
  private readonly server: SharedLedger["server"] | undefined
  private readonly opened = new Map<string, { readonly handle: number; readonly ino: bigint }>()

  /**
   * @param me the process that writes. Its id is part of the names of its drafts, so that the next holder removes those of a killed process
   * @param server returns the ledger's server, if several hosts share the ledger
   */
  constructor(places: MarkPlaces, holder: MarkedHolder, me: Holder, server?: SharedLedger["server"]) {
    this.places = places
    this.server = server
    this.holder = holder
    this.me = me
  }

  /**
   * Writes the number into every folder. Returns once it is on the disk, or fulfils its promise then if several hosts share the ledger. Throws if it
   * can't be written. The next number may be written before that.
   */
  write(upTo: number): Promise<void> | undefined {
    if (!this.places.write) return undefined
    const text = textOf({ ...this.holder, upTo, server: this.server?.() })
    const { folders } = this.places
    if (this.server !== undefined) {
      return Promise.all(folders.map(async (folder) => {
        try {
          const handle = this.writeIn(folder, text)
          if (handle !== undefined) await flushed(handle)
        } catch (cause) {
          throw unwritable(folder, cause)
        }
      })).then(() => undefined)
    }
    for (const folder of folders) {
      try {
        const handle = this.writeIn(folder, text)
        if (handle !== undefined) fdatasyncSync(handle)
      } catch (cause) {
        throw unwritable(folder, cause)
      }
    }
    return undefined
  }

  close(): void {
    for (const { handle } of this.opened.values()) closeSync(handle)
    this.opened.clear()
  }

  /** Returns the file if what was written is not on the disk yet. */
  private writeIn(folder: string, text: string): number | undefined {
    const { epoch, word } = this.holder
    const path = join(folder, `${holderName(this.holder)}${extension}`)
    const before = this.opened.get(folder)
    if (before !== undefined) {
      // A deleted file could still be written to, but no later run would find it.
      if (statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === before.ino) {
        writeSync(before.handle, text, 0)
        return before.handle
      }
      this.opened.delete(folder)
      closeSync(before.handle)
    }
    makeFolder(folder)
    removeLeft(folder, draftPrefix, this.me)
    const draft = join(folder, `${ownedName(draftPrefix, this.me)}.${epoch}-${word}`)
    const handle = openSync(draft, "w", 0o600)
    try {
      writeSync(handle, text, 0)
      fsyncSync(handle)
      renameSync(draft, path)
      sync(folder)
      this.opened.set(folder, { handle, ino: statSync(path, { bigint: true }).ino })
      return undefined
    } catch (cause) {
      closeSync(handle)
      throw cause
    }
  }
}

const extension = ".mark"

/** In milliseconds. Longer than the unit of a file system's times, so that changes with such a pause between them have different times. */
const timeUnit = 3_000

/** Returns when a folder was last changed, in nanoseconds. Undefined if that can't be read. */
const changeOf = (folder: string): bigint | undefined => {
  try {
    return statSync(folder, { bigint: true }).mtimeNs
  } catch {
    return undefined
  }
}

/**
 * Returns a function that lists the holders that have a mark in a folder, by the names of their marks. Doesn't read the marks. Returns the same list
 * until the folder changes.
 */
export const holdersIn = (folder: string): () => Promise<ReadonlyArray<string>> => {
  let changed = changeOf(folder)
  let seenSince = 0
  let isTimed = false
  let kept: ReadonlyArray<string> | undefined
  return async () => {
    const now = changeOf(folder)
    if (now !== changed) {
      // Some network file systems report no such time, or always the same one.
      isTimed ||= changed !== undefined
      changed = now
      seenSince = performance.now()
      kept = undefined
    }
    if (kept !== undefined) return kept
    const isSettled = isTimed && performance.now() - seenSince > timeUnit
    const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") {
        throw new Error(`the marks in ${folder} can't be read: ${reasonOf(cause)}`, { cause })
      }
      return []
    })
    const found = names.flatMap((name) => name.endsWith(extension) ? [name.slice(0, -extension.length)] : [])
    if (isSettled && now === changed) kept = found
    return found
  }
}

/** Creates a folder with its parents, and makes them durable. */
const makeFolder = (folder: string): void => {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) sync(dirname(made))
}

/** Reads every mark, one for each holder. If a holder's files differ, the highest number counts, because a crash can occur between the two writes. */
export const readMarks = (
  { folders, ledger }: MarkPlaces,
): Effect.Effect<ReadonlyArray<Mark | DamagedMark>, LedgerError> =>
  Effect.try({
    try: () => marksOf(folders),
    catch: (cause) => new LedgerError({ file: ledger, doing: "reading its marks", cause }),
  })

const marksOf = (folders: ReadonlyArray<string>): ReadonlyArray<Mark | DamagedMark> => {
  const marks = new Map<string, Mark | DamagedMark>()
  for (const folder of folders) {
    if (!existsSync(folder)) continue
    if (!statSync(folder).isDirectory()) {
      throw new Error(
        `${folder} must be a folder, but is a file. Delete or rename this file, and run the command again`,
      )
    }
    for (const name of readdirSync(folder)) {
      if (!name.endsWith(extension)) continue
      const path = join(folder, name)
      const mark = parse(readFileSync(path, "utf8"))
      if (mark === undefined) {
        marks.set(path, { damaged: path })
        continue
      }
      const key = `${mark.ledger} ${mark.epoch} ${mark.word}`
      const other = marks.get(key)
      if (other === undefined || !("upTo" in other) || other.upTo < mark.upTo) marks.set(key, mark)
    }
  }
  return [...marks.values()]
}

const decode = Schema.decodeUnknownOption(Schema.Struct({
  ledger: Schema.String,
  epoch: Schema.Int,
  word: Schema.String,
  upTo: Schema.Int,
  server: Schema.optional(Schema.Struct({ system: Schema.String, timeline: Schema.Int, position: Schema.String })),
}))

const parse = (text: string): Mark | undefined => Option.getOrUndefined(decode(parsedJson(text)))
