// Is loaded into the watched process (node --expose-gc --import). Collects garbage and writes the memory in use as a line of JSON, repeatedly.
import { appendFileSync } from "node:fs"
import process from "node:process"

const { SOAK_FILE, SOAK_EVERY } = process.env
if (SOAK_FILE !== undefined) {
  const look = () => {
    globalThis.gc?.()
    const { arrayBuffers, external, heapUsed, rss } = process.memoryUsage()
    appendFileSync(SOAK_FILE, `${JSON.stringify({ heapUsed, external, arrayBuffers, rss })}\n`)
  }
  setInterval(look, Number(SOAK_EVERY ?? 10_000)).unref()
}
