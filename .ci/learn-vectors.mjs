// Learns the vectors of words from the phrases of topics.json and vocabulary.json, in about 20 minutes, and writes src/suggest/words/vectors.bin.
import { writeFileSync } from "node:fs"
import { bundled } from "./bundled.mjs"

const { learnVectors } = await bundled(".ci/words/learnVectors.ts")
const report = (step, loss) => console.log(`step ${step}: loss ${loss.toFixed(3)}`)
writeFileSync("src/suggest/words/vectors.bin", learnVectors(report))
