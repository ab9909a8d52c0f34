import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNginx } from "../nginx.ts";
import { startGenerator, startServer } from "../processes.ts";
import { type Check, type Contender, type Row, ratioCheck } from "../row.ts";
import { downloadPath, grantUploads, uploadAvailable, uploadPath } from "./file-objects.ts";
import { authorized, httpContender } from "./http-contenders.ts";

/** Size of one upload. */
const megabytes = Number(process.env.BENCH_UPLOAD_MB ?? 1_024);
const ours = "PUT through the gateway";
const bare = "node:http that hashes and flushes";
const discard = "node:http that throws it away";
const tus = "@tus/server, no hash, no flush";
const nginx = "nginx DAV PUT, no hash, no flush";
const flushed = "a file written and flushed";
const download = "download through the gateway";
const bareDownload = "node:http that streams the file";
const unit = "MB/s";

/** One large upload and download, then many uploads at once beside small requests. */
export const uploadsRow: Row = {
  id: "B8",
  title: `Upload and download of ${megabytes} MB, SHA-256 checked, flushed before the answer`,
  run: async (bench) => {
    const platform = await bench.platform();
    const scratch = await mkdtemp(join(tmpdir(), "bench-b8-"));
    bench.defer(() => rm(scratch, { recursive: true, force: true }));
    const files = await startServer("../peers/node-files.mjs", { env: { TMPDIR: scratch } });
    const tusServer = await startServer("../peers/tus-server.mjs", { env: { TMPDIR: scratch } });
    const dav = await startNginx("dav_methods PUT; create_full_put_path on;");
    for (const server of [files, tusServer, dav]) bench.defer(server.stop);
    const put = (port: number, path: string, headers: Record<string, string> = {}) =>
      bench.generator.run("transfer", { port, method: "PUT", paths: [path], headers, megabytes });
    const uploadOurs = async () => {
      const [grant] = await grantUploads(platform, megabytes, 1);
      if (grant === undefined) throw new Error("no grant");
      return { grant, sample: await put(platform.port, uploadPath(grant), { "content-type": "text/plain" }) };
    };
    const kept = await grantUploads(platform, megabytes, 1);
    const [grant] = kept;
    if (grant === undefined) throw new Error("no grant");
    const id = await uploadAvailable(platform, grant, async () => {
      await put(platform.port, uploadPath(grant), { "content-type": "text/plain" });
    });
    await put(files.port, "/kept", { "x-keep": "1" });
    const get = async (port: number, path: string) =>
      bench.generator.run("transfer", { port, method: "GET", paths: [path], headers: {}, megabytes });

    const contenders: Contender[] = [
      { name: ours, role: "ours", unit, run: async () => (await uploadOurs()).sample },
      { name: bare, role: "baseline", unit, run: () => put(files.port, "/one") },
      { name: discard, role: "baseline", unit, run: () => put(files.port, "/one", { "x-discard": "1" }) },
      { name: tus, role: "peer", unit, run: () => putTus(tusServer.port) },
      { name: nginx, role: "peer", unit, run: () => put(dav.port, "/one") },
      { name: "SHA-256 alone", role: "baseline", unit, run: () => bench.generator.run("hash", { megabytes }) },
      {
        name: flushed,
        role: "baseline",
        unit,
        run: () => bench.generator.run("flush", { megabytes, folder: scratch }),
      },
      {
        name: download,
        role: "ours",
        unit,
        run: async () => get(platform.port, await downloadPath(platform, id)),
      },
      { name: bareDownload, role: "baseline", unit, run: () => get(files.port, "/kept") },
    ];
    const putTus = async (port: number) => {
      const created = await fetch(`http://127.0.0.1:${port}/files`, {
        method: "POST",
        headers: { "tus-resumable": "1.0.0", "upload-length": `${megabytes * 1_000_000}` },
      });
      const headers = {
        "tus-resumable": "1.0.0",
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
      };
      const paths = [created.headers.get("location") ?? ""];
      return bench.generator.run("transfer", { port, method: "PATCH", paths, headers, megabytes });
    };
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: [
        ratioCheck(measured, [ours, bare], 0.7),
        ratioCheck(measured, [ours, tus], 1.8),
        ratioCheck(measured, [ours, nginx], 0.85),
        // tus flushes nothing: where this is less than what is asked beside tus, the disk alone forbids it.
        ratioCheck(measured, [flushed, tus], null),
        // The bytes read and nothing else done: what the client, the loopback and one process of Node allow.
        ratioCheck(measured, [ours, discard], null),
        ratioCheck(measured, [download, bareDownload], 0.7),
        ...(await manyAtOnce(bench, platform)),
      ],
      notes: [],
    };
  },
};

const parallel = 16;
const partMegabytes = Math.max(16, Math.floor(megabytes / 4));

/** Sixteen uploads at once: what they take of files-svc's memory, and what small requests notice. */
async function manyAtOnce(
  bench: Parameters<Row["run"]>[0],
  platform: Awaited<ReturnType<typeof bench.platform>>,
): Promise<Check[]> {
  const small = httpContender(bench, {
    name: "",
    role: "ours",
    port: platform.port,
    connections: 2,
    path: "/api/v1/project-client",
    headers: authorized(platform),
  });
  const idle = await small.run(2_000);
  const grants = await grantUploads(platform, partMegabytes, parallel);
  // The small requests keep their core to themselves.
  const uploader = startGenerator({ place: "stores" });
  bench.defer(uploader.stop);
  const names = ["files-svc", "gateway"] as const;
  const rss = (name: (typeof names)[number]): number => rssMb(platform.stack.pid(name));
  const before = names.map(rss);
  const peaks = [...before];
  const watch = setInterval(() => {
    for (const [index, name] of names.entries()) peaks[index] = Math.max(peaks[index] ?? 0, rss(name));
  }, 100);
  const uploading = uploader.run("transfer", {
    port: platform.port,
    method: "PUT",
    paths: grants.map(uploadPath),
    headers: { "content-type": "text/plain" },
    megabytes: partMegabytes,
  });
  const meanwhile = await small.run(2_000);
  const uploads = await uploading;
  clearInterval(watch);
  const growth = names.map((_, index) => ((peaks[index] ?? 0) - (before[index] ?? 0)) / parallel);
  const refused = Object.entries(uploads.refusals);
  return [
    {
      text: `${parallel} uploads of ${partMegabytes} MB at once, none refused`,
      value: `${Math.round(uploads.perSecond)} MB/s${refused.length === 0 ? "" : `, ${JSON.stringify(uploads.refusals)}`}`,
      met: refused.length === 0,
    },
    ...names.map((name, index) => ({
      text: `RSS growth of ${name} for each of them ≤ 8 MiB`,
      value: `${(growth[index] ?? 0).toFixed(1)} MiB`,
      met: (growth[index] ?? 0) <= 8,
    })),
    {
      text: "p99 of GET /project-client meanwhile ≤ 1.5 × idle",
      value: `${meanwhile.p99Ms.toFixed(1)} against ${idle.p99Ms.toFixed(1)} ms`,
      met: meanwhile.p99Ms <= 1.5 * idle.p99Ms,
    },
  ];
}

function rssMb(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096) / 2 ** 20;
}
