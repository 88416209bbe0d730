/** A value of a vocabulary file, where `|` separates the members of a list. */
export type Listed<A> = A extends string ? ReadonlyArray<string>
  : A extends number | ReadonlyArray<unknown> ? A
  : { readonly [K in keyof A]: Listed<A[K]> }

/** Splits the lists of a vocabulary file. */
const split = (value: unknown): unknown =>
  typeof value === "string"
    ? value.split("|")
    : typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, split(each)]))

/** Returns the contents of a vocabulary file, with its lists as arrays. */
export const listed = <A>(file: A): Listed<A> => split(file) as Listed<A>
