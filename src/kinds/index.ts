import { address } from "./address.ts"
import { boolean } from "./boolean.ts"
import { choice } from "./choice.ts"
import { choices } from "./choices.ts"
import { date } from "./date.ts"
import { dateRange } from "./dateRange.ts"
import { dateTime } from "./dateTime.ts"
import { email } from "./email.ts"
import { files } from "./files.ts"
import { json } from "./json.ts"
import type { Kind } from "./Kind.ts"
import { location } from "./location.ts"
import { matrix } from "./matrix.ts"
import { number } from "./number.ts"
import { phone } from "./phone.ts"
import { ranking } from "./ranking.ts"
import { text } from "./text.ts"
import { time } from "./time.ts"
import { url } from "./url.ts"

const all: ReadonlyArray<Kind> = [
  text,
  number,
  boolean,
  date,
  time,
  dateTime,
  dateRange,
  email,
  phone,
  url,
  choice,
  choices,
  ranking,
  matrix,
  address,
  location,
  files,
  json,
]

/** All kinds of value, by name. To add a kind, add a file, a line here, and a test. */
export const kinds: ReadonlyMap<string, Kind> = new Map(all.map((kind) => [kind.name, kind]))

/** Returns the kind with this name. Undefined if there is none. */
export const kindNamed = (name: string | undefined): Kind | undefined => kinds.get(name ?? "")

export const kindNames: ReadonlyArray<string> = all.map((kind) => kind.name)

const byType = new Map<string | undefined, Kind>(all.flatMap((kind) => kind.types.map((type) => [type, kind] as const)))

/** Returns the default kind for a type of question. Undefined if the type has none, or is not known. */
export const kindOfType = (type: string | undefined): Kind | undefined => byType.get(type)
