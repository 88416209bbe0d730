import { isList } from "../domain/json.ts"
import { oneText } from "./cells.ts"
import { compareText, different, equivalent, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { type OptionOptions, optionOptions, optionTable, optionTranslations, optionWords } from "./optionTable.ts"

/** An option of a question, found by value or label: first exactly, then ignoring case and spaces. A text that matches several options is an error. */
export const choice: Kind<OptionOptions> = {
  name: "choice",
  description: "One option of a question, by its value or label. Sent as the option's value",
  options: optionOptions,
  sends: "string",
  words: optionWords,
  translations: optionTranslations,
  types: ["MultipleChoice", "Dropdown"],
  compile: (options, context) => {
    const table = optionTable(options, context)
    return "read" in table ? oneText((text) => table.read(text)) : table
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    const [only] = isList(returned) && returned.length === 1 ? returned : []
    if (only === undefined) return compareText(sent, returned)
    return only !== null && compareText(sent, only).verdict !== "different" ? equivalent("a list of one") : different
  },
}
