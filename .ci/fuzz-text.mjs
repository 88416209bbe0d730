// Runs the random CSV texts of test/source/drawn: node .ci/fuzz-text.mjs --seeds 5000.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/source/drawn/main.ts")
process.exit(await main(process.argv.slice(2)))
