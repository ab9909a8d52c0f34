import { present, type Version, versionsOf } from "./checkout/version.ts";
import type { LoadSample } from "./load/sample.ts";
import type { BenchOptions } from "./options.ts";
import { type Platform, startPlatform } from "./platform.ts";
import { type CpuTimes, watchCpu } from "./process-tree.ts";
import { startGenerator } from "./processes.ts";
import type { Bench, Contender, Measured } from "./row.ts";

/** Length of a warm-up. A shorter one would measure code that is still being compiled. */
const warmUpMs = 5_000;

/** Creates the services that rows use to measure. `endRow` stops everything that a row has left running, and `stop` stops everything. */
export function createBench(options: BenchOptions): Bench & { endRow(): Promise<void>; stop(): Promise<void> } {
  let generator = startGenerator();
  const ends: (() => Promise<void>)[] = [];
  const platforms = new Map<Version, Promise<Platform>>();
  const platform = (version: Version = present): Promise<Platform> => {
    let started = platforms.get(version);
    if (started === undefined) {
      console.log(`    starting the platform of ${version.root}`);
      started = startPlatform(version);
      platforms.set(version, started);
    }
    return started;
  };
  const stopPlatforms = async (): Promise<void> => {
    for (const started of platforms.values()) await started.then((one) => one.stop()).catch(() => {});
    platforms.clear();
  };
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
    await generator.stop();
  };
  return {
    options,
    versions: versionsOf(options.before),
    get generator() {
      return generator;
    },
    platform,
    emptyPlatform: async () => {
      await stopPlatforms();
      return platform();
    },
    defer: (end) => void ends.push(end),
    measure: (contenders, length = options) => measureInterleaved(contenders, length),
    endRow: async () => {
      await endAll();
      // Each row has its own generator, so that earlier rows do not affect its memory and compiled code.
      generator = startGenerator();
    },
    stop: async () => {
      await endAll();
      await stopPlatforms();
    },
  };
}

async function measureInterleaved(
  contenders: readonly Contender[],
  { runs, seconds }: Pick<BenchOptions, "runs" | "seconds">,
): Promise<Measured[]> {
  const measured = contenders.map(({ unit = "requests/s", ...contender }) => ({
    ...contender,
    unit,
    samples: [] as LoadSample[],
    cpu: [] as CpuTimes[],
  }));
  for (const { run } of measured) await run(Math.min(warmUpMs, seconds * 5_000));
  for (let round = 0; round < runs; round += 1) {
    // Every second round runs in reverse order, because each contender leaves work that slows the next one.
    for (const { run, samples, cpu } of round % 2 === 0 ? measured : measured.toReversed()) {
      const used = watchCpu();
      samples.push(await run(seconds * 1_000));
      cpu.push(used());
    }
  }
  return measured.map(({ run: _, ...one }) => one);
}
