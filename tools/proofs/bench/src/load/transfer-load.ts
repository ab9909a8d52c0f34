import { createHash } from "node:crypto";
import { request } from "node:http";
import { pipeline } from "node:stream/promises";
import { type LoadSample, rateOf } from "./sample.ts";

/** Uploads several large bodies concurrently. The rate is in MB/s over all of them. */
export type TransferLoad = {
  readonly port: number;
  readonly method: "PUT" | "PATCH";
  /** One upload for each entry. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly megabytes: number;
};

/** One megabyte of text, which every upload repeats. */
const chunk = Buffer.from("0123456789 the quick brown fox jumps over the lazy dog\n".repeat(20_000)).subarray(0, 1e6);

/** Yields the megabytes of an upload. */
export function* transferPieces(megabytes: number): Generator<Buffer> {
  for (let sent = 0; sent < megabytes; sent += 1) yield chunk;
}

/** SHA-256 in hex of an upload of the given number of megabytes. */
export function transferSha256(megabytes: number): string {
  const hash = createHash("sha256");
  for (const piece of transferPieces(megabytes)) hash.update(piece);
  return hash.digest("hex");
}

export async function runTransferLoad(load: TransferLoad): Promise<LoadSample> {
  const startedAtMs = performance.now();
  const statuses = await Promise.all(load.paths.map((path) => upload(load, path)));
  const sample = rateOf(load.megabytes * load.paths.length, performance.now() - startedAtMs);
  const refused = statuses.filter((status) => status < 200 || status > 299);
  return { ...sample, refusals: refused.length === 0 ? {} : { [`${refused}`]: refused.length } };
}

async function upload({ port, method, headers, megabytes }: TransferLoad, path: string): Promise<number> {
  const length = { "content-length": `${megabytes * chunk.byteLength}` };
  const sending = request({ host: "127.0.0.1", port, method, path, headers: { ...headers, ...length }, agent: false });
  const status = new Promise<number>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0)));
  });
  await pipeline(() => transferPieces(megabytes), sending);
  return status;
}
