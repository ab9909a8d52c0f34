import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Server } from "../processes.ts";
import type { Bench } from "../row.ts";
import { installGoProgram } from "./install.ts";
import { peerFile, startProgram } from "./start-program.ts";

/**
 * Starts tusd with its own folder. It is stopped at the end of the row.
 * @param directory folder of the uploads
 * @param hasHook true to run a hook that compares the SHA-256 of an upload with the announced one and flushes the file
 * before the last response
 */
export async function startTusd(bench: Bench, directory: string, hasHook: boolean): Promise<Server> {
  const tusd = installGoProgram("tusd");
  const uploads = await mkdtemp(join(directory, "tusd-"));
  const hooks = ["-hooks-dir", dirname(peerFile("tusd-hooks/pre-finish")), "-hooks-enabled-events", "pre-finish"];
  const server = await startProgram({
    command: tusd,
    args: (port) => [
      ...["-host", "127.0.0.1", "-port", `${port}`, "-upload-dir", uploads, "-behind-proxy"],
      ...(hasHook ? hooks : []),
    ],
    env: { UPLOAD_DIRECTORY: uploads },
    place: "stores",
  });
  bench.defer(server.stop);
  return server;
}
