import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { asciiOf, isDamaged, looseKey } from "../domain/looseKey.ts"
import type { Cells } from "../domain/row.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { Digester, PipelineLedger } from "../ledger/Ledger.ts"
import type { SeenRows, UnseenRow } from "../ledger/pages.ts"
import { type KeyOf, numberedKeys, restDigest } from "./content.ts"
import { KeyTable, RowHash } from "./KeyTable.ts"
import { earlierKeys } from "./rowIdentity.ts"
import type { RunLedger, RunPlan } from "./RunContext.ts"

/** How a row of the ledger resembles a new row. `key`: by its key, ignoring formatting or damaged characters. `encoding`: by its key, ignoring characters that differ between encodings. `answers`: by its answers. */
type ResemblanceKind = "key" | "encoding" | "answers"

/** A row of the ledger that is not in the source, and the new row that resembles it. */
export interface Resemblance {
  /** The row's number in the ledger. 0 for a key that a person skipped, without a row that may be at the destination. */
  readonly id: number
  /** The row's key in the ledger. */
  readonly key: string
  /** The earlier key that resembles the new one: `key`, or that of a rejected row that the ledger's row replaced. */
  readonly old: string
  /** The number of the new row. */
  readonly row: number
  /** Identifies the keys of all new rows that resemble the row of the ledger. */
  readonly newKeys: string
  readonly by: ResemblanceKind
  /** Whether several new rows resemble the row of the ledger. */
  readonly ambiguous: boolean
}

/**
 * How many of the ledger's rows are not in the source (`all`), and how many of them resemble a new row. `answers`
 * counts the new rows instead.
 */
type MissingRows = Readonly<Record<"all" | ResemblanceKind, number>>

interface NewKey {
  readonly row: number
  readonly key: string
}

/** Finds new rows that may be forgotten rows whose key was reformatted. */
class ForgottenKeys {
  private readonly digests: Set<string>
  private readonly digest: Digester["key"]
  private readonly rows = new Map<string, NewKey>()

  /** @param digests keyed digests of the forgotten keys without their formatting (`Facts.forgotten`) */
  constructor(digests: ReadonlyArray<string>, digest: Digester["key"]) {
    this.digests = new Set(digests)
    this.digest = digest
  }

  get found(): ReadonlyArray<NewKey> {
    return [...new Map([...this.rows.values()].map((one) => [one.row, one])).values()]
  }

  add(row: number, key: string): void {
    for (const name of this.namesOf(key, "sought")) if (this.digests.has(name)) this.rows.set(name, { row, key })
  }

  skip(key: string): void {
    for (const name of this.namesOf(key, "stored")) {
      this.digests.delete(name)
      this.rows.delete(name)
    }
  }

  private namesOf(key: string, which: "sought" | "stored"): ReadonlyArray<string> {
    return this.digests.size === 0 ? [] : looseKey(key)[which].map((text) => this.digest(text).toString("hex"))
  }
}

interface Found {
  readonly by: ResemblanceKind
  readonly table: KeyTable
  readonly slot: number
}

/** Makes a function that names the digests of rows' answers, which it gets in order. Rows with the same name are found once, because rows with different keys may have the same answers. */
const unnumbered = () => (rest: Buffer): string => rest.toString("hex")

/** With keys from content, each of several identical rows is found. */
const numbered: typeof unnumbered = numberedKeys<Buffer>((rest) => rest, () => false)

/** What new rows are compared with. */
interface Comparison {
  /** Functions that digest the answers that identify a row whose key changed, one for each list of answers in the ledger. */
  readonly digests: ReadonlyArray<ReturnType<typeof restDigest>>
  readonly mapping: Pick<RunPlan["mapping"], "map">
  /** Whether the source is read in a different encoding than before. */
  readonly inEncodings: boolean
  readonly forgotten: ForgottenKeys
  /** Make the keys that rows of the ledger have by earlier rules. */
  readonly earlier: ReadonlyArray<KeyOf>
  readonly isByContent: boolean
}

/** Finds new rows that may be known rows whose key changed. Uses about 80 bytes per row. */
export class NewRows {
  private readonly keys = new KeyTable()
  private readonly rests = new KeyTable()
  /** Keys of skipped rows that are in the source. */
  private readonly skipped = new Set<string>()
  private readonly hash = new RowHash()
  /** The hash of the present row's key as it is. */
  private readonly exact = new RowHash()
  private readonly comparison: Comparison
  private readonly naming: typeof unnumbered
  private readonly nameOf: ReturnType<typeof unnumbered>
  private rows = 0
  private known = 0

  constructor(comparison: Comparison) {
    this.comparison = comparison
    this.naming = comparison.isByContent ? numbered : unnumbered
    this.nameOf = this.naming()
  }

  get size(): number {
    return this.rows
  }

  /** The number of rows that no earlier run has sent. */
  get neverSent(): number {
    return this.rows - this.known
  }

  /** The new rows whose keys equal that of a forgotten row that the source lacks, except for formatting. */
  get likeForgotten(): ReadonlyArray<NewKey> {
    return this.comparison.forgotten.found
  }

  /** Takes the key of a row that is skipped permanently. */
  skip(key: string): void {
    this.skipped.add(key)
    this.comparison.forgotten.skip(key)
  }

  /**
   * Takes a row that is sent like a new one. If it is invalid, only its key is compared.
   *
   * @param isKnown whether an earlier run sent a row with its key
   */
  add(row: number, key: string, cells: Cells, isKnown = false): void {
    this.rows++
    if (isKnown) this.known++
    this.exact.key(key)
    const { digests, earlier, isByContent, mapping } = this.comparison
    // Keys from content can't be reformatted.
    if (!isByContent) this.addKey(row, key)
    for (const keyOf of earlier) this.addKey(row, keyOf(cells))
    const mapped = digests.length === 0 ? undefined : mapping.map(cells)
    if (mapped === undefined || !("item" in mapped)) return
    for (const digest of digests) {
      const rest = digest(mapped.item)
      if (rest === undefined) continue
      this.hash.key(this.nameOf(rest))
      this.put(this.rests, row)
    }
  }

  private addKey(row: number, key: string | undefined): void {
    if (key === undefined) return
    this.comparison.forgotten.add(row, key)
    for (const text of looseKey(key).stored) {
      this.hash.key(text)
      this.put(this.keys, row)
    }
    const ascii = asciiOf(key)
    if (ascii !== undefined) {
      this.hash.key(this.mayBeDamaged(key) ? `~${ascii}` : `?${ascii}`)
      this.put(this.keys, row)
    }
  }

  /**
   * Compares the new rows with the ledger's rows that may be at the destination, or that a person skipped, and that are not in the source.
   *
   * @param seen one byte for each row of the ledger, not 0 if the source has the row
   * @param each is called with every pair
   */
  compare(
    view: PipelineLedger,
    seen: SeenRows,
    each: (pair: Resemblance) => void,
  ): Effect.Effect<MissingRows, LedgerError> {
    const paired = new Uint8Array(this.rests.size)
    const nameOf = this.naming()
    const found = { all: 0, key: 0, encoding: 0, answers: 0 }
    const compared = (rows: ReadonlyArray<UnseenRow>) =>
      Effect.sync(() => {
        for (const { at: id, key, originals, rest } of rows) {
          const byKey = [key, ...originals].flatMap((old) => {
            const match = this.findKey(old)
            return match === undefined ? [] : [{ ...match, old }]
          })
          const byAnswers = byKey.length > 0 ? undefined : this.findAnswers(rest, nameOf)
          const all = byAnswers === undefined ? byKey : [{ ...byAnswers, old: key }]
          const [first] = all
          if (first === undefined) continue
          const isPaired = first.by === "answers" && paired[first.slot] === 1
          if (first.by === "answers") paired[first.slot] = 1
          if (!isPaired) found[first.by]++
          for (const { by, old, slot, table } of all) {
            each({
              id,
              key,
              old,
              row: table.number(slot),
              newKeys: table.content(slot),
              by,
              ambiguous: table.isMarked(slot) || isPaired,
            })
          }
        }
      })
    const unseen = Stream.runForEach(view.pages("unseen", { seen }), (rows) => {
      found.all += rows.length
      return compared(rows)
    })
    const skipped = Effect.flatMap(view.skippedKeys, (keys) =>
      compared(
        keys.filter((key) => !this.skipped.has(key)).map((key) => ({ at: 0, key, rest: "", originals: [] })),
      ))
    return Effect.as(Effect.zipRight(unseen, skipped), found)
  }

  private mayBeDamaged(key: string): boolean {
    return this.comparison.inEncodings || isDamaged(key)
  }

  private put(table: KeyTable, row: number): void {
    const slot = table.find(this.hash)
    this.hash.d = this.exact.a
    this.hash.e = this.exact.b
    if (slot < 0) table.add(this.hash, row)
    else if (table.number(slot) !== row) {
      table.mark(slot)
      table.addContent(slot, this.hash)
    }
  }

  /** Finds the new row whose key resembles this key of the ledger. */
  private findKey(old: string): Found | undefined {
    const { hash, keys } = this
    if (keys.size === 0) return undefined
    for (const text of looseKey(old).sought) {
      hash.key(text)
      const slot = keys.find(hash)
      if (slot >= 0) return { by: "key", table: keys, slot }
    }
    const ascii = asciiOf(old)
    // At least one of two keys must be damaged.
    for (const sign of ascii === undefined ? [] : this.mayBeDamaged(old) ? "~?" : "~") {
      hash.key(`${sign}${ascii}`)
      const slot = keys.find(hash)
      if (slot >= 0) return { by: this.comparison.inEncodings ? "encoding" : "key", table: keys, slot }
    }
    return undefined
  }

  /** Finds the new row with this digest of its answers. */
  private findAnswers(rest: string, nameOf: ReturnType<typeof unnumbered>): Found | undefined {
    const { hash, rests } = this
    if (rest === "" || rests.size === 0) return undefined
    hash.key(nameOf(Buffer.from(rest, "hex")))
    const slot = rests.find(hash)
    return slot < 0 ? undefined : { by: "answers", table: rests, slot }
  }
}

/** Makes the `NewRows` of a survey. Compares answers only if the run looks for vanished rows, or if keys are made from content. */
export const newRows = (
  plan: Pick<
    RunPlan,
    "isFixed" | "isPartial" | "keyColumns" | "mapping" | "ownSource" | "pipeline" | "columns" | "source"
  >,
  { ledger, view }: Pick<RunLedger["Type"], "ledger" | "view">,
): Effect.Effect<NewRows, LedgerError> =>
  Effect.map(view.facts, ({ forgotten, identity }) => {
    const { isFixed, isPartial, mapping, ownSource, pipeline, source } = plan
    const isByContent = mapping.keyed === "content"
    // A key of several columns resembles no key of one.
    const earlier = (identity?.keys ?? []).flatMap((rule) => {
      const found = rule.columns === "content" ? undefined : earlierKeys(plan, ledger.digest, rule, undefined)
      return typeof found === "object" ? [found.keys()] : []
    })
    // With keys from content, answers to all questions are equal. But a fixed row may equal an imported one that is still in the source.
    const isMissed = isByContent ? !isFixed : ownSource && !isPartial && pipeline.source.vanished !== "ignore"
    const encoding = (identity?.dialect as { readonly encoding?: string } | null | undefined)?.encoding
    const now = source.dialect.encoding
    return new NewRows({
      digests: isMissed ? (identity?.rests ?? []).map((ids) => restDigest(ids, ledger.digest)) : [],
      mapping,
      inEncodings: ownSource && encoding !== undefined && now !== undefined && now !== encoding,
      forgotten: new ForgottenKeys(forgotten, ledger.digest.key),
      earlier,
      isByContent,
    })
  })
