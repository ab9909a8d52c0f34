import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import type { S3Settings } from "../src/store/blobs/s3-blob-store.ts";

/** An S3-compatible server of the test's own, with one bucket. */
export async function startS3(): Promise<{ settings: S3Settings; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: "files", configs: [] }],
  });
  const address = await server.run();
  return {
    settings: {
      bucket: "files",
      region: "us-east-1",
      endpoint: `http://127.0.0.1:${address.port}`,
      credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
      forcePathStyle: true,
      prefix: "platform/",
      workFolder: folder,
    },
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
