import { FileSystem, Path } from "@effect/platform"
import { Effect, Schema, Stream } from "effect"
import { resolve } from "node:path"
import { parse } from "yaml"
import { FormFile, toForm } from "../../../src/practice/files.ts"
import { profiler } from "../../../src/profile/ColumnProfile.ts"
import { openSource } from "../../../src/source/openSource.ts"
import type { Source } from "../../../src/source/Source.ts"
import { suggest } from "../../../src/suggest/suggest.ts"
import type { Origin, Suggestions } from "../../../src/suggest/Suggestion.ts"

const Origin = Schema.Union(
  Schema.String,
  Schema.Struct({ block: Schema.String }),
  Schema.Struct({ columns: Schema.Array(Schema.String) }),
)

/** A source, a form, and the mapping that a person would write. */
const Pair = Schema.Struct({
  about: Schema.String,
  heldOut: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  source: Schema.Union(
    Schema.Struct({ name: Schema.String, csv: Schema.String }),
    Schema.Struct({
      file: Schema.String,
      sheet: Schema.optional(Schema.String),
      headerRow: Schema.optional(Schema.Number),
    }),
  ),
  form: Schema.optional(FormFile),
  formFile: Schema.optional(Schema.String),
  expected: Schema.Record({ key: Schema.String, value: Origin }),
  own: Schema.Struct({
    submissionTime: Schema.optional(Schema.String),
    lastUpdatedAt: Schema.optional(Schema.String),
    login: Schema.optional(Schema.String),
    rowKey: Schema.optional(Schema.Array(Schema.String)),
    urlParameters: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  }),
  /** Questions that must be left open. */
  open: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  /** Questions that may get this suggestion or none. */
  either: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
})

const tidy = (text: string) => text.trim().replaceAll(/\s+/g, " ")

const told = (origin: typeof Origin.Type): string =>
  typeof origin === "string"
    ? tidy(origin)
    : "block" in origin
    ? `block ${tidy(origin.block)}`
    : origin.columns.map(tidy).join(" + ")

const suggested = (origin: Origin): string => {
  switch (origin._tag) {
    case "Column":
      return tidy(origin.column.title)
    case "Block":
      return `block ${tidy(origin.title)}`
    case "Joined":
      return origin.columns.map(({ column }) => tidy(column.title)).join(" + ")
  }
}

/** Returns the suggestions as a list of targets with their origins. */
const listOf = (suggestions: Suggestions): ReadonlyMap<string, string> =>
  new Map([
    ...suggestions.questions.flatMap(({ accepted, question }) =>
      accepted === undefined ? [] : [[question.id, suggested(accepted.origin)] as const]
    ),
    ...suggestions.urlParameters.map(({ element, from }) => [`url ${element.id}`, tidy(from.column.title)] as const),
    ...(["submissionTime", "lastUpdatedAt", "login"] as const).flatMap((place) => {
      const own = suggestions[place]
      return own === undefined ? [] : [[place, tidy(own.column.title)] as const]
    }),
    ...(suggestions.rowKey.names.length === 0 ? [] : [["rowKey", suggestions.rowKey.names.join(" + ")] as const]),
  ])

/** Returns all rows of a source in the form that suggestions use. */
const profilesOf = (source: Source) =>
  Effect.gen(function*() {
    const profiles = profiler(source.columns)
    const clean = source.tool?.clean
    yield* Stream.runForEach(source.read(), (chunk) =>
      Effect.sync(() => {
        for (const cells of chunk.rows) profiles.addRow(clean === undefined ? cells : clean(cells))
      }))
    return profiles.profiles()
  })

/** A suggestion, which was expected or made. */
export interface Judged {
  readonly place: string
  readonly wanted: string | undefined
  readonly made: string | undefined
  readonly right: boolean
}

const root = resolve(import.meta.dirname, "../../..")

/** Reads a pair, suggests its mapping, and evaluates every suggestion. */
export const judge = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const read = (name: string) => Effect.map(fs.readFileString(name), (text): unknown => parse(text))
    const pair = yield* Schema.decodeUnknown(Pair)(yield* read(file), { onExcessProperty: "error" })
    const form = pair.formFile === undefined
      ? pair.form
      : yield* Schema.decodeUnknown(FormFile)(yield* read(path.join(root, pair.formFile)))
    if (form === undefined) return yield* Effect.dieMessage(`${file} has no form`)
    const folder = yield* fs.makeTempDirectoryScoped()
    const csv = "csv" in pair.source ? path.join(folder, pair.source.name) : undefined
    if (csv !== undefined && "csv" in pair.source) yield* fs.writeFileString(csv, pair.source.csv)
    const source = yield* openSource({
      file: csv ?? path.join(root, "file" in pair.source ? pair.source.file : ""),
      format: undefined,
      encoding: undefined,
      delimiter: undefined,
      headerRow: "file" in pair.source ? pair.source.headerRow : undefined,
      sheet: "file" in pair.source ? pair.source.sheet : undefined,
      range: undefined,
      rowKey: undefined,
      empty: [],
      raggedRows: "reject",
      vanished: "report",
      columns: [],
      where: [],
    })
    const { blocks, tool } = source
    const suggestions = yield* suggest({ form: toForm(form), columns: yield* profilesOf(source), blocks, tool })
    const made = listOf(suggestions)
    const { urlParameters, rowKey, ...own } = pair.own
    const wanted = new Map([
      ...Object.entries(pair.expected).map(([id, origin]) => [id, told(origin)] as const),
      ...Object.entries(own).flatMap(([place, column]) => column === undefined ? [] : [[place, tidy(column)] as const]),
      ...Object.entries(urlParameters ?? {}).map(([id, column]) => [`url ${id}`, tidy(column)] as const),
      ...(rowKey === undefined ? [] : [["rowKey", rowKey.join(" + ")] as const]),
    ])
    const places = new Set([...wanted.keys(), ...made.keys()])
    const isEither = (place: string) => {
      const either = pair.either[place]
      return either !== undefined && tidy(either) === made.get(place)
    }
    const judged = [...places].filter((place) => !isEither(place)).map((place): Judged => ({
      place,
      wanted: wanted.get(place),
      made: made.get(place),
      right: wanted.get(place) === made.get(place),
    }))
    return { pair, judged, suggestions, wrongOpen: pair.open.filter((id) => made.has(id)) }
  })
