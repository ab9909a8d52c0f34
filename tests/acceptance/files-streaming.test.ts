import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { grantUpload, newStorageClient } from "./file-grants.ts";
import { acceptanceStack, ctl, type TestClient } from "./stack.ts";

const { baseUrl } = acceptanceStack;
const gateway = new URL(baseUrl);
const mebibyte = 1024 * 1024;
const waitMs = 60_000;

let client: TestClient;
beforeAll(async () => {
  client = await newStorageClient();
});

const grant = (sha256: string, maximumBytes: number) => grantUpload(client, sha256, maximumBytes);

const stateOf = async (fileObjectId: string): Promise<{ state: string; charged_bytes: number }> =>
  ctl(["files", "show", "--client", client.id, "--file", fileObjectId]);

/** Opens a PUT request on a raw connection; the caller sends the body. */
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

  test("sends 100 Continue once the token is claimed, and then accepts the bytes", async () => {
    const granted = await grant(createHash("sha256").update(bytes).digest("hex"), 1000);
    const put = await beginPut(granted.upload_token, headers);
    await expect.poll(put.text, { timeout: waitMs }).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect((await stateOf(granted.file_object_id)).state).toBe("uploading");
    put.socket.write(bytes);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/HTTP\/1\.1 200 OK/);
    put.socket.destroy();
  });

  test("refuses an invalid token without sending 100 Continue", async () => {
    const put = await beginPut(randomBytes(32).toString("hex"), headers);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/upload_token_invalid/);
    expect(put.text()).toMatch(/^HTTP\/1\.1 422 /);
    put.socket.destroy();
  });
});

describe("a connection that breaks or stalls", () => {
  test("ends the upload behind the gateway immediately when its client disconnects", async () => {
    const granted = await grant("c".repeat(64), 10 * mebibyte);
    const put = await beginPut(granted.upload_token, { "content-length": 10 * mebibyte });
    put.socket.write(Buffer.alloc(2 * mebibyte, "y"));
    await expect.poll(async () => (await stateOf(granted.file_object_id)).state, { timeout: waitMs }).toBe("uploading");
    put.socket.destroy();
    await expect
      .poll(async () => stateOf(granted.file_object_id), { timeout: waitMs })
      .toMatchObject({ state: "upload_failed", charged_bytes: 0 });
  });

  test("rejects one byte too many while the client still sends, and closes the connection", async () => {
    const granted = await grant("d".repeat(64), 100_000);
    const put = await beginPut(granted.upload_token, { "transfer-encoding": "chunked" });
    const closed = once(put.socket, "close");
    put.socket.write(`${(200_000).toString(16)}\r\n${"z".repeat(200_000)}\r\n`);
    await expect.poll(put.text, { timeout: waitMs }).toMatch(/upload_too_large/);
    expect(put.text()).toMatch(/^HTTP\/1\.1 422 [\s\S]*connection: close/i);
    await closed;
  });

  test("returns 504 deadline_exceeded for a stalled upload because of its pace, not because of the gateway's request timeout", async () => {
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
