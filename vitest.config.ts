import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**"],
    // All cores: much of a test is waiting for processes and for files.
    maxWorkers: "100%",
    minWorkers: 1,
    // Acceptance tests start the built command several times; slow machines need the room.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
})
