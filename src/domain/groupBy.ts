/** Groups values by their keys, in the order in which each key first occurs. Node 20 has no Map.groupBy. */
export const groupBy = <A, K>(values: Iterable<A>, keyOf: (value: A) => K): Map<K, [A, ...Array<A>]> => {
  const groups = new Map<K, [A, ...Array<A>]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
