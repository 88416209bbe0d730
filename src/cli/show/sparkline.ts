const bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const

/** Values as bars from nothing to the highest of them, in their order; what is not known is a gap. */
export const sparkline = (values: ReadonlyArray<number | undefined>): string => {
  const highest = Math.max(0, ...values.flatMap((value) => value ?? []))
  return values.map((value) => {
    if (value === undefined) return " "
    if (highest === 0 || value <= 0) return bars[0]
    // Only nothing is the lowest bar.
    return bars[Math.max(1, Math.round((value / highest) * (bars.length - 1)))] ?? bars[0]
  }).join("")
}
