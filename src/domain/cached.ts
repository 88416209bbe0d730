/** Returns a function that caches its results, and forgets all of them after 20,000. */
export const cached = <A, B>(compute: (one: A) => B): (one: A) => B => {
  const known = new Map<A, B>()
  return (one) => {
    if (known.has(one)) return known.get(one) as B
    const result = compute(one)
    if (known.size >= 20_000) known.clear()
    known.set(one, result)
    return result
  }
}
