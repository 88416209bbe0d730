// The histories of test/histories: node .ci/histories.mjs --seeds 500.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/histories/main.ts")
// Machines that were switched off keep timers.
process.exit(await main(process.argv.slice(2)))
