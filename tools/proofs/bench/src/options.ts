/** Options of the bench. */
export type BenchOptions = {
  readonly rows: readonly string[];
  readonly runs: number;
  readonly seconds: number;
  /** Length of the soak; null: as long as any run. */
  readonly soakSeconds: number | null;
  /** Another checkout of the repository, measured interleaved with this one in the rows that do so; null: none. */
  readonly before: string | null;
};

/** Reads ROWS=B1,B3 RUNS=5 SECONDS=5 SOAK=1200 BEFORE=/path/to/checkout. */
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
    soakSeconds: env.SOAK === undefined ? null : number("SOAK", 0),
    before: env.BEFORE === undefined || env.BEFORE === "" ? null : env.BEFORE,
  };
}
