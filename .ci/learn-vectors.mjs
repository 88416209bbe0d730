// Learns the vectors of words from the phrases of topics.json and vocabulary.json, in a quarter of an hour, and writes src/mapping/words/vectors.bin.
import { writeFileSync } from "node:fs"
import { bundled } from "./bundled.mjs"

const { learnVectors } = await bundled("src/mapping/words/learnVectors.ts")
const tell = (step, loss) => console.log(`step ${step}: loss ${loss.toFixed(3)}`)
writeFileSync("src/mapping/words/vectors.bin", learnVectors(tell))
