import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installNginx } from "../programs/install.ts";
import { startNginx } from "../programs/start-program.ts";
import { startTusd } from "../programs/tusd.ts";
import type { Bench } from "../row.ts";
import { megabytes, onIdleDisk, unit, uploadOne, uploadToTus } from "./b8-uploads.ts";
import { behindNotes, type PeerGroup, peerChecks, startPeers } from "./peer.ts";

const ours = "upload: PUT through the gateway, hashed and flushed";

/** Measures uploads through one proxy to a server that stores them on disk. */
export async function uploadPeers(bench: Bench): Promise<PeerGroup> {
  const platform = await bench.platform();
  const directory = await mkdtemp(join(tmpdir(), "bench-uploads-"));
  bench.defer(() => rm(directory, { recursive: true, force: true }));
  const behindNginx = async (hasHook: boolean) => {
    const tusd = await startTusd(bench, directory, hasHook);
    const values = { BACKEND: `127.0.0.1:${tusd.port}` };
    const hop = await startNginx(installNginx(), "upload-hop.conf", { directory, values });
    bench.defer(hop.stop);
    return { unit, run: () => uploadToTus(bench, hop.port, "/files/") };
  };
  const { contenders, notes } = await startPeers([
    {
      name: "tusd behind nginx, SHA-256 and flush by its pre-finish hook",
      work: "same work",
      start: () => behindNginx(true),
    },
    { name: "tusd behind nginx", work: "leaves out SHA-256 and flush", start: () => behindNginx(false) },
    {
      name: "tusd alone",
      work: "leaves out the hop, SHA-256 and flush",
      start: async () => {
        const { port } = await startTusd(bench, directory, false);
        return { unit, run: () => uploadToTus(bench, port, "/files/") };
      },
    },
  ]);
  const own = { name: ours, role: "ours", unit, run: () => uploadOne(bench, platform, megabytes) } as const;
  const measured = await bench.measure([own, ...contenders].map(onIdleDisk));
  return {
    measured,
    checks: peerChecks(measured, ours),
    notes: [
      ...behindNotes(measured, ours),
      ...notes,
      `Uploads of ${megabytes} MB: the work is to check the SHA-256 that the client announced and to flush the file to disk before the response, behind one hop. Ours also spends a storage quota and classifies the file afterwards.`,
    ],
  };
}
