// Measures the suggestions for the generated pairs of test/suggest/generated: node .ci/pairs.mjs --seeds 50 --topics fresh.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/suggest/generated/main.ts")
process.exit(await main(process.argv.slice(2)))
