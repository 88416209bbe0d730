// The simulation of test/faults: node .ci/simulate.mjs --seeds 2000.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/faults/main.ts")
// What waits for ever on a machine that was switched off keeps timers.
process.exit(await main(process.argv.slice(2)))
