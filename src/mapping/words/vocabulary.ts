import { listed } from "./listed.ts"
import file from "./vocabulary.json" with { type: "json" }

/** What suggestions know of the words in titles and options. `about` in the file says what each list contains. */
export const vocabulary = listed(file)
