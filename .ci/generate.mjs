// Writes the files that are generated from code. With --check, only compares them.
import { writeFileSync } from "node:fs"
import { bundled } from "./bundled.mjs"

const { differing } = await bundled("test/house/generated.ts")
const files = differing(".")
if (process.argv.includes("--check")) {
  if (files.length > 0) {
    const names = files.map(({ file }) => file).join(", ")
    console.error(`${names}: not as generated. Run npm run generate and commit what changes.`)
    process.exitCode = 1
  }
} else {
  for (const { file, text } of files) {
    writeFileSync(file, text)
    console.log(`written: ${file}`)
  }
}
