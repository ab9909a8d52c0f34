import { type Platform, startPlatform } from "./platform.ts";
import { startGenerator } from "./processes.ts";
import type { Bench, BenchOptions, Contender, Measured } from "./row.ts";
import { withSteal } from "./steal.ts";

/** Creates what rows measure with. `endRow` ends what the row left running, `stop` everything. */
export function createBench(options: BenchOptions): Bench & { endRow(): Promise<void>; stop(): Promise<void> } {
  let generator = startGenerator();
  const ends: (() => Promise<void>)[] = [];
  let platform: Promise<Platform> | null = null;
  const started = (): Promise<Platform> => {
    console.log("    starting the platform");
    return startPlatform();
  };
  const stopPlatform = async (): Promise<void> => await (await platform?.catch(() => null))?.stop();
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
    await generator.stop();
  };
  return {
    options,
    get generator() {
      return generator;
    },
    platform: () => {
      platform ??= started();
      return platform;
    },
    emptyPlatform: async () => {
      await stopPlatform();
      platform = started();
      return platform;
    },
    defer: (end) => void ends.push(end),
    measure: (contenders, length = options) => measureInTurn(contenders, length),
    endRow: async () => {
      await endAll();
      // Each row has a generator of its own: what another one has done to its memory and compiled code is no part of it.
      generator = startGenerator();
    },
    stop: async () => {
      await endAll();
      await stopPlatform();
    },
  };
}

/** Length of a warm-up: shorter, and a quick machine is still compiling what it measures. */
const warmUpMs = 5_000;

/** A warm-up of each, then rounds of one run each, so that whatever else the machine does falls on all alike. */
async function measureInTurn(
  contenders: readonly Contender[],
  { runs, seconds }: Pick<BenchOptions, "runs" | "seconds">,
): Promise<Measured[]> {
  const durationMs = seconds * 1_000;
  const measured = contenders.map(({ name, role, unit }) => ({
    name,
    role,
    unit: unit ?? "requests/s",
    samples: [] as Measured["samples"][number][],
  }));
  for (const contender of contenders) await contender.run(warmUpMs);
  for (let run = 0; run < runs; run += 1) {
    for (const [index, contender] of contenders.entries()) {
      const { result, steal } = await withSteal(() => contender.run(durationMs));
      measured[index]?.samples.push({ ...result, steal });
    }
  }
  return measured;
}
