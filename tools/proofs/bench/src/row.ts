import type { Version } from "./checkout/version.ts";
import type { LoadSample } from "./load/sample.ts";
import type { BenchOptions } from "./options.ts";
import type { Platform } from "./platform.ts";
import type { CpuTimes } from "./process-tree.ts";
import type { Generator } from "./processes.ts";

/** How much of the platform's work a peer does. A target applies only to peers that do the same work. */
export type Work = "same work" | `leaves out ${string}`;

/** A contender of a row: the platform, a peer, or a physical baseline. */
export type Contender = {
  readonly name: string;
  readonly role: "ours" | "peer" | "baseline";
  /** Unit of `perSecond`. Default: requests/s. */
  readonly unit?: string;
  /** Description that is printed with the name of a peer. */
  readonly work?: Work;
  /** Measures once, for about the given time. */
  run(durationMs: number): Promise<LoadSample>;
};

/** Results of one contender in all runs. */
export type Measured = Pick<Contender, "name" | "role" | "work"> & {
  readonly unit: string;
  readonly samples: readonly LoadSample[];
  /** CPU time of all processes in each run. Absent from figures that no run of their own has measured. */
  readonly cpu?: readonly CpuTimes[];
};

/** A statement that the figures confirm or refute. `met` is null if the figure has no target. */
export type Check = { readonly text: string; readonly value: string; readonly met: boolean | null };

export type RowResult = {
  readonly id: string;
  readonly title: string;
  /** Load average of the last minute before the row. */
  readonly loadBefore: number;
  readonly measured: readonly Measured[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
};

/** The services that rows use. */
export type Bench = {
  readonly options: BenchOptions;
  /** The versions to measure: this one, and an earlier one if it is compared. */
  readonly versions: readonly Version[];
  readonly generator: Generator;
  /** Returns the platform of a version; it starts when a row first requests it. The default is this version. */
  platform(version?: Version): Promise<Platform>;
  /** Stops all platforms and starts one with empty stores. */
  emptyPlatform(): Promise<Platform>;
  /**
   * Runs the contenders interleaved: a warm-up of each, then `runs` rounds with one run of each.
   * @param length overrides the length in the options
   */
  measure(contenders: readonly Contender[], length?: Pick<BenchOptions, "runs" | "seconds">): Promise<Measured[]>;
  /** Registers a function that is called when the row has ended, in reverse order of registration. */
  defer(end: () => Promise<void>): void;
};

/** One row of the table. */
export type Row = {
  readonly id: string;
  readonly title: string;
  /** True for a row that runs only if the options name it. */
  readonly isOnRequest?: boolean;
  run(bench: Bench): Promise<Omit<RowResult, "id" | "title" | "loadBefore">>;
};

type Figure = "perSecond" | "p50Ms" | "p99Ms";

/** Median, minimum and maximum of one figure over the runs. */
export function spread(measured: Measured, figure: Figure) {
  const sorted = measured.samples.map((sample) => sample[figure]).sort((a, b) => a - b);
  const [below, above] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return { median: (below + above) / 2, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Returns the median of one figure of the contender with this name. */
export function medianOf(measured: readonly Measured[], name: string, figure: Figure = "perSecond"): number {
  return spread(measuredOf(measured, name), figure).median;
}

/** Processes that use less than this in a run are not listed. */
const leastCpuSeconds = 0.05;

/** Lists the CPU time that each process uses in a run of each contender, as checks without a target. It shows whether a contender computes or waits. */
export function cpuChecks(measured: readonly Measured[]): Check[] {
  return measured.flatMap(({ name, cpu = [] }) => {
    const middle = (process: string): number =>
      cpu.map((used) => used.get(process) ?? 0).toSorted((a, b) => a - b)[cpu.length >> 1] ?? 0;
    const listed = [...new Set(cpu.flatMap((used) => [...used.keys()]))]
      .map((process) => [process, middle(process)] as const)
      .filter(([, seconds]) => seconds >= leastCpuSeconds)
      .toSorted(([, a], [, b]) => b - a)
      .map(([process, seconds]) => `${process} ${seconds.toFixed(2)}`);
    return listed.length === 0
      ? []
      : [{ text: `CPU seconds in a run of ${name}`, value: listed.join(", "), met: null }];
  });
}

function measuredOf(measured: readonly Measured[], name: string): Measured {
  const found = measured.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the row measured nothing named ${name}`);
  return found;
}

/** Counts the unsuccessful responses of one contender in all runs. */
function refusedOf({ samples }: Measured): number {
  return samples.flatMap(({ refusals }) => Object.values(refusals)).reduce((sum, count) => sum + count, 0);
}

/**
 * Completes a check of figures of the named contenders. A target is missed if one of them received an unsuccessful response, because a refusal takes less
 * time than the work. The value then names the number of these responses.
 */
export function missedIfRefused(
  measured: readonly Measured[],
  names: readonly string[],
  { text, value, met }: Check,
): Check {
  const refused = names.reduce((sum, name) => sum + refusedOf(measuredOf(measured, name)), 0);
  if (refused === 0) return { text, value, met };
  return { text, value: `${value} with ${refused.toLocaleString("en")} not 2xx`, met: met === null ? null : false };
}

/** Requires that a contender received responses, and only successful ones. */
export function onlySuccesses(measured: readonly Measured[], name: string): Check {
  const count = measuredOf(measured, name).samples.reduce((sum, sample) => sum + sample.count, 0);
  const value = `${count.toLocaleString("en")} responses`;
  return missedIfRefused(measured, [name], { text: `${name}, only 2xx`, value, met: count > 0 });
}

/** Formats the least and the greatest ratio of two contenders within one round, as ` (0.92–1.07)`. */
function rangeOfRounds(over: Measured, under: Measured, figure: Figure): string {
  const rounds = Math.min(over.samples.length, under.samples.length);
  if (rounds < 2) return "";
  const ratios = over.samples.slice(0, rounds).map((one, round) => one[figure] / (under.samples[round]?.[figure] ?? 0));
  return ` (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}

type Target = { readonly atLeast?: number; readonly atMost?: number; readonly figure?: Figure };

/** Checks the ratio of the medians of two contenders. The value ends with the range of the ratios of the rounds, in which both ran one after the other. */
export function ratioCheck(
  measured: readonly Measured[],
  [over, under]: readonly [string, string],
  { atLeast, atMost, figure = "perSecond" }: Target = {},
): Check {
  const ratio = medianOf(measured, over, figure) / medianOf(measured, under, figure);
  const target = atLeast !== undefined ? ` ≥ ${atLeast}` : atMost !== undefined ? ` ≤ ${atMost}` : "";
  return missedIfRefused(measured, [over, under], {
    text: `${over} / ${under}${figure === "perSecond" ? "" : `, ${figure.slice(0, 3)}`}${target}`,
    value: `${ratio.toFixed(2)} ×${rangeOfRounds(measuredOf(measured, over), measuredOf(measured, under), figure)}`,
    met: target === "" ? null : ratio >= (atLeast ?? 0) && ratio <= (atMost ?? Number.POSITIVE_INFINITY),
  });
}

/** Checks the difference of the medians of two contenders in milliseconds. */
export function differenceCheck(
  measured: readonly Measured[],
  [over, under]: readonly [string, string],
  { atMostMs, figure }: { readonly atMostMs: number; readonly figure: "p50Ms" | "p99Ms" },
): Check {
  const difference = medianOf(measured, over, figure) - medianOf(measured, under, figure);
  return missedIfRefused(measured, [over, under], {
    text: `${over} − ${under}, ${figure.slice(0, 3)} ≤ ${atMostMs} ms`,
    value: `${difference.toFixed(1)} ms`,
    met: difference <= atMostMs,
  });
}

/**
 * Compares contenders of this version with the same ones of the earlier version. Returns nothing if that was not
 * measured.
 */
export function beforeChecks(
  bench: Bench,
  measured: readonly Measured[],
  names: readonly string[],
  target: Target,
): Check[] {
  const [, before] = bench.versions;
  return before === undefined ? [] : names.map((name) => ratioCheck(measured, [name, before.prefix + name], target));
}
