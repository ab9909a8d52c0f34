import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { stackPorts } from "@platform/stack/ports";
import { beforeAll, describe, expect, test } from "vitest";
import { acceptanceStack, api, ctl, newClient, type TestClient } from "./stack.ts";

const { baseUrl, internalUrl } = acceptanceStack;
const gateway = new URL(baseUrl);
const mebibyte = 1024 * 1024;
const waitMs = 60_000;

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
  const quota = ["--resource", "storage_bytes", "--limit", String(8 * 1024 * mebibyte)];
  await ctl(["quotas", "set", "--client", client.id, ...quota]);
});

async function grant(sha256: string, maximumBytes: number) {
  const body = { expected_sha256: sha256, expected_content_type: "text/plain", maximum_bytes: maximumBytes };
  let granted: { file_object_id: string; upload_token: string } | null = null;
  // A quota that was raised a moment ago holds on every gateway within a second.
  const ask = async (): Promise<number> => {
    const reply = await api("POST", "/file-objects/upload-grants", { credential: client.credential, body });
    if (reply.status === 200) granted = reply.json.data;
    return reply.status;
  };
  await expect.poll(ask, { timeout: waitMs }).toBe(200);
  if (granted === null) throw new Error("a grant without its data");
  return granted as { file_object_id: string; upload_token: string };
}

const stateOf = async (fileObjectId: string): Promise<{ state: string; charged_bytes: number }> =>
  ctl(["files", "show", "--client", client.id, "--file", fileObjectId]);

/** Opens a PUT by hand; the body is the caller's. */
async function beginPut(
  token: string,
  headers: Record<string, string | number>,
): Promise<{ socket: Socket; text(): string }> {
  const socket = connect(Number(gateway.port), gateway.hostname);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  const lines = Object.entries({ host: gateway.host, "content-type": "text/plain", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`PUT /api/v1/file-uploads/${token} HTTP/1.1\r\n${head}\r\n`);
  return { socket, text: () => text };
}

describe("Expect: 100-continue through the gateway", () => {
  const bytes = Buffer.from("x".repeat(1000));
  const headers = { "content-length": 1000, expect: "100-continue" };

  test("is answered 100 once the token is claimed, and then the bytes are taken", async () => {
    const granted = await grant(createHash("sha256").update(bytes).digest("hex"), 1000);
    const put = await beginPut(granted.upload_token, headers);
    await expect.poll(put.text, { timeout: waitMs }).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect((await stateOf(granted.file_object_id)).state).toBe("uploading");
    put.socket.write(bytes);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/HTTP\/1\.1 200 OK/);
    put.socket.destroy();
  });

  test("is answered with the refusal, and never with 100, when the token is no good", async () => {
    const put = await beginPut(randomBytes(32).toString("hex"), headers);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/upload_token_invalid/);
    expect(put.text()).toMatch(/^HTTP\/1\.1 422 /);
    put.socket.destroy();
  });
});

describe("a connection that breaks or stalls", () => {
  test("a client that hangs up in the middle ends the upload behind the gateway at once", async () => {
    const granted = await grant("c".repeat(64), 10 * mebibyte);
    const put = await beginPut(granted.upload_token, { "content-length": 10 * mebibyte });
    put.socket.write(Buffer.alloc(2 * mebibyte, "y"));
    await expect.poll(async () => (await stateOf(granted.file_object_id)).state, { timeout: waitMs }).toBe("uploading");
    put.socket.destroy();
    await expect
      .poll(async () => stateOf(granted.file_object_id), { timeout: waitMs })
      .toMatchObject({ state: "upload_failed", charged_bytes: 0 });
  });

  test("one byte too many is answered while the client still sends, and its connection goes", async () => {
    const granted = await grant("d".repeat(64), 100_000);
    const put = await beginPut(granted.upload_token, { "transfer-encoding": "chunked" });
    const closed = once(put.socket, "close");
    put.socket.write(`${(200_000).toString(16)}\r\n${"z".repeat(200_000)}\r\n`);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/upload_too_large/);
    expect(put.text()).toMatch(/^HTTP\/1\.1 422 [\s\S]*connection: close/i);
    await closed;
  });

  test("a stalled upload is answered 504 deadline_exceeded by the pace, not by the gateway's request timeout", async () => {
    const granted = await grant("e".repeat(64), 10 * mebibyte);
    const put = await beginPut(granted.upload_token, { "content-length": 10 * mebibyte });
    put.socket.write(Buffer.alloc(mebibyte, "y"));
    await expect
      .poll(put.text, { timeout: 100_000, interval: 500 })
      .toMatch(/^HTTP\/1\.1 504 [\s\S]*deadline_exceeded/);
    await expect
      .poll(async () => stateOf(granted.file_object_id), { timeout: waitMs })
      .toMatchObject({ state: "upload_failed", charged_bytes: 0 });
    put.socket.destroy();
  });
});

/** Resident memory of gateway and files-svc in bytes, by their own metrics. */
async function residentBytes(): Promise<number[]> {
  const probe = `http://127.0.0.1:${stackPorts(Number(gateway.port)).files.serverProbe}`;
  const read = async (url: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]);
  };
  return Promise.all([read(internalUrl), read(probe)]);
}

/** Runs `work` and says by how many bytes gateway and files-svc were larger at most than at its beginning. */
async function growthDuring(work: () => Promise<void>): Promise<number[]> {
  const before = await residentBytes();
  let most = before;
  let isDone = false;
  const finished = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const now = await residentBytes();
    most = most.map((value, index) => Math.max(value, now[index] ?? 0));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await finished;
  return most.map((value, index) => value - (before[index] ?? 0));
}

// The platform under test may be another one, reached by BASE_URL; its memory is not ours to read then.
describe.runIf(internalUrl !== "")("one gibibyte", () => {
  const piece = Buffer.from("An easy line of sixty-four bytes, all of them printable ASCII..\n".repeat(mebibyte / 64));

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

  async function grantOf(mebibytes: number) {
    const hash = createHash("sha256");
    for (let index = 0; index < mebibytes; index += 1) hash.update(piece);
    const sha256 = hash.digest("hex");
    return { sha256, ...(await grant(sha256, mebibytes * mebibyte)) };
  }

  test("goes up and comes down through the gateway while neither process grows by 64 MiB", async () => {
    // The first bytes warm both processes up: their buffers and compiled code are no growth by size.
    expect(await upload((await grantOf(128)).upload_token, 128)).toBe(200);

    const granted = await grantOf(1024);
    const up = await growthDuring(async () => expect(await upload(granted.upload_token, 1024)).toBe(200));

    const path = `/file-objects/${granted.file_object_id}`;
    const statusOf = async () => (await api("POST", `${path}/complete`, { credential: client.credential })).json.data;
    await expect.poll(statusOf, { timeout: 110_000 }).toMatchObject({ status: "available" });

    const url = (await api("POST", `${path}/download-grants`, { credential: client.credential })).json.data
      .download_url;
    const hash = createHash("sha256");
    const down = await growthDuring(async () => {
      const response = await fetch(url);
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) hash.update(chunk);
    });
    expect(hash.digest("hex")).toBe(granted.sha256);
    for (const grown of [...up, ...down]) expect(grown / mebibyte).toBeLessThan(64);
  }, 400_000);
});
