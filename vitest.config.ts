import { setFlagsFromString } from "node:v8"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isLong } from "./test/long.ts"
import { optimiseLater } from "./test/optimiseLater.ts"

/** With larger spaces for new objects, V8 collects garbage less often. */
const flags = [...optimiseLater, "--min-semi-space-size=32"]

/** Tests that measure memory run in processes with the longer proofs, so these keep V8's default. */
const processFlags = isLong ? [...optimiseLater] : flags

// They apply to this process and its worker threads.
for (const flag of flags) setFlagsFromString(flag)

/**
 * Rooms whose tests run in processes. Most start the built command or other programs, or change the working directory or the environment. `browser`,
 * `histories` and `nights` could also run in threads: they are where the processes take about as long as the threads, so that neither waits for the
 * other at the end.
 */
const rooms = `acceptance|cli|faults|house|ledger|package${isLong ? "" : "|browser|histories|nights"}`

/** A test in the other rooms that needs a process, because it sets the time zone. */
const withProcess = ["test/source/excel.test.ts"]

/** Tests that measure their process: its memory, or its metrics. Other tests in the same process would change both. */
const measuring = ["test/memory/*.test.ts", "test/cli/telemetry.test.ts"]

/** Long tests of several hosts with limits in real time. CI runs them without other programs. */
const timed = ["test/acceptance/sharedRate.test.ts", "test/acceptance/scheduleHosts.test.ts"]

/** A long test of hosts that are often slow. CI runs it next to other programs. */
const fence = ["test/ledger/postgres/fence.test.ts"]

/** Small files with long tests. vitest starts with the largest files, so these would be the last, each with one core idle. */
const longest = /\/(?:chaos|documentation|drafts|killLoop|nights|package|simulation|undoLoop)\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const rank = ({ moduleId }: TestSpecification) => longest.test(moduleId) ? 0 : 1
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const shared = {
  // Acceptance tests start the built command several times; slow machines need the room.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  setupFiles: "test/ownMethods.ts",
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: "test/temporaryFolder.ts",
    // All cores for threads, and as many processes at the same time: those often wait for what they started. With different numbers, vitest ends early.
    maxWorkers: "100%",
    minWorkers: 1,
    // The files of a worker share its modules, because loading Effect again for each file takes most of the time of small files.
    poolOptions: { threads: { isolate: false }, forks: { isolate: false, execArgv: processFlags } },
    projects: [
      {
        test: {
          ...shared,
          name: "threads",
          include: [`test/!(bench|${rooms})/**/*.test.ts`],
          exclude: [...withProcess, ...measuring],
          pool: "threads",
        },
      },
      {
        test: {
          ...shared,
          name: "processes",
          include: [`test/@(${rooms})/**/*.test.ts`, ...withProcess],
          exclude: [...measuring, ...timed, ...fence],
        },
      },
      { test: { ...shared, name: "measuring", include: measuring } },
      { test: { ...shared, name: "hosts-timed", include: timed } },
      { test: { ...shared, name: "hosts-fence", include: fence } },
    ],
  },
})
