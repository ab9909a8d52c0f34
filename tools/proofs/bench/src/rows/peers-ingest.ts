import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installGoProgram } from "../programs/install.ts";
import { peerFile, startProgram } from "../programs/start-program.ts";
import type { Bench } from "../row.ts";
import { eventBody, httpContender, publishing } from "./contenders.ts";
import { behindNotes, type Peer, type PeerGroup, peerChecks, startPeers } from "./peer.ts";

const ours = "ingest: POST /domain-events, stored durably";
const inFlight = 64;

/** Measures durable ingest through the whole platform, compared with the publishing client of a stream. */
export async function ingestPeers(bench: Bench): Promise<PeerGroup> {
  const platform = await bench.platform();
  const directory = await mkdtemp(join(tmpdir(), "bench-ingest-"));
  bench.defer(() => rm(directory, { recursive: true, force: true }));
  const jetstream = (name: string, work: Peer["work"], configuration: string): Peer => ({
    name,
    work,
    start: async () => {
      const server = await startProgram({
        command: installGoProgram("nats-server"),
        args: () => ["-c", peerFile(`nats/${configuration}.conf`)],
        env: { DIRECTORY: join(directory, configuration) },
        place: "stores",
      });
      bench.defer(server.stop);
      const load = { port: server.port, body: eventBody, inFlight };
      return { unit: "publishes/s", run: (durationMs) => bench.generator.run("jetstream", { ...load, durationMs }) };
    },
  });
  const less = "HTTP, credentials, scopes, quotas, validation and the order of each client's events";
  const { contenders, notes } = await startPeers([
    jetstream("NATS JetStream publish with ack, flushed before it", `leaves out ${less}`, "flushed"),
    jetstream("NATS JetStream publish with ack, as it comes", `leaves out the flush, ${less}`, "default"),
  ]);
  const measured = await bench.measure([
    httpContender(bench, ours, "ours", publishing(platform, platform.port)),
    ...contenders,
  ]);
  return {
    measured,
    checks: peerChecks(measured, ours),
    notes: [
      ...behindNotes(measured, ours),
      ...notes,
      `Ingest, ${inFlight} in flight: JetStream is the limit of durable ingest on this machine. Each message has an id by which the stream drops duplicates, as our Idempotency-Key does.`,
    ],
  };
}
