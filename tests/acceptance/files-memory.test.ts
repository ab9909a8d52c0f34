import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { stackPorts } from "@platform/stack/ports";
import { beforeAll, describe, expect, test } from "vitest";
import { grantUpload, newStorageClient } from "./file-grants.ts";
import { acceptanceStack, api, type TestClient } from "./stack.ts";

const { baseUrl, internalUrl } = acceptanceStack;
const mebibyte = 1024 * 1024;
const piece = Buffer.from("An easy line of sixty-four bytes, all of them printable ASCII..\n".repeat(mebibyte / 64));

let client: TestClient;
beforeAll(async () => {
  client = await newStorageClient();
});

type Memory = Record<"gateway" | "files-svc", number>;

/** Allowed growth of each process in MiB. The gateway holds unused buffers until the next garbage collection. */
const growthMibMax: Memory = { gateway: 128, "files-svc": 64 };
const names = Object.keys(growthMibMax) as (keyof Memory)[];

/** Reads the resident memory in bytes of every process through which a file passes, from its metrics. */
async function residentBytes(): Promise<Memory> {
  const probe = `http://127.0.0.1:${stackPorts(Number(new URL(baseUrl).port)).files.serverProbe}`;
  const read = async (url: string, name: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1]);
  };
  const [gateway, files] = await Promise.all([
    read(internalUrl, "process_resident_memory_bytes"),
    read(probe, "process_resident_memory_bytes"),
  ]);
  return { gateway, "files-svc": files };
}

/** Runs `work` and returns the largest growth of each process in MiB. */
async function growthDuring(work: () => Promise<void>): Promise<Memory> {
  const before = await residentBytes();
  const most = { ...before };
  let isDone = false;
  const finished = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const now = await residentBytes();
    for (const name of names) most[name] = Math.max(most[name], now[name]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await finished;
  for (const name of names) most[name] = Math.round((most[name] - before[name]) / mebibyte);
  return most;
}

async function grantOf(mebibytes: number): Promise<{ sha256: string; file_object_id: string; upload_token: string }> {
  const hash = createHash("sha256");
  for (let index = 0; index < mebibytes; index += 1) hash.update(piece);
  const sha256 = hash.digest("hex");
  return { sha256, ...(await grantUpload(client, sha256, mebibytes * mebibyte)) };
}

async function upload(token: string, mebibytes: number): Promise<number> {
  const outgoing = httpRequest(`${baseUrl}/api/v1/file-uploads/${token}`, {
    method: "PUT",
    headers: { "content-type": "text/plain", "content-length": mebibytes * mebibyte },
  });
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  for (let sent = 0; sent < mebibytes; sent += 1) if (!outgoing.write(piece)) await once(outgoing, "drain");
  outgoing.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

/** Waits until the file has been scanned, and returns its download address. */
async function downloadUrl(fileObjectId: string): Promise<string> {
  const path = `/file-objects/${fileObjectId}`;
  const statusOf = async () => (await api("POST", `${path}/complete`, { credential: client.credential })).json.data;
  await expect.poll(statusOf, { timeout: 110_000 }).toMatchObject({ status: "available" });
  return (await api("POST", `${path}/download-grants`, { credential: client.credential })).json.data.download_url;
}

async function download(url: string): Promise<string> {
  const hash = createHash("sha256");
  const response = await fetch(url);
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest("hex");
}

// With BASE_URL the platform runs elsewhere, so its memory cannot be read.
describe.runIf(internalUrl !== "")("one gibibyte", () => {
  test("uploads and downloads a large file while no process grows by an eighth of the file's size", async () => {
    // The first transfers in both directions are a warm-up, because buffers and compiled code would otherwise count as
    // growth.
    const first = await grantOf(128);
    expect(await upload(first.upload_token, 128)).toBe(200);
    expect(await download(await downloadUrl(first.file_object_id))).toBe(first.sha256);

    const granted = await grantOf(1024);
    const up = await growthDuring(async () => expect(await upload(granted.upload_token, 1024)).toBe(200));
    const url = await downloadUrl(granted.file_object_id);
    const down = await growthDuring(async () => expect(await download(url)).toBe(granted.sha256));
    const tooMuch = names.filter((name) => !(Math.max(up[name], down[name]) < growthMibMax[name]));
    expect(tooMuch, `growth in MiB: ${JSON.stringify({ up, down })}`).toEqual([]);
  }, 400_000);
});
