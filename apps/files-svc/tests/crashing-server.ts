import { run } from "@platform/kit/process/run";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import { uploadPace } from "../src/domain/limits.ts";
import type { BlobStore } from "../src/store/blobs/blob-store.ts";

/**
 * A whole files-svc that dies by SIGKILL at the step CRASH_AT names. It prints its ports as one JSON line.
 * PACE_WINDOW_MS is how long an upload may bring too little. Steps: created (token claimed, file opened), written (every byte received), committed (bytes under their name, no record yet).
 */
const crashAt = process.env.CRASH_AT;
const die = (step: string): void => {
  if (crashAt === step) process.kill(process.pid, "SIGKILL");
};

function crashing(blobs: BlobStore): BlobStore {
  return {
    ...blobs,
    createWriter: async (key, writeId) => {
      const writer = await blobs.createWriter(key, writeId);
      die("created");
      return {
        ...writer,
        commit: async () => {
          die("written");
          await writer.commit();
          die("committed");
        },
      };
    },
  };
}

await run(async () => {
  const server = await createFilesServer(readServerConfig(process.env), {
    wrapBlobs: crashing,
    pace: { ...uploadPace, windowMs: Number(process.env.PACE_WINDOW_MS ?? uploadPace.windowMs) },
  });
  process.stdout.write(`${JSON.stringify({ grpcPort: server.grpcPort, httpPort: server.httpPort })}\n`);
  return server;
});
