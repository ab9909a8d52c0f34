/** Options of the bench. */
export type BenchOptions = {
  readonly rows: readonly string[];
  readonly runs: number;
  readonly seconds: number;
  /** Number of times that all rows are measured, one after the other, into the same report. */
  readonly repeat: number;
  /** Length of the soak in seconds; null uses the length of an ordinary run. */
  readonly soakSeconds: number | null;
  /**
   * Folder of another checkout of the repository, which the rows that support it measure interleaved with this one;
   * null measures none.
   */
  readonly before: string | null;
};

/** Reads the options ROWS=B1,B3 RUNS=5 SECONDS=5 REPEAT=3 SOAK=1200 BEFORE=/path/to/checkout. */
export function readOptions(env: NodeJS.ProcessEnv): BenchOptions {
  const number = (name: string, otherwise: number): number => {
    const value = Number(env[name] ?? otherwise);
    if (!(value > 0)) throw new Error(`${name} takes a number above 0`);
    return value;
  };
  const rows = (env.ROWS ?? "").split(",").map((id) => id.trim().toUpperCase());
  return {
    rows: rows.filter((id) => id !== ""),
    runs: Math.round(number("RUNS", 5)),
    seconds: number("SECONDS", 5),
    repeat: Math.round(number("REPEAT", 1)),
    soakSeconds: env.SOAK === undefined ? null : number("SOAK", 0),
    before: env.BEFORE === undefined || env.BEFORE === "" ? null : env.BEFORE,
  };
}
