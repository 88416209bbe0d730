import { expect, it } from "vitest"
import { compileTopics } from "../../../.ci/words/compileTopics.ts"

it.each([
  ["a phrase has 13 words", { long: "one | a b c d e f g h i j k l m" }, /"a b c .* m" has more than 12 words/],
  [
    "a word is so rare that its weight exceeds a byte",
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`concept ${at}`, `word${at.toString(36)}`])),
    /A weight of 9\.9\d+ does not fit into a byte/,
  ],
])("topics are not compiled if %s", (_, lists, message) => {
  expect(() => compileTopics(lists)).toThrow(message)
})
