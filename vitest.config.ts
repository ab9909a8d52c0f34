import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const longMs = 300_000;
/** The callers of the first would keep the machine from everyone else; what the second measures would be what others do. */
const alone = ["tests/acceptance/abuse-fuzz.test.ts", "tests/acceptance/files-memory.test.ts"];

/** Searches among many records, on its own platform. */
const operatorsDay = "tests/acceptance/operators-day.test.ts";

/** The rings of tests, by folder. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{apps,libs,tools,tests}/*/src/**/*.test.ts", "proto/*.test.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "service",
          include: ["{apps,libs,tools}/*/tests/**/*.test.ts"],
          exclude: ["tools/stack/tests/**"],
          testTimeout: longMs,
          hookTimeout: longMs,
          pool: "forks",
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "acceptance",
          include: ["tests/acceptance/**/*.test.ts"],
          exclude: ["tests/acceptance/fault-*.test.ts", operatorsDay, ...alone],
          globalSetup: ["tests/acceptance/global-setup.ts"],
          testTimeout: longMs,
          hookTimeout: longMs,
          pool: "forks",
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "alone",
          include: alone,
          globalSetup: ["tests/acceptance/global-setup.ts"],
          testTimeout: longMs,
          hookTimeout: longMs,
          pool: "forks",
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Each of these starts a platform of its own, because it kills or restarts parts of it; they run one after another.
        test: {
          name: "faults",
          include: ["tests/acceptance/fault-*.test.ts", operatorsDay, "tools/stack/tests/**/*.test.ts"],
          testTimeout: longMs,
          hookTimeout: longMs,
          pool: "forks",
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
