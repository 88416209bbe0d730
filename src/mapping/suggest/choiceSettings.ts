import type { Question } from "../../domain/form.ts"
import type { DraftKey } from "../../project/PipelineDraft.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import { settled } from "./columnSettings.ts"
import type { Settings } from "./columnSettings.ts"
import { optionNames } from "./optionNames.ts"
import { likelySeparator, splitFit } from "./separators.ts"
import { saysNo, saysYes } from "./ticks.ts"

const usualTicks = new Set(["true", "yes", "y", "1", "x", "on", "false", "no", "n", "0", "off"])

export const booleanSettings = ({ distinct }: ColumnProfile): Settings => {
  const texts = [...distinct.keys()]
  if (texts.every((text) => usualTicks.has(text.trim().toLowerCase()))) return settled("boolean")
  const [yes, no] = [texts.filter(saysYes), texts.filter(saysNo)]
  if (texts.length > 12 || yes.length + no.length !== texts.length) {
    return {
      kind: "boolean",
      keys: [{ key: "true", value: yes.length > 0 ? yes : texts.slice(0, 1) }, {
        key: "false",
        value: no.length > 0 ? no : texts.slice(1, 2),
      }],
      open: `it is not plain which of these mean true: ${texts.slice(0, 6).join(", ")}. Say it, then take the # away.`,
    }
  }
  return settled(
    "boolean",
    ...(yes.length === 0 ? [] : [{ key: "true", value: yes }]),
    ...(no.length === 0 ? [] : [{ key: "false", value: no }]),
  )
}

const separatorKeys = (separator: string | undefined): ReadonlyArray<DraftKey> =>
  separator === undefined
    ? []
    : [{ key: "split", value: separator === "\n" || separator === " " ? separator : separator.trim() }]

export const choiceSettings = (
  kind: "choice" | "choices" | "ranking",
  profile: ColumnProfile,
  question: Question,
): Settings => {
  const { distinct, more } = profile
  const told = question.options
  if (told !== undefined && told.length > 0) {
    return settled(kind, ...(kind === "choice" ? [] : separatorKeys(splitFit(distinct, optionNames(told)).separator)))
  }
  const separator = kind === "choice" ? undefined : likelySeparator(distinct)
  const names = [
    ...new Set([...distinct.keys()].flatMap((text) => separator === undefined ? [text] : text.split(separator))),
  ]
    .map((name) => name.trim()).filter((name) => name !== "")
  if (more || names.length === 0 || names.length > 40) {
    return kind === "choice"
      ? settled(kind, { key: "otherwise", value: "keep", note: "the form does not tell its options" })
      : {
        kind,
        keys: [{ key: "options", value: names.slice(0, 5) }],
        open: "the form does not tell the options. List them, then take the # away.",
      }
  }
  return settled(
    kind,
    ...separatorKeys(separator),
    { key: "options", value: names, note: "as the source has them: the form does not tell its options" },
  )
}
