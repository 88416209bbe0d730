import type { Simulated } from "./simulate.ts"

/** Adds up the results of many seeds, as `npm run simulate` prints them. */
export const figures = (seeds: ReadonlyArray<Simulated>, seconds: number): string => {
  const sum = (of: (one: Simulated) => number) => seeds.reduce((all, one) => all + of(one), 0)
  const met = new Map<string, number>()
  for (const one of seeds) for (const [what, times] of one.met) met.set(what, (met.get(what) ?? 0) + times)
  const broken = seeds.filter(({ violations }) => violations.length > 0)
  const width = Math.max(16, ...[...met.keys()].map((what) => what.length))
  const line = (what: string, figure: number) => `${what.padEnd(width)}  ${String(figure).padStart(9)}`
  return [
    line("seeds", seeds.length),
    line("processes", sum((one) => one.processes)),
    line("requests", sum((one) => one.requests)),
    line("  lists", sum((one) => one.lists)),
    line("  with telemetry", sum((one) => one.spans)),
    line("undone runs", sum((one) => one.undone)),
    line("  deleted", sum((one) => one.deleted)),
    line("submissions", sum((one) => one.submissions)),
    line("rows in doubt", sum((one) => one.inDoubt)),
    line("  left to a person", sum((one) => one.unsettled)),
    `faults injected: ${sum((one) => [...one.met.values()].reduce((a, b) => a + b, 0))}`,
    ...[...met].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => line(`  ${what}`, times)),
    ...broken.flatMap(({ seed, violations }) => [
      `seed ${seed} is broken: npm run simulate -- --seed ${seed}`,
      ...violations.slice(0, 5).map(({ promise, what }) => `  ${promise}: ${what}`),
    ]),
    `violations: ${sum((one) => one.violations.length)} (${seconds.toFixed(1)} s)`,
  ].join("\n")
}
