// Suggests the mapping of a pair as `init` does, and compares it with the expected mapping.
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { surveySource } from "../../../src/jobs/suggestMapping.ts"
import { loose } from "../../../src/kinds/optionTable.ts"
import { ownColumns } from "../../../src/source/fixed.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { foreignChoices, unknownOf } from "../../../src/suggest/draft/draftChoices.ts"
import { settingsFor } from "../../../src/suggest/draft/settings.ts"
import { columnsOf, type Origin, type Suggestion } from "../../../src/suggest/Suggestion.ts"
import { config } from "../../source/opening.ts"
import { wrongTruths } from "./check.ts"
import { type Asked, namesIn, type Origins, type Pair } from "./drawPair.ts"

/** A question, and the columns suggested for it. */
export interface Judged {
  readonly pair: Pair
  readonly asked: Asked
  /** `open`: no suggestion, although a column answers the question. `left`: no suggestion, which is correct. */
  readonly outcome: "right" | "wrong" | "open" | "left"
  /** Whether a column answers the question. */
  readonly isWanted: boolean
  /** The titles of the suggested columns. */
  readonly made: string
  /** The titles of the expected columns. */
  readonly meant: string
  /** Why a question is open: where its expected columns are. */
  readonly cause: string
  /** The evidence, apart from titles, that the expected columns answer the question. */
  readonly evidence: string
}

/** A text in the file that means an option, and the option suggested for it. */
export interface JudgedText {
  readonly pair: Pair
  readonly text: string
  readonly outcome: "right" | "wrong" | "open"
  /** Whether the text needs a suggestion. */
  readonly isWanted: boolean
  /** Whether the text is a code without a meaning, such as a number. */
  readonly isOpaque: boolean
  readonly made: string
  readonly meant: string
}

const isIn = (origin: Origin, origins: ReadonlyArray<Origins>): boolean => {
  const positions = columnsOf(origin).map(({ position }) => position)
  return origins.some(({ allows, needs }) =>
    [...needs].every((one) => positions.includes(one)) && positions.every((one) => needs.has(one) || allows.has(one))
  )
}

/** Returns the options suggested for the texts in a suggestion's columns. */
const translationsOf = (suggestion: Suggestion): ReadonlyMap<string, string> => {
  return new Map(
    foreignChoices(suggestion, unknownOf(suggestion, settingsFor(suggestion)).counts).flatMap(
      ({ choice, likely, option }) => {
        const made = option ?? (likely !== undefined && likely.confidence >= 0.85 ? likely.option : undefined)
        return made === undefined ? [] : [[choice, made.value] as const]
      },
    ),
  )
}

/** Returns the texts in the file that differ from every option's name, with the options that they mean. */
const wantedTexts = (pair: Pair, { meanings, of, question }: Asked, origin: Origin): ReadonlyMap<string, string> => {
  if (of === undefined || question.options === undefined || question.options.length === 0) return new Map()
  const exact = new Set(question.options.flatMap(({ label, value }) => [loose(label), loose(value)]))
  const { field } = of
  const isNeeded = (text: string) => meanings.has(text) && !exact.has(loose(text))
  const used = new Set(field.answers.flatMap((answer) => {
    switch (answer?._tag) {
      case "Boolean":
        return [answer.yes ? pair.sheet.speech.yes : pair.sheet.speech.no]
      case "Options":
        return answer.options.flatMap((option) =>
          option === field.other && pair.sheet.speech.otherInCell
            ? []
            : origin._tag === "Block"
            ? namesIn(pair.sheet, field, option).slice(-1)
            : namesIn(pair.sheet, field, option).slice(0, 1)
        )
      case "Rows":
        return answer.rows.map((option) => pair.sheet.speech.option(field, option))
      default:
        return []
    }
  }))
  return new Map([...used].filter(isNeeded).map((text) => [text, meanings.get(text) ?? ""] as const))
}

/** Kinds whose cells can be recognised by their shape. */
const shaped = new Set<string>(["email", "phone", "date", "time"])

/** Returns the evidence, apart from titles, that shows which columns answer a question. */
const evidenceOf = ({ fields }: Pair, { kind, meanings, of, question }: Asked): string => {
  if (of === undefined) return "none"
  if (of.part._tag === "Row") return "a row of a grid"
  if (of.part._tag === "Other") return "the text of the Other option"
  if (meanings.size > 0 && question.options !== undefined) {
    const names = new Set(question.options.flatMap(({ label, value }) => [loose(label), loose(value)]))
    const same = [...meanings.keys()].filter((text) => names.has(loose(text))).length / meanings.size
    return same === 1
      ? "all options are the same"
      : same >= 0.5
      ? "at least half of the options are the same"
      : "options have different words or codes"
  }
  if (kind === "choice" || kind === "choices" || kind === "grid") return "no options in the form"
  if (!shaped.has(kind)) return `cells of the kind ${kind}`
  return fields.filter((field) => field.kind === kind).length === 1
    ? "the only column of its kind"
    : "several columns of its kind"
}

const isOpaque = (text: string): boolean => text.replaceAll(/[^\p{L}]/gu, "").length < 3

const titles = (origin: Origin) => columnsOf(origin).map(({ title }) => title.trim()).join(" + ")

/** Reads a pair's file and evaluates the suggestions for it. Fails if the file doesn't confirm the expected mapping. */
export const judge = (pair: Pair) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const wrong = wrongTruths(pair)
    if (wrong.length > 0) return yield* Effect.dieMessage(`seed ${pair.seed}: ${wrong[0]}`)
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "formferry-pair-" })
    const path = `${folder}/${pair.file.name}`
    yield* fs.writeFile(path, pair.file.bytes)
    const source = yield* openSource(config(path))
    const survey = yield* surveySource(source, pair.form, ownColumns(source.columns))
    if (survey.rows !== pair.responses || source.columns.length !== pair.sheet.columns.length) {
      return yield* Effect.dieMessage(
        `seed ${pair.seed}: the reader finds ${survey.rows} rows in ${source.columns.length} columns`,
      )
    }
    const suggested = new Map(survey.suggestions.questions.map((one) => [one.question.id, one]))
    const meantBy = ({ origins }: Asked) =>
      [...origins[0]?.needs ?? []].map((position) => source.columns[position]?.title.trim() ?? "").join(" + ")

    const causeOf = ({ origins, question }: Asked): string => {
      const why = suggested.get(question.id)
      const taken = survey.suggestions.questions.find(({ accepted }) =>
        accepted !== undefined
        && columnsOf(accepted.origin).some(({ position }) => origins.some(({ needs }) => needs.has(position)))
      )
      if (taken !== undefined) return "the column is suggested for a different question"
      const at = why?.candidates.findIndex(({ origin }) => isIn(origin, origins)) ?? -1
      const best = why?.candidates[0]?.confidence ?? 0
      return at === 0
        ? `first candidate, ${best >= 0.5 ? "0.5 to 0.8" : "below 0.5"}`
        : at > 0
        ? "a different candidate is likelier"
        : "no candidate"
    }

    const judged = pair.asked.map((asked): Judged => {
      const made = suggested.get(asked.question.id)?.accepted
      const isAnswered = asked.origins.length > 0
      const outcome = made === undefined
        ? (isAnswered ? "open" : "left")
        : isIn(made.origin, asked.origins)
        ? "right"
        : "wrong"
      return {
        pair,
        asked,
        outcome,
        isWanted: isAnswered,
        made: made === undefined ? "" : titles(made.origin),
        meant: meantBy(asked),
        cause: outcome === "open" ? causeOf(asked) : "",
        evidence: evidenceOf(pair, asked),
      }
    })

    const texts = judged.flatMap(({ asked, outcome }): ReadonlyArray<JudgedText> => {
      const suggestion = suggested.get(asked.question.id)?.accepted
      if (suggestion === undefined || outcome !== "right") return []
      const made = translationsOf(suggestion)
      const labelOf = (value: string | undefined) =>
        asked.question.options?.find((option) => option.value === value)?.label ?? ""
      const wanted = wantedTexts(pair, asked, suggestion.origin)
      return [...new Set([...made.keys(), ...wanted.keys()])].map((text) => ({
        pair,
        text,
        outcome: !made.has(text)
          ? "open"
          : made.get(text) === (wanted.get(text) ?? asked.meanings.get(text))
          ? "right"
          : "wrong",
        isWanted: wanted.has(text),
        isOpaque: isOpaque(text),
        made: labelOf(made.get(text)),
        meant: labelOf(wanted.get(text)),
      }))
    })
    return { judged, texts, tool: source.tool?.name }
  }).pipe(Effect.scoped)
