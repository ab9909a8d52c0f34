import type { LoadSample } from "./load/sample.ts";
import type { Platform } from "./platform.ts";
import type { Generator } from "./processes.ts";

/** How the bench is run. */
export type BenchOptions = {
  readonly rows: readonly string[];
  readonly runs: number;
  readonly seconds: number;
  /** Length of the soak; null: as long as any run. */
  readonly soakSeconds: number | null;
};

/** One thing a row measures: ours, a peer, or the physical baseline. */
export type Contender = {
  readonly name: string;
  readonly role: "ours" | "peer" | "baseline";
  /** Unit of `perSecond`. Default: requests/s. */
  readonly unit?: string;
  /** Measures once, for about this long. */
  run(durationMs: number): Promise<LoadSample>;
};

/** What a contender came to over all runs. */
export type Measured = {
  readonly name: string;
  readonly role: Contender["role"];
  readonly unit: string;
  readonly samples: readonly (LoadSample & {
    /** Part of all cores' time that other machines had meanwhile, 0 to 1; null where nobody counts it. */
    readonly steal: number | null;
  })[];
};

/** A sentence the row proves or fails to prove; `met` is null for a ratio that has no target. */
export type Check = { readonly text: string; readonly value: string; readonly met: boolean | null };

export type RowResult = {
  readonly id: string;
  readonly title: string;
  readonly measured: readonly Measured[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
};

/** What rows measure with. The platform is started when a row first asks for it. */
export type Bench = {
  readonly options: BenchOptions;
  readonly generator: Generator;
  platform(): Promise<Platform>;
  /** Stops the platform and starts another with empty stores, which is the one from then on. */
  emptyPlatform(): Promise<Platform>;
  /**
   * Runs the contenders in turn, a warm-up each and then `runs` rounds, so that what else the machine does falls on all alike.
   * @param length instead of the options'
   */
  measure(contenders: readonly Contender[], length?: Pick<BenchOptions, "runs" | "seconds">): Promise<Measured[]>;
  /** Called in reverse order when the row is over. */
  defer(end: () => Promise<void>): void;
};

/** One row of the table. */
export type Row = {
  readonly id: string;
  readonly title: string;
  /** Only run when named, or when it is said for how long. */
  readonly isOnRequest?: boolean;
  run(bench: Bench): Promise<Omit<RowResult, "id" | "title">>;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

/** Median, least and greatest of one figure over the runs. */
export function spread(measured: Measured, figure: "perSecond" | "p50Ms" | "p99Ms") {
  const values = measured.samples.map((sample) => sample[figure]);
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The contender of that name. */
export function named(measured: readonly Measured[], name: string): Measured {
  const found = measured.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the row measured nothing named ${name}`);
  return found;
}

/** Checks that the ratio of two contenders' medians is at least `atLeast`. */
export function ratioCheck(
  measured: readonly Measured[],
  [over, under]: readonly [string, string],
  atLeast: number | null,
  figure: "perSecond" | "p50Ms" | "p99Ms" = "perSecond",
): Check {
  const ratio = spread(named(measured, over), figure).median / spread(named(measured, under), figure).median;
  const what = figure === "perSecond" ? "" : `, ${figure === "p50Ms" ? "p50" : "p99"}`;
  return {
    text: `${over} / ${under}${what}${atLeast === null ? "" : ` ≥ ${atLeast}`}`,
    value: `${ratio.toFixed(2)} ×`,
    met: atLeast === null ? null : ratio >= atLeast,
  };
}

/** Checks that the ratio of two contenders' medians is at most `atMost`. */
export function atMostCheck(
  measured: readonly Measured[],
  [over, under]: readonly [string, string],
  atMost: number,
  figure: "p50Ms" | "p99Ms",
): Check {
  const ratio = spread(named(measured, over), figure).median / spread(named(measured, under), figure).median;
  return {
    text: `${over} / ${under}, ${figure === "p50Ms" ? "p50" : "p99"} ≤ ${Number(atMost.toFixed(2))}`,
    value: `${ratio.toFixed(2)} ×`,
    met: ratio <= atMost,
  };
}
