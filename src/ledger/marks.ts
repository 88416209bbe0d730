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
import { acceptCommand } from "../domain/acceptance.ts"
import { reasonOf } from "../domain/words.ts"
import { syncFolder } from "./disk.ts"
import { type Holder, ownedName, removeLeft } from "./holder.ts"
import { type Asker, type Behind, LedgerError, LedgerRefused, type MarkPlaces } from "./Ledger.ts"

/** Returns the folder of marks next to a ledger. */
export const marksFolder = (ledger: string): string => `${ledger}.marks`

/** Identifies one holder of a lock in one ledger. */
export interface MarkedHolder {
  /** The ledger's id. */
  readonly ledger: string
  readonly epoch: number
  /** A random text that is also in the ledger. If two copies of a ledger are continued, they share the epoch but not the word. */
  readonly word: string
}

/** The server of a ledger in PostgreSQL at the time of a commit. */
export interface MarkedServer {
  /** The identifier of the server's files. Copies of the files have the same one. */
  readonly system: string
  /** Rises when a copy is promoted to be the server. */
  readonly timeline: number
  /** The position in the server's log (LSN). */
  readonly position: string
}

/** Records how many times a holder has committed. A ledger with fewer commits of this holder is not the newest copy. */
export interface Mark extends MarkedHolder {
  readonly upTo: number
  readonly server?: MarkedServer | undefined
}

/** A file among the marks that is not a valid mark. */
export interface DamagedMark {
  readonly damaged: string
}

/** The marks of an open ledger, wherever they are. */
export interface Marks extends Pick<MarkPlaces, "ledger"> {
  readonly shared: SharedLedger | undefined
  /** Reads every mark, one for each holder. */
  readonly read: Effect.Effect<ReadonlyArray<Mark | DamagedMark>, LedgerError>
  /** @param me the process that writes */
  readonly of: (holder: MarkedHolder, me: Holder) => HolderMark
}

/** What is known about a ledger that several hosts share. */
export interface SharedLedger {
  /** What messages call the place of the marks. Every host must use the same place. Undefined for a rehearsal, which leaves no marks. */
  readonly place: string | undefined
  /** Returns the holders that have a mark in that place, by the names of their marks. */
  readonly holders: () => Promise<ReadonlyArray<string>>
  /** Returns the ledger's server after the last commit. Undefined if the user has no permission to know it. */
  readonly server: () => MarkedServer | undefined
}

/** One holder's mark. */
export interface HolderMark {
  /**
   * Writes how many times the holder has committed. Returns, or fulfils its promise, once that is durable. Throws if it can't be written. If several
   * hosts share the ledger, then calls `mustBeOnly`.
   */
  readonly write: (upTo: number) => Promise<void> | undefined
  /** Fails if a different copy of the ledger is in use, because a holder that this ledger doesn't have has made a mark since the first `write`. */
  readonly mustBeOnly?: () => Promise<void>
  readonly close: () => void
}

/** Returns the marks in folders. Those of a ledger in a file are written at once, without a promise. */
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
      syncFolder(folder)
      this.opened.set(folder, { handle, ino: statSync(path, { bigint: true }).ino })
      return undefined
    } catch (cause) {
      closeSync(handle)
      throw cause
    }
  }
}

const extension = ".mark"

/** Names a holder, as the names of marks do. */
export const holderName = ({ epoch, ledger, word }: MarkedHolder): string => `${ledger}-${epoch}-${word}`

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
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made))
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

const parse = (text: string): Mark | undefined => {
  try {
    return Option.getOrUndefined(decode(JSON.parse(text)))
  } catch {
    return undefined
  }
}

const stateOf = (mark: Mark | DamagedMark): string =>
  "damaged" in mark ? `damaged ${mark.damaged}` : `${mark.ledger} ${mark.epoch} ${mark.word} ${mark.upTo}`

/** The marks, and what was read before them. */
export interface Marked {
  readonly marks: ReadonlyArray<Mark | DamagedMark>
  /**
   * The newest holder of a shared ledger that had committed something before the marks were read, but has no mark in the place that hosts share. It
   * wrote its mark before its first commit, so this is not the place that every host uses. A mark among this host's reports does not replace it,
   * because the marks of other hosts may be missing, too.
   */
  readonly unmarked: MarkedHolder | undefined
}

/**
 * Returns what a ledger lacks, or undefined if it has everything that its marks record. Read the marks before the transaction that calls this
 * function. A commit precedes its mark, so a ledger that is being written is never behind.
 *
 * @param ledger.before ids of the ledgers whose rows this one took over, with their holders
 * @param held each epoch's word, and how many of its commits the ledger has
 */
export const behind = (
  ledger: {
    readonly id: string
    readonly before: ReadonlyArray<string>
    readonly marks: Pick<Marks, "ledger" | "shared">
  },
  { marks, unmarked }: Marked,
  held: ReadonlyMap<number, { readonly word: string; readonly upTo: number }>,
): Behind | undefined => {
  const { before, id, marks: { ledger: name, shared } } = ledger
  const unmet = marks.flatMap((mark): ReadonlyArray<{ readonly mark: typeof mark; readonly wrong: string }> => {
    if ("damaged" in mark) return [{ mark, wrong: `The mark ${mark.damaged} of the ledger ${name} is damaged` }]
    if (mark.ledger !== id && !before.includes(mark.ledger)) {
      return [{ mark, wrong: `The ledger ${name} is not the one that earlier runs wrote${orOtherProject(shared)}` }]
    }
    const had = held.get(mark.epoch)
    if (had?.word !== mark.word) {
      return [{
        mark,
        wrong: `The ledger ${name} is an older copy: it lacks everything that was written after the copy was made`,
      }]
    }
    return had.upTo >= mark.upTo ? [] : [{
      mark,
      wrong: `The ledger ${name} lacks ${
        mark.upTo - had.upTo
      } of ${mark.upTo} commits of the run that wrote it: the last writes were lost or damaged, or it is an older copy`,
    }]
  })
  const [first] = unmet
  if (first !== undefined) {
    const moved = movedServer(ledger, marks)
    return {
      wrong: moved === undefined ? first.wrong : `${first.wrong}. ${moved}`,
      advice: shared === undefined ? adviceForFile : adviceForServer,
      states: unmet.map(({ mark }) => stateOf(mark)),
    }
  }
  return unmarked === undefined || shared?.place === undefined ? undefined : {
    wrong: `A run that wrote to the ledger ${name} has no mark in ${shared.place}`,
    advice: "So this host does not use the place to which other hosts write their marks, or the mark was lost. "
      + "If the ledger lost rows, no run here would notice it. Nothing was sent. "
      + "Correct `ledger.marks`, so that every host uses the same place. If only the mark was lost, the ledger itself may be complete.",
    states: [`unmarked ${id} ${unmarked.epoch} ${unmarked.word}`],
  }
}

/** Returns what marks of a different ledger may also mean, if several projects can use their place. */
const orOtherProject = (shared: Pick<SharedLedger, "place"> | undefined): string =>
  shared?.place === undefined
    ? ""
    : `, or another project also uses the place of its marks, ${shared.place}: each project needs a place of its own`

/**
 * Returns a sentence without its full stop if the ledger's server is not the one that the newest mark names. Undefined if it is, or if that is
 * unknown.
 */
export const movedServer = (
  { id, marks: { shared } }: { readonly id: string; readonly marks: Pick<Marks, "shared"> },
  marks: Marked["marks"],
): string | undefined => {
  const now = shared?.server()
  const then = marks
    .flatMap((mark) => "upTo" in mark && mark.ledger === id && mark.server !== undefined ? [mark] : [])
    .reduce<Mark | undefined>((last, mark) => last === undefined || last.epoch < mark.epoch ? mark : last, undefined)
    ?.server
  if (now === undefined || then === undefined) return undefined
  if (now.system === then.system && now.timeline === then.timeline) return undefined
  const inWords = ({ position, system, timeline }: MarkedServer) =>
    `${system}, timeline ${timeline}, position ${position}`
  return `Its server was replaced, or is a copy that was promoted: the newest mark names the server ${
    inWords(then)
  }, and this one is ${inWords(now)}`
}

const adviceForFile =
  "Rows that were already imported would be imported again. Nothing was sent. Restore the newest ledger, with its .key file and every other file whose name begins with the ledger's name. If it is lost, docs/maintain.md says how to continue without it."

const adviceForServer =
  "Rows that were already imported would be imported again. Nothing was sent. Connect to the server that has the newest ledger, or restore the newest backup of it. If it is lost, docs/maintain.md says how to continue without it."

/** Returns what is wrong if the ledger is missing. Undefined if no mark shows that there was one. */
export const missing = (
  { ledger, read, shared }: Pick<Marks, "ledger" | "read"> & {
    readonly shared: Pick<SharedLedger, "place"> | undefined
  },
): Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError> =>
  Effect.map(
    read,
    ([mark]) =>
      mark && {
        wrong: `The ledger ${ledger} is missing or empty, but an earlier run wrote to it${orOtherProject(shared)}`,
        advice: shared === undefined ? adviceForFile : adviceForServer,
      },
  )

/** Returns the refusal for a ledger that is not the newest copy. `asker` is undefined if no pipeline is involved. */
export const notNewest = ({ advice, wrong }: Omit<Behind, "states">, asker: Asker | undefined): LedgerRefused => {
  const command = acceptCommand(asker?.pipeline ?? "NAME", "ledger", asker?.target)
  return new LedgerRefused({
    message: `${wrong}. ${advice} If no row can be imported twice, accept this state: ${command}${
      asker === undefined ? ", for each pipeline NAME" : ""
    }.`,
  })
}
