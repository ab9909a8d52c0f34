import type { Bench, Row } from "../row.ts";
import type { PeerGroup } from "./peer.ts";
import { callPeers } from "./peers-calls.ts";
import { gatewayPeers } from "./peers-gateways.ts";
import { ingestPeers } from "./peers-ingest.ts";
import { uploadPeers } from "./peers-uploads.ts";

/** The kinds of work, by the names with which `PEERS=gateways,calls` selects them. */
const groups: Readonly<Record<string, (bench: Bench) => Promise<PeerGroup>>> = {
  gateways: gatewayPeers,
  uploads: uploadPeers,
  ingest: ingestPeers,
  calls: callPeers,
};

/** Measures products that a user might choose instead, doing the same work on this machine. */
export const peersRow: Row = {
  id: "PEERS",
  title: "What a user would pick instead, on this machine",
  run: async (bench) => {
    const chosen = (process.env.PEERS ?? Object.keys(groups).join()).split(",");
    const parts: PeerGroup[] = [];
    for (const name of chosen) {
      const group = groups[name];
      if (group === undefined) throw new Error(`PEERS takes ${Object.keys(groups).join(", ")}`);
      console.log(`    ${name}`);
      parts.push(await group(bench).catch((error: Error) => failedGroup(name, error)));
    }
    return {
      measured: parts.flatMap(({ measured }) => measured),
      checks: parts.flatMap(({ checks }) => checks).toSorted((a, b) => Number(a.met ?? true) - Number(b.met ?? true)),
      notes: parts.flatMap(({ notes }) => notes),
    };
  },
};

/** Reports a kind of work that could not be measured as missed. The others keep their figures. */
function failedGroup(name: string, error: Error): PeerGroup {
  console.error(`    ${name} could not be measured: ${error.stack}`);
  return { measured: [], checks: [{ text: `${name} measured`, value: error.message, met: false }], notes: [] };
}
