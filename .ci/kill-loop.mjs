// Kills the built command repeatedly: node .ci/kill-loop.mjs --runs 100 --rows 2000.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/faults/killLoopMain.ts")
process.exit(await main(process.argv.slice(2)))
