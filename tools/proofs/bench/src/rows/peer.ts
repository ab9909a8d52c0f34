import { behindMark } from "../report.ts";
import { type Check, type Contender, type Measured, medianOf, type RowResult, ratioCheck, type Work } from "../row.ts";

/** Another product that does similar work and is measured for comparison. */
export type Peer = {
  readonly name: string;
  readonly work: Work;
  /** Installs the product and starts it. */
  readonly start: () => Promise<Pick<Contender, "run" | "unit">>;
};

/** The part of the row PEERS about one kind of work. */
export type PeerGroup = Pick<RowResult, "measured" | "checks" | "notes">;

/** Starts peers. A peer that cannot be installed or started on this machine is replaced by a note with the reason. */
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

/** Reports the platform's ratio to each peer. Only a peer that does the same work has a target. */
export function peerChecks(measured: readonly Measured[], ours: string): Check[] {
  return measured
    .filter(({ role }) => role === "peer")
    .map(({ name, work }) => ratioCheck(measured, [ours, name], work === "same work" ? { atLeast: 1 } : {}));
}

/**
 * Lists the peers that are faster than the platform, and by how much, as the first note of a group. Returns an empty list if there is none.
 */
export function behindNotes(measured: readonly Measured[], ours: string): string[] {
  const own = medianOf(measured, ours);
  const ahead = measured
    .filter(({ role, name }) => role === "peer" && medianOf(measured, name) > own)
    .map(({ name, work }) => `${name} by ${(medianOf(measured, name) / own).toFixed(2)} × (${work})`);
  return ahead.length === 0 ? [] : [`${behindMark}${ours} is behind ${ahead.join("; ")}.`];
}
