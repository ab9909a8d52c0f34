/**
 * How many endpoints are remembered, for how long, and after how many acceptances in a row an endpoint counts as
 * alive.
 */
const rememberedMax = 100_000;
const rememberedMs = 60_000;
const provenAfter = 5;

/** Endpoints for which the provider has recently accepted several deliveries in a row. */
export function createProvenEndpoints() {
  const accepted = new Map<string, { readonly inRow: number; readonly untilMs: number }>();
  return {
    isProven: (id: string, nowMs: number): boolean => {
      const known = accepted.get(id);
      return known !== undefined && known.inRow >= provenAfter && known.untilMs > nowMs;
    },
    record: (id: string, isAccepted: boolean, nowMs: number): void => {
      const known = accepted.get(id);
      accepted.delete(id);
      if (!isAccepted) return;
      const inRow = known === undefined || known.untilMs <= nowMs ? 1 : known.inRow + 1;
      accepted.set(id, { inRow, untilMs: nowMs + rememberedMs });
      const [oldest] = accepted.keys();
      if (accepted.size > rememberedMax && oldest !== undefined) accepted.delete(oldest);
    },
  };
}
