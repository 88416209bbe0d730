import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { withTemporaryFolder } from "../temporaryFolder.ts"
import { killLoop } from "./killLoop.ts"
import { undoLoop } from "./undoLoop.ts"

/**
 * Runs `npm run kill-loop -- --runs 100 --rows 2000 [--seed N] [--main dist/main.js] [--list]`. Exits with code 1 if a
 * row is lost or doubled. With `--undo KILLS`, kills one `undo` this many times instead, and exits with code 1 if it did not
 * leave exactly the submissions of other runs.
 */
export const main = (args: ReadonlyArray<string>): Promise<number> => withTemporaryFolder(() => kill(args))

const kill = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: "string" },
      rows: { type: "string" },
      seed: { type: "string" },
      main: { type: "string" },
      undo: { type: "string" },
      list: { type: "boolean" },
    },
  })
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(0)
  const options = {
    main: resolve(values.main ?? "dist/main.js"),
    rows: Number(values.rows ?? 2_000),
    seed: Number(values.seed ?? 1),
    tell: (line: string) => void process.stderr.write(`${line}\n`),
  }
  if (values.undo !== undefined) {
    const { broken, deleted, kills } = await undoLoop({ ...options, kills: Number(values.undo) })
    process.stdout.write(
      `submissions deleted ${deleted}, kills ${kills}, broken ${broken.length} (${seconds()} s)\n`,
    )
    return broken.length === 0 ? 0 : 1
  }
  const figures = await killLoop({ ...options, runs: Number(values.runs ?? 100), list: values.list ?? false })
  process.stdout.write(
    `runs ${figures.runs}, kills ${figures.kills}, runs that left rows in doubt ${figures.doubts}, rows in doubt ${figures.inDoubt} `
      + `(landed ${figures.landed}, not landed ${figures.notLanded}), broken ${figures.broken.length} (${seconds()} s)\n`,
  )
  return figures.broken.length === 0 ? 0 : 1
}
