/**
 * Returns every place of a JSON value that is neither an object nor a list, such as `problems[].examples[].row`. Freely
 * named members are `*`.
 */
export const places = (value: unknown, at = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((each) => places(each, `${at}[]`))
  if (typeof value !== "object" || value === null) return [at]
  return Object.entries(value).flatMap(([name, each]) =>
    places(each, at === "questions[].verdicts" ? `${at}.*` : at === "" ? name : `${at}.${name}`)
  )
}
