import { type Cell, JsonCell } from "../domain/cell.ts"
import { objectIn, oneCell, textOf } from "./cells.ts"
import { compareMembers } from "./compared.ts"
import { Fault, type Kind, missingParts } from "./Kind.ts"
import { number } from "./number.ts"

const names = ["latitude", "longitude"] as const

const notAPlace = new Fault("not-a-number", "a latitude and a longitude, such as 52.52 13.405")

const place = (
  latitude: Cell | undefined,
  longitude: Cell | undefined,
  [latitudeAt, longitudeAt]: readonly [number, number],
) => {
  if (typeof latitude !== "number") return new Fault("not-a-number", "a latitude as well as a longitude", latitudeAt)
  if (typeof longitude !== "number") return new Fault("not-a-number", "a longitude as well as a latitude", longitudeAt)
  if (Math.abs(latitude) > 90) return new Fault("out-of-range", "a latitude from -90 to 90", latitudeAt)
  if (Math.abs(longitude) > 180) return new Fault("out-of-range", "a longitude from -180 to 180", longitudeAt)
  return { latitude, longitude }
}

/** Matches two decimals separated by a comma, a semicolon or a space. After a space, tools may add altitude and accuracy, which are not sent. */
const pair =
  /^([-+]?\d+(?:\.\d+)?)°?(?:\s*[,;]\s*([-+]?\d+(?:\.\d+)?)°?|\s+([-+]?\d+(?:\.\d+)?)°?((?:\s+[-+]?\d+(?:\.\d+)?){0,2}))$/

/** A point on the earth, in degrees. */
export const location: Kind = {
  name: "location",
  description:
    "A point on the earth in degrees: latitude and longitude in one cell, or the parts latitude and longitude. Sent as an object { latitude, longitude }",
  options: {},
  sends: "object",
  parts: { latitude: "number", longitude: "number" },
  types: ["LocationCoordinates"],
  compile: (_options, { input, note }) => {
    if (input._tag === "Parts") {
      const missing = missingParts(input.parts, names)
      if (missing.length > 0) return missing
      const at = [input.parts.indexOf("latitude"), input.parts.indexOf("longitude")] as const
      return (cells) => {
        const [latitude, longitude] = [cells[at[0]] ?? null, cells[at[1]] ?? null]
        return latitude === null && longitude === null ? undefined : place(latitude, longitude, at)
      }
    }
    return oneCell((cell) => {
      if (cell instanceof JsonCell) {
        const { latitude, longitude } = objectIn(cell, names, note) ?? {}
        return typeof latitude === "number" && typeof longitude === "number"
          ? place(latitude, longitude, [0, 0])
          : notAPlace
      }
      const text = textOf(cell)
      const found = text.length <= 100 ? pair.exec(text) : null
      // Whole numbers may be degrees and minutes.
      if (found === null || (found[4] && /^[-+\d\s]+$/.test(text))) return notAPlace
      if (found[4]) note?.("part")
      return place(Number(found[1]), Number(found[2] ?? found[3]), [0, 0])
    })
  },
  compare: (sent, returned) => compareMembers(sent, returned, number.compare),
}
