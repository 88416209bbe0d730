import type { Json } from "../domain/json.ts"
import { compareJson, isList, isObject } from "./compared.ts"
import { kindOfType, kinds } from "./index.ts"
import type { Compared, Kind } from "./Kind.ts"
import { readIso } from "./wallClock.ts"

/** Whether a value says nothing: null, an empty text or list, or an object whose members all say nothing. */
export const saysNothing = (value: Json | undefined): boolean => {
  if (value === null || value === undefined || value === "") return true
  if (isList(value)) return value.length === 0
  return isObject(value) && Object.values(value).every(saysNothing)
}

/** The name of the kind that a sent value looks like; undefined: any JSON, compared strictly. */
const kindOfValue = (sent: Json): string | undefined => {
  if (typeof sent === "number") return "number"
  if (typeof sent === "boolean") return "boolean"
  if (typeof sent === "string") {
    const iso = readIso(sent)
    if (iso?.hasDate && iso.hasTime) return "dateTime"
    return iso === undefined ? "text" : iso.hasDate ? "date" : "time"
  }
  const isFile = (each: Json) => isObject(each) && "url" in each && "filename" in each
  return isList(sent) && sent.length > 0 && sent.every(isFile) ? "files" : undefined
}

/**
 * The kind that compares an answer: the mapping's; else the default of the question's type, where it is told; else what the sent value looks
 * like, for submissions whose row was sent under another mapping. Undefined: compare as any JSON (lists in order, for they may be a ranking).
 */
export const comparingKind = (kind: string | undefined, type: string | undefined, sent: Json): Kind | undefined => {
  const named = kind === undefined ? undefined : kinds.get(kind)
  const told = named ?? (type === undefined ? undefined : kindOfType(type))
  if (told !== undefined) return told
  const valued = kindOfValue(sent)
  return valued === undefined ? undefined : kinds.get(valued)
}

/** Compares a sent and a returned value, both there and not null, by the kind of that name; without one by what the value looks like. */
export const compareAnswer = (kind: string | undefined, sent: Json, returned: Json): Compared =>
  (comparingKind(kind, undefined, sent)?.compare ?? compareJson)(sent, returned)
