/** Returns the first index from `low` to `high` that no longer meets a condition, which all indexes before it meet. Returns `high` if all meet it. */
export const firstIndex = (low: number, high: number, isBefore: (index: number) => boolean): number => {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}
