// Disturbs hosts that share a ledger in PostgreSQL: node .ci/chaos.mjs --minutes 10.
import { bundled } from "./bundled.mjs"

const { main } = await bundled("test/faults/chaosMain.ts")
process.exit(await main(process.argv.slice(2)))
