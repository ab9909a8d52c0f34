/** Prints lines that start with the seconds since now. */
export function startLog(): (text: string) => void {
  const startedAtMs = performance.now();
  return (text) => console.log(`[${((performance.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)} s] ${text}`);
}
