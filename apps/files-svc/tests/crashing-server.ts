import { run } from "@platform/kit/process/run";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import { uploadPace } from "../src/domain/limits.ts";
import type { BlobStore } from "../src/store/blobs/blob-store.ts";

/**
 * Starts a complete files-svc that kills itself by SIGKILL at the step that CRASH_AT names. It prints its ports as
 * one line of JSON. The steps are `created` (the token is claimed and the file is open), `written` (every byte was
 * received) and `committed` (the bytes have their final name, but there is no record yet). PACE_WINDOW_MS is the
 * window over which the minimum rate of an upload is measured.
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
