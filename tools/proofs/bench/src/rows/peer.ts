import { type Check, type Contender, type Measured, medianOf, type RowResult, ratioCheck, type Work } from "../row.ts";

/** A product that is measured beside ours. */
export type Peer = {
  readonly name: string;
  readonly work: Work;
  /** Installs and starts it. */
  readonly start: () => Promise<Pick<Contender, "run" | "unit">>;
};

/** The part of the row PEERS about one kind of work. */
export type PeerGroup = Pick<RowResult, "measured" | "checks" | "notes">;

/** Starts peers. One that cannot be installed or started here becomes a note that says so. */
export async function startPeers(
  peers: readonly Peer[],
): Promise<{ readonly contenders: readonly Contender[]; readonly notes: readonly string[] }> {
  const contenders: Contender[] = [];
  const notes: string[] = [];
  for (const { name, work, start } of peers) {
    try {
      contenders.push({ name, work, role: "peer", ...(await start()) });
    } catch (error) {
      console.error(`    ${name} is left out: ${(error as Error).message}`);
      notes.push(`**not measured**: ${name}. ${(error as Error).message.split("\n")[0]}.`);
    }
  }
  return { contenders, notes };
}

/** Our ratio to each peer; only a peer that does the same work has a target. */
export function peerChecks(measured: readonly Measured[], ours: string): Check[] {
  return measured
    .filter(({ role }) => role === "peer")
    .map(({ name, work }) => ratioCheck(measured, [ours, name], work === "same work" ? { atLeast: 1 } : {}));
}

/** Names the peers that are ahead of ours, and by how much, as the first note of a group; empty when none is. */
export function behindNotes(measured: readonly Measured[], ours: string): string[] {
  const own = medianOf(measured, ours);
  const ahead = measured
    .filter(({ role, name }) => role === "peer" && medianOf(measured, name) > own)
    .map(({ name, work }) => `${name} by ${(medianOf(measured, name) / own).toFixed(2)} × (${work})`);
  return ahead.length === 0 ? [] : [`**behind**: ${ours} is behind ${ahead.join("; ")}.`];
}
