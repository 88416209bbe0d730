// Starts a program of the tests outside vitest: node .ci/start.mjs test/faults/main.ts --seeds 2000.
import { bundled } from "./bundled.mjs"

const [entry, ...args] = process.argv.slice(2)
const { main } = await bundled(entry)
// Timers of simulated machines that were switched off would keep the process alive.
process.exit(await main(args))
