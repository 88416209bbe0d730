import file from "./vocabulary.json" with { type: "json" }

/** A value of the file, where `|` separates the members of a list. */
type Listed<A> = A extends string ? ReadonlyArray<string>
  : A extends number | ReadonlyArray<unknown> ? A
  : { readonly [K in keyof A]: Listed<A[K]> }

const listed = (value: unknown): unknown =>
  typeof value === "string"
    ? value.split("|")
    : typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, listed(each)]))

/** What suggestions know of words. `about` in the file says what each list contains. */
export const vocabulary = listed(file) as Listed<typeof file>
