// Runs the histories of test/histories: node .ci/histories.mjs --seeds 500.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/histories/main.ts")
// Timers of simulated machines that were switched off would keep the process alive.
process.exit(await main(process.argv.slice(2)))
