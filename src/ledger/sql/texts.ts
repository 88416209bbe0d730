import { get, ofIds, type Sql, write } from "./statement.ts"

/** Stores each text only once, with a number, because a text may repeat up to a million times. */
export class Texts {
  private readonly ids = new Map<string, number>()
  private readonly texts = new Map<number, string>()
  private readonly lists = new Map<number, ReadonlyArray<string>>()
  /** Numbers whose texts a mapping needed before they were loaded. */
  private readonly missing = new Set<number>()

  /** Call this method after a rollback, because numbers assigned in the transaction are void. */
  forget(): void {
    this.ids.clear()
    this.texts.clear()
    this.lists.clear()
  }

  /** Returns the text's number. Adds the text if it is new, so call this method inside a transaction. */
  *idOf(text: string): Sql<number> {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    const find = () => get<readonly [number]>("SELECT id FROM text WHERE text = ?", [text])
    let found = yield* find()
    if (found === undefined) {
      // A different program of the same transaction may have added it meanwhile.
      yield* write("INSERT INTO text (text) VALUES (?) ON CONFLICT DO NOTHING", [text])
      found = yield* find()
    }
    const id = found?.[0] ?? 0
    this.ids.set(text, id)
    return id
  }

  /** Returns the texts' numbers by text, as `idOf` does. */
  *idsOf(texts: Iterable<string>): Sql<ReadonlyMap<string, number>> {
    for (const text of texts) if (!this.ids.has(text)) yield* this.idOf(text)
    return this.ids
  }

  /** Returns the number of a list of names. Adds the list if it is new, so call this method inside a transaction. */
  idOfList(names: ReadonlyArray<string>): Sql<number> {
    return this.idOf(JSON.stringify(names))
  }

  /** Returns what `map` returns. `map` may call `textOf` and `listOf`. If texts must be loaded first, `map` is called again. */
  *read<A>(map: () => A): Sql<A> {
    // Meanwhile, a different program may have been rolled back, so that all texts must be loaded again.
    for (;;) {
      this.missing.clear()
      const mapped = map()
      if (this.missing.size === 0) return mapped
      const missing = [...this.missing]
      const found = new Map(yield* ofIds<readonly [number, string]>("SELECT id, text FROM text", "id", missing))
      for (const id of missing) this.texts.set(id, found.get(id) ?? "")
    }
  }

  /** Returns the text that has this number, or an empty text if there is none. Call this method inside `read`. */
  textOf(id: number): string {
    const known = this.texts.get(id)
    if (known === undefined) this.missing.add(id)
    return known ?? ""
  }

  /** Returns the list that has this number, always as the same array. The list is empty if there is none. Call this method inside `read`. */
  listOf(id: number): ReadonlyArray<string> {
    const known = this.lists.get(id)
    if (known !== undefined) return known
    const text = this.textOf(id)
    if (text === "") return []
    const list = JSON.parse(text) as ReadonlyArray<string>
    this.lists.set(id, list)
    return list
  }
}
