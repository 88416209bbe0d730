// Runs the simulation of test/faults: node .ci/simulate.mjs --seeds 2000.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/faults/main.ts")
// Timers of simulated machines that were switched off would keep the process alive.
process.exit(await main(process.argv.slice(2)))
