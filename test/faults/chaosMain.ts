import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { withTemporaryFolder } from "../temporaryFolder.ts"
import { chaos, type ChaosFigures } from "./chaos.ts"

/** Describes what happened, on one line. */
export const inWords = ({ broken, exits, faults, inDoubt, runs, takeovers }: ChaosFigures): string => {
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of).map(([name, count]) => `${name} ${count}`).join(", ")
  const seconds = (share: number) => ((takeovers[Math.floor(share * (takeovers.length - 1))] ?? 0) / 1_000).toFixed(1)
  return `runs ${runs} (exit codes: ${counts(exits)}), faults: ${counts(faults)}, takeovers ${takeovers.length} after ${
    seconds(0)
  } to ${seconds(1)} s (median ${seconds(0.5)} s), rows in doubt ${inDoubt}, broken ${broken.length}`
}

/**
 * Runs `npm run chaos -- --minutes 10 [--pipelines 20] [--rows 60] [--seconds 90] [--seed N] [--namespaces] [--main dist/main.js]`. Exits with code 1
 * if a promise was broken, or if a kind of fault never occurred. With `--namespaces`, which needs Linux and root, frozen networks lose packets.
 */
export const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string" },
      pipelines: { type: "string" },
      rows: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      namespaces: { type: "boolean" },
      main: { type: "string" },
    },
  })
  const until = Date.now() + Number(values.minutes ?? 10) * 60_000
  let isBroken = false
  const happened: Record<string, number> = {}
  await withTemporaryFolder(async () => {
    for (let seed = Number(values.seed ?? 1); Date.now() < until; seed++) {
      const figures = await chaos({
        main: resolve(values.main ?? "dist/main.js"),
        seed,
        pipelines: Number(values.pipelines ?? 20),
        rows: Number(values.rows ?? 60),
        seconds: Number(values.seconds ?? 90),
        hasNamespaces: values.namespaces,
        tell: (line) => void process.stderr.write(`${line}\n`),
      })
      process.stdout.write(`seed ${seed}: ${inWords(figures)}\n`)
      isBroken ||= figures.broken.length > 0
      for (const [fault, count] of Object.entries(figures.faults)) happened[fault] = (happened[fault] ?? 0) + count
    }
  })
  const missing = Object.entries(happened).filter(([, count]) => count === 0).map(([fault]) => fault)
  if (missing.length > 0) process.stderr.write(`These faults never occurred: ${missing.join(", ")}\n`)
  return isBroken || missing.length > 0 ? 1 : 0
}
