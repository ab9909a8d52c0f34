import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LoadSample } from "../load/sample.ts";
import { transferSha256 } from "../load/transfer-load.ts";
import type { Platform } from "../platform.ts";
import { residentMib, startGenerator, startServer } from "../processes.ts";
import { startTusd } from "../programs/tusd.ts";
import { type Bench, beforeChecks, type Check, type Contender, cpuChecks, type Row, ratioCheck } from "../row.ts";
import { httpLoad } from "./contenders.ts";
import { startPeers } from "./peer.ts";

/** Size of one upload. */
export const megabytes = Number(process.env.BENCH_UPLOAD_MB ?? 1_024);
const parallel = 16;
const ours = "PUT through the gateway";
const bare = "node:http that hashes and flushes";
const tus = "@tus/server, no hash, no flush";
const tusd = "tusd";
export const unit = "MB/s";

/** Measures one large upload, and many concurrent uploads together with small requests. */
export const uploadsRow: Row = {
  id: "B8",
  title: `Upload of ${megabytes} MB, SHA-256 checked, flushed before the answer`,
  run: async (bench) => {
    const scratch = await mkdtemp(join(tmpdir(), "bench-b8-"));
    bench.defer(() => rm(scratch, { recursive: true, force: true }));
    const files = await startServer("../peers/node-files.mjs", { env: { TMPDIR: scratch } });
    const tusServer = await startServer("../peers/tus-server.mjs", { env: { TMPDIR: scratch } });
    for (const server of [files, tusServer]) bench.defer(server.stop);
    const contenders: Contender[] = [];
    for (const version of bench.versions) {
      const platform = await bench.platform(version);
      const run = () => uploadOne(bench, platform, megabytes);
      contenders.push({ name: version.prefix + ours, role: "ours", unit, run });
    }
    const toFiles = { port: files.port, method: "PUT", paths: ["/one"], headers: {}, megabytes } as const;
    contenders.push(
      { name: bare, role: "baseline", unit, run: () => bench.generator.run("transfer", toFiles) },
      { name: tus, role: "peer", unit, run: () => uploadToTus(bench, tusServer.port, "/files") },
    );
    const go = await startPeers([
      {
        name: tusd,
        work: "leaves out the hop, SHA-256 and flush",
        start: async () => {
          const { port } = await startTusd(bench, scratch, false);
          return { unit, run: () => uploadToTus(bench, port, "/files/") };
        },
      },
    ]);
    const measured = await bench.measure([...contenders, ...go.contenders].map(onIdleDisk));
    return {
      measured,
      checks: [
        ratioCheck(measured, [ours, bare], { atLeast: 0.9 }),
        ratioCheck(measured, [ours, tus]),
        ...beforeChecks(bench, measured, [ours], {}),
        ...(await uploadManyAtOnce(bench, await bench.platform())),
        ...cpuChecks(measured),
      ],
      notes: go.notes,
    };
  },
};

/**
 * Flushes the data of earlier uploads to disk, because tus does not, so that the next upload does not wait for them.
 */
const idleDisk = async (): Promise<void> => void (await promisify(execFile)("sync"));

/** Creates a contender that starts each run without unflushed data on the disk. */
export function onIdleDisk(contender: Contender): Contender {
  return { ...contender, run: (durationMs) => idleDisk().then(() => contender.run(durationMs)) };
}

/**
 * Uploads once and waits until the platform has classified the file, so that this work does not slow the next
 * contender.
 */
export async function uploadOne(bench: Bench, platform: Platform, megabytes: number): Promise<LoadSample> {
  const { load, fileObjectIds } = await grantUploads(platform, megabytes, 1);
  const sample = await bench.generator.run("transfer", load);
  if (Object.keys(sample.refusals).length > 0) return sample;
  for (const id of fileObjectIds) {
    let status: string | undefined = "quarantined";
    while (status === "quarantined") {
      ({ status } = await platform.request("POST", `/file-objects/${id}/complete`, undefined));
    }
  }
  return sample;
}

/** Creates the given number of grants, and the load that uses them. */
async function grantUploads(platform: Platform, megabytes: number, count: number) {
  const grant = {
    expected_sha256: transferSha256(megabytes),
    expected_content_type: "text/plain",
    maximum_bytes: megabytes * 1_000_000,
  };
  const granted = await Promise.all(
    Array.from({ length: count }, () => platform.request("POST", "/file-objects/upload-grants", grant)),
  );
  const paths = granted.map(({ upload_token }) => `/api/v1/file-uploads/${upload_token}`);
  const headers = { "content-type": "text/plain" };
  return {
    load: { port: platform.port, method: "PUT", paths, headers, megabytes },
    fileObjectIds: granted.map(({ file_object_id }) => file_object_id),
  } as const;
}

/** Uploads once by the tus protocol. The metadata contains the SHA-256 of the file, which a hook may compare. */
export async function uploadToTus(bench: Bench, port: number, path: string): Promise<LoadSample> {
  const version = { "tus-resumable": "1.0.0" };
  const metadata = `sha256 ${Buffer.from(transferSha256(megabytes)).toString("base64")}`;
  const length = { "upload-length": `${megabytes * 1_000_000}`, "upload-metadata": metadata };
  const origin = `http://127.0.0.1:${port}`;
  const created = await fetch(origin + path, { method: "POST", headers: { ...version, ...length } });
  const location = new URL(created.headers.get("location") ?? "", origin);
  const headers = { ...version, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  const paths = [location.pathname];
  const sample = await bench.generator.run("transfer", { port, method: "PATCH", paths, headers, megabytes });
  // Waits until the disk is idle for the next upload.
  await fetch(location, { method: "DELETE", headers: version });
  return sample;
}

/**
 * Measures the memory of sixteen concurrent uploads, and the latency of small requests meanwhile.
 * @param mibMax maximum memory per upload in each process
 */
export async function uploadManyAtOnce(bench: Bench, platform: Platform, mibMax = 8): Promise<Check[]> {
  const { port, credential, stack } = platform;
  const load = httpLoad({ port, path: "/api/v1/project-client", credential, connections: 2 });
  const idle = await bench.generator.run("http", { ...load, durationMs: 2_000 });
  // The small requests have a core of their own.
  const uploader = startGenerator({ place: "stores" });
  bench.defer(uploader.stop);
  const { load: many } = await grantUploads(platform, Math.max(16, Math.floor(megabytes / 4)), parallel);
  const processes = ["files-svc", "gateway"].map((name) => {
    const pid = stack.pid(name);
    const before = residentMib(pid);
    return { name, pid, before, most: before };
  });
  const watch = setInterval(() => {
    for (const one of processes) one.most = Math.max(one.most, residentMib(one.pid));
  }, 100);
  await idleDisk();
  const uploading = uploader.run("transfer", many);
  const meanwhile = await bench.generator.run("http", { ...load, durationMs: 2_000 });
  const { perSecond, refusals } = await uploading;
  clearInterval(watch);
  const isRefused = Object.keys(refusals).length > 0;
  return [
    {
      text: `${parallel} uploads of ${many.megabytes} MB at once, none refused`,
      value: `${Math.round(perSecond)} MB/s, refused ${JSON.stringify(refusals)}`,
      met: !isRefused,
    },
    ...processes.map(({ name, before, most }) => {
      const each = (most - before) / parallel;
      const text = `memory of ${name} for each of them ≤ ${mibMax} MiB`;
      return { text, value: `${each.toFixed(1)} MiB`, met: each <= mibMax && !isRefused };
    }),
    {
      text: "p99 of GET /project-client meanwhile, against idle",
      value: `${meanwhile.p99Ms.toFixed(1)} and ${idle.p99Ms.toFixed(1)} ms`,
      met: null,
    },
  ];
}
