import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createLatencies, type LoadSample } from "./sample.ts";

/** Uploads or downloads of large bodies, all at once; the rate is in MB/s over all of them. */
export type TransferLoad = {
  readonly port: number;
  readonly method: "PUT" | "PATCH" | "GET";
  /** One transfer each. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Of each upload. */
  readonly megabytes: number;
};

const chunkBytes = 1_000_000;

/** A megabyte of text; every upload is this, over and over. */
const chunk = Buffer.from("0123456789 the quick brown fox jumps over the lazy dog\n".repeat(20_000)).subarray(
  0,
  chunkBytes,
);

/** SHA-256 (hex) of the upload of so many megabytes. */
export function transferSha256(megabytes: number): string {
  const hash = createHash("sha256");
  for (let sent = 0; sent < megabytes; sent += 1) hash.update(chunk);
  return hash.digest("hex");
}

export async function runTransferLoad(load: TransferLoad): Promise<LoadSample> {
  const latencies = createLatencies();
  const refusals: Record<string, number> = {};
  const startedAtMs = performance.now();
  let bytes = 0;
  await Promise.all(
    load.paths.map(async (path) => {
      const sentAtMs = performance.now();
      const { status, received } = await transfer(load, path);
      latencies.add(performance.now() - sentAtMs);
      bytes += load.method === "GET" ? received : load.megabytes * chunkBytes;
      if (status < 200 || status > 299) refusals[status] = (refusals[status] ?? 0) + 1;
    }),
  );
  const durationMs = performance.now() - startedAtMs;
  return { ...latencies.sample(durationMs, refusals), perSecond: bytes / 1_000_000 / (durationMs / 1_000) };
}

/** Hashes as many bytes as an upload has: what proving them costs at least. */
export async function runHashLoad({ megabytes }: { megabytes: number }): Promise<LoadSample> {
  const latencies = createLatencies();
  const startedAtMs = performance.now();
  transferSha256(megabytes);
  const durationMs = performance.now() - startedAtMs;
  latencies.add(durationMs);
  return { ...latencies.sample(durationMs, {}), perSecond: megabytes / (durationMs / 1_000) };
}

/** Writes a file of that size and flushes it, by one thread and with nothing else to do: what the disk costs at least. */
export async function runFlushLoad({ megabytes, folder }: { megabytes: number; folder: string }): Promise<LoadSample> {
  const latencies = createLatencies();
  const path = join(folder, "flushed");
  const startedAtMs = performance.now();
  const file = openSync(path, "w");
  for (let written = 0; written < megabytes; written += 1) writeSync(file, chunk);
  fdatasyncSync(file);
  closeSync(file);
  const durationMs = performance.now() - startedAtMs;
  rmSync(path);
  latencies.add(durationMs);
  return { ...latencies.sample(durationMs, {}), perSecond: megabytes / (durationMs / 1_000) };
}

function transfer(load: TransferLoad, path: string): Promise<{ status: number; received: number }> {
  const isUpload = load.method !== "GET";
  return new Promise((resolve, reject) => {
    const headers = isUpload
      ? { ...load.headers, "content-length": `${load.megabytes * chunkBytes}` }
      : { ...load.headers };
    const sending = request({ host: "127.0.0.1", port: load.port, method: load.method, path, headers, agent: false });
    sending.on("error", reject);
    sending.on("response", (response) => {
      let received = 0;
      response.on("data", (part: Buffer) => {
        received += part.byteLength;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, received }));
    });
    if (!isUpload) {
      sending.end();
      return;
    }
    let left = load.megabytes;
    const send = (): void => {
      while (left > 0) {
        left -= 1;
        if (!sending.write(chunk)) {
          sending.once("drain", send);
          return;
        }
      }
      sending.end();
    };
    send();
  });
}
