// Prints the last line of .ci/run, "N passed, N failed", from vitest's JSON results.
// A test file that could not be loaded has no tests, so it counts as one failed test.
import { existsSync, readFileSync } from "node:fs"

if (!existsSync(process.argv[2])) {
  console.log("The tests did not run.")
  process.exit(1)
}
const results = JSON.parse(readFileSync(process.argv[2], "utf8"))
const unloaded = results.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
const failed = results.numFailedTests + unloaded.length
console.log(`${results.numPassedTests} passed, ${failed} failed`)
process.exitCode = failed === 0 && results.numPassedTests > 0 ? 0 : 1
