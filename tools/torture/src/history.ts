/** One thing the load asked for: its key, and what was acknowledged. */
export type HistoryEntry = {
  readonly kind: "event" | "audit" | "delivery" | "impression";
  readonly clientId: string;
  readonly key: string;
  /** Id the platform answered with; null while nothing was acknowledged. */
  id: string | null;
  /** Requests sent for it, retries included. */
  attempts: number;
  /** Ids answered to different attempts: more than one means that a retry made a second thing. */
  readonly ids: Set<string>;
  /** A final refusal, which the load never earns. */
  refusal: string | null;
};

/** Everything the load asked for, and how it was answered. */
export type History = {
  begin(kind: HistoryEntry["kind"], clientId: string, key: string): HistoryEntry;
  entries(kind: HistoryEntry["kind"]): readonly HistoryEntry[];
};

export function createHistory(): History {
  const byKind = new Map<HistoryEntry["kind"], HistoryEntry[]>();
  return {
    begin: (kind, clientId, key) => {
      const entry: HistoryEntry = { kind, clientId, key, id: null, attempts: 0, ids: new Set(), refusal: null };
      const list = byKind.get(kind) ?? [];
      list.push(entry);
      byKind.set(kind, list);
      return entry;
    },
    entries: (kind) => byKind.get(kind) ?? [],
  };
}
