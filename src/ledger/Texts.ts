import type { Database } from "./database.ts"

/** Texts that repeat a million times are stored once and named by number. */
export class Texts {
  private readonly db: Database
  private readonly ids = new Map<string, number>()
  private readonly texts = new Map<number, string>()

  constructor(db: Database) {
    this.db = db
  }

  /** The text's number; adds it, so only inside a transaction. */
  idOf(text: string): number {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    const found = this.db.get<readonly [number]>("SELECT id FROM text WHERE text = ?", [text])?.[0]
    const id = found ?? this.db.run("INSERT INTO text (text) VALUES (?)", [text]).id
    this.ids.set(text, id)
    return id
  }

  /** The text of a number; undefined when there is none. */
  textOf(id: number): string | undefined {
    const known = this.texts.get(id)
    if (known !== undefined) return known
    const text = this.db.get<readonly [string]>("SELECT text FROM text WHERE id = ?", [id])?.[0]
    if (text !== undefined) this.texts.set(id, text)
    return text
  }

  /** After a rollback: numbers given in it are void. */
  forget(): void {
    this.ids.clear()
    this.texts.clear()
  }
}
