import { readFileSync } from "node:fs";

type CoreTime = { readonly stolen: number; readonly total: number };

/** Time of all cores since the machine started, in ticks (proc_stat(5)); null where there is no /proc. */
function coreTime(): CoreTime | null {
  let line: string;
  try {
    line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "";
  } catch {
    return null;
  }
  // cpu user nice system idle iowait irq softirq steal …; the guest columns behind are counted in user and nice already.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { stolen: ticks[7] ?? 0, total: ticks.reduce((sum, each) => sum + each, 0) };
}

/**
 * Does something and says which part of all cores' time the hypervisor gave to other machines meanwhile: 0 to 1, or null where nobody
 * counts it. A figure taken while much was stolen says little.
 */
export async function withSteal<T>(work: () => Promise<T>): Promise<{ result: T; steal: number | null }> {
  const before = coreTime();
  const result = await work();
  const after = coreTime();
  if (before === null || after === null || after.total <= before.total) return { result, steal: null };
  return { result, steal: (after.stolen - before.stolen) / (after.total - before.total) };
}
