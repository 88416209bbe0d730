import type { Json } from "../../domain/json.ts"

/** Returns a path in JSON as a pointer (RFC 6901), such as `/data/items`, or "the top" for the whole. */
export const pointerOf = (place: ReadonlyArray<string>): string =>
  place.length === 0 ? "the top" : place.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Returns the path that a pointer names. */
export const placeOf = (pointer: string): ReadonlyArray<string> =>
  pointer === "" ? [] : pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Returns the value at a JSON pointer, or undefined. */
export const valueAt = (value: Json, pointer: string): Json | undefined => {
  let found: Json | undefined = value
  for (const key of placeOf(pointer)) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<string, Json>>)[key]
  }
  return found
}
