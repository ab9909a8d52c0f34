import type { BenchOptions } from "./row.ts";

/** Reads `--rows B1,B3 --runs 5 --seconds 5 --soak 1200`, or ROWS, RUNS, SECONDS and SOAK, which `make bench` passes on. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): BenchOptions {
  const given = (name: string): string | undefined => {
    const at = args.indexOf(`--${name}`);
    return (at < 0 ? undefined : args[at + 1]) ?? env[name.toUpperCase()];
  };
  const number = (name: string, otherwise: number): number => {
    const text = given(name);
    const value = text === undefined ? otherwise : Number(text);
    if (!(value > 0)) throw new Error(`--${name} takes a number above 0`);
    return value;
  };
  const rows = (given("rows") ?? "").split(",").map((id) => id.trim().toUpperCase());
  return {
    rows: rows.filter((id) => id !== ""),
    runs: Math.round(number("runs", 5)),
    seconds: number("seconds", 5),
    soakSeconds: given("soak") === undefined ? null : number("soak", 0),
  };
}
