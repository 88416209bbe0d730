import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**"],
    globalSetup: "test/temporaryFolder.ts",
    // All cores: much of a test is waiting for processes and for files.
    maxWorkers: "100%",
    // The files of a worker share the modules: loading Effect anew for each took more than half of the time. A test that changes something of the process puts it back.
    isolate: false,
    minWorkers: 1,
    // Acceptance tests start the built command several times; slow machines need the room.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
})
