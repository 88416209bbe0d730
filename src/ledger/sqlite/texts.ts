import type { Database } from "./database.ts"

/** Stores each text only once, with a number, because a text may repeat up to a million times. */
export class Texts {
  private readonly db: Database
  private readonly ids = new Map<string, number>()
  private readonly texts = new Map<number, string>()
  private readonly lists = new Map<number, ReadonlyArray<string>>()

  constructor(db: Database) {
    this.db = db
  }

  /** Returns the text's number. Adds the text if it is new, so call this method inside a transaction. */
  idOf(text: string): number {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    const found = this.db.get<readonly [number]>("SELECT id FROM text WHERE text = ?", [text])?.[0]
    const id = found ?? this.db.run("INSERT INTO text (text) VALUES (?)", [text]).id
    this.ids.set(text, id)
    return id
  }

  /** Returns the text that has this number, or undefined if there is none. */
  textOf(id: number): string | undefined {
    const known = this.texts.get(id)
    if (known !== undefined) return known
    const text = this.db.get<readonly [string]>("SELECT text FROM text WHERE id = ?", [id])?.[0]
    if (text !== undefined) this.texts.set(id, text)
    return text
  }

  /** Returns the number of a list of names. Adds the list if it is new, so call this method inside a transaction. */
  idOfList(names: ReadonlyArray<string>): number {
    return this.idOf(JSON.stringify(names))
  }

  /** Returns the list that has this number, always as the same array. The list is empty if there is none. */
  listOf(id: number): ReadonlyArray<string> {
    const known = this.lists.get(id)
    if (known !== undefined) return known
    const list = JSON.parse(this.textOf(id) ?? "[]") as ReadonlyArray<string>
    this.lists.set(id, list)
    return list
  }

  /** Call this method after a rollback, because numbers assigned in the transaction are void. */
  forget(): void {
    this.ids.clear()
    this.texts.clear()
    this.lists.clear()
  }
}
