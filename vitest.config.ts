import { defineConfig } from "vitest/config"

/** Rooms of plain functions and files: their tests share the modules of a thread, since loading Effect anew for each took most of their time. */
const plain = ["domain", "kinds", "mapping", "project", "source"].map((room) => `test/${room}/**/*.test.ts`)

/** Tests that measure the memory of their process, or set its time zone (which a thread can't), have one to themselves. */
const alone = ["containers", "excel", "json"].map((name) => `test/source/${name}.test.ts`)

const shared = {
  // Acceptance tests start the built command several times; slow machines need the room.
  testTimeout: 90_000,
  hookTimeout: 90_000,
}

export default defineConfig({
  test: {
    globalSetup: "test/temporaryFolder.ts",
    // All cores: much of a test is waiting for processes and for files.
    maxWorkers: "100%",
    minWorkers: 1,
    poolOptions: { threads: { isolate: false }, forks: { isolate: false } },
    projects: [
      {
        test: {
          ...shared,
          name: "plain",
          include: plain,
          exclude: alone,
          pool: "threads",
          setupFiles: "test/ownMethods.ts",
        },
      },
      {
        test: {
          ...shared,
          name: "runs",
          include: ["test/!(bench|domain|kinds|mapping|project|source)/**/*.test.ts"],
          setupFiles: "test/ownMethods.ts",
        },
      },
      ...alone.map((file) => ({
        test: {
          ...shared,
          name: file,
          include: [file],
        },
      })),
    ],
  },
})
