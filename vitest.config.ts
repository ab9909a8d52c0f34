import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const longMs = 300_000;
const cores = Math.max(2, availableParallelism());

/** The crawl of the console checks every page that exists, so records of other test files would make it slow. */
const crawl = "tests/acceptance/console-every-page.test.ts";

/** These files run alone. The callers of the first one would use the whole machine, and the second one would measure the work of other tests. */
const alone = ["tests/acceptance/abuse-fuzz.test.ts", "tests/acceptance/files-memory.test.ts"];

/**
 * Tests of tools that take minutes. The first file type-checks, checks and runs a platform of six services. The second one runs the steps of the release
 * workflows without publishing. The third one asks Nx which tasks a change of each kind affects.
 */
const longTools = [
  "tools/generators/tests/service.test.ts",
  ...["workflow-steps", "affected"].map((name) => `tools/checks/tests/${name}.test.ts`),
];

/**
 * Tests that kill or pause the processes of one service at every point of their work. By day, the ring `faults` kills each service of a whole platform once.
 */
const killed = [
  "apps/ads-svc/tests/killed-replica.test.ts",
  ...["schedules-paused-worker", "schedules-under-crashes", "subscriptions-under-crashes"].map(
    (name) => `apps/events-svc/tests/${name}.test.ts`,
  ),
  "apps/files-svc/tests/crash.test.ts",
  ...["bounces-flood", "paused-worker", "recovery"].map((name) => `apps/notify-svc/tests/${name}.test.ts`),
];

/** Tests of fairness and memory of one service under load for minutes. By day, `files-memory` uploads a file through the whole platform. */
const loaded = [
  ...["classification-fairness", "upload-memory"].map((name) => `apps/files-svc/tests/${name}.test.ts`),
  "apps/gateway/tests/redis-under-load.test.ts",
];

/** Tests of faults, of volume, of tools and of the local stack that take minutes each. A new test file runs by day unless it is listed here. */
const night = [
  ...["bulk", "health", "monitoring", "operators", "request-log", "status-history", "subscriptions"].map(
    (name) => `tests/acceptance/fault-${name}.test.ts`,
  ),
  "tests/acceptance/operators-day.test.ts",
  "tests/acceptance/console-scale.test.ts",
  "tests/acceptance/docs-site.test.ts",
  ...["backup", "demo-history", "given-stores", "operations", "used-store"].map(
    (name) => `tools/local/stack/tests/${name}.test.ts`,
  ),
  ...longTools,
  ...killed,
  ...loaded,
];
const faults = ["tests/acceptance/fault-*.test.ts", "tools/local/stack/tests/**/*.test.ts"];

/** Time limits of tests that use a store or a platform, in processes of their own. */
const withStores = { testTimeout: longMs, hookTimeout: longMs, pool: "forks" } as const;

/**
 * The rings of tests, by folder. Without isolation, the files of a worker share its modules, which would otherwise be loaded again for each file. Therefore
 * no test file replaces a module (`vi.mock`), and each undoes its changes to the process.
 */
export default defineConfig({
  test: {
    // The first line of a failure is what the summary of a run shows, so it must hold the values.
    chaiConfig: { truncateThreshold: 2_000 },
    projects: [
      {
        test: {
          name: "unit",
          include: ["{apps,libs,tools,tests,tools/local,tools/proofs}/*/src/**/*.test.ts", "proto/*.test.ts"],
          testTimeout: 60_000,
          isolate: false,
          // By default, vitest leaves one core unused.
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...withStores,
          name: "service",
          include: ["{apps,libs,tools,tools/local,tools/proofs}/*/tests/**/*.test.ts"],
          exclude: ["tools/local/stack/tests/**", ...night],
          isolate: false,
          // These files mostly wait for leases, sweeps and connections, so more of them run concurrently than there are cores.
          maxWorkers: 3 * cores,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...withStores,
          name: "crawl",
          include: [crawl],
          globalSetup: ["tests/acceptance/global-setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...withStores,
          name: "acceptance",
          include: ["tests/acceptance/**/*.test.ts"],
          exclude: [...faults, ...night, crawl, ...alone],
          globalSetup: ["tests/acceptance/global-setup.ts"],
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...withStores,
          name: "alone",
          include: alone,
          globalSetup: ["tests/acceptance/global-setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        // Each of these starts a platform of its own, because it kills or restarts parts of it.
        test: {
          ...withStores,
          name: "faults",
          include: faults,
          exclude: night,
          maxWorkers: 2,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // These files also start platforms of their own, one file after the other.
        test: {
          ...withStores,
          name: "night",
          include: night,
          maxWorkers: 1,
          sequence: { groupOrder: 6 },
        },
      },
    ],
  },
});
