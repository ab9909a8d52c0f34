import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
let client: { id: string; credential: string };
beforeAll(async () => {
  own = await startOwnStack({ TRANSFER_DRAIN_SECONDS: "1", UPLOAD_LEASE_SECONDS: "3" });
  const { id } = await own.newClient();
  const scopes = ["--client", id, "--scopes", "files:write"];
  client = { id, credential: (await own.ctl(["credentials", "issue", ...scopes])).credential };
});
afterAll(() => own?.close());

const bytes = Buffer.alloc(4_000_000, "A line of a file that is uploaded while something ends.\n");

async function grant(): Promise<{ file_object_id: string; upload_token: string }> {
  const response = await fetch(`${own.gateways[1]}/api/v1/file-objects/upload-grants`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${client.credential}`,
      "idempotency-key": randomUUID(),
      "content-type": "application/json",
    },
    body: JSON.stringify({
      expected_sha256: createHash("sha256").update(bytes).digest("hex"),
      expected_content_type: "text/plain",
      maximum_bytes: bytes.byteLength,
    }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { file_object_id: string; upload_token: string } }).data;
}

const stateOf = async (id: string): Promise<string> =>
  (await own.ctl(["files", "show", "--client", client.id, "--file", id])).state;

/** Sends half of the bytes to the first gateway and waits until files-svc has received them. */
async function beginHalf(granted: { file_object_id: string; upload_token: string }): Promise<void> {
  const { hostname, port } = new URL(own.gateways[0]);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = [`host: ${hostname}`, "content-type: text/plain", `content-length: ${bytes.byteLength}`];
  socket.write(`PUT /api/v1/file-uploads/${granted.upload_token} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  socket.write(bytes.subarray(0, 2_000_000));
  await eventually(async () => (await stateOf(granted.file_object_id)) === "uploading", { what: "uploading" });
}

/** Repeats the upload until its response is not retryable. Returns the status of each attempt. */
async function repeat(token: string): Promise<number> {
  return eventually(
    async () => {
      const response = await fetch(`${own.gateways[1]}/api/v1/file-uploads/${token}`, {
        method: "PUT",
        headers: { "content-type": "text/plain" },
        body: bytes,
      }).catch(() => null);
      const json: any = await response?.json();
      return response === null || json.error?.retryable === true ? null : response.status;
    },
    { timeoutMs: 60_000, what: "the repeat is answered" },
  );
}

test.each([
  ["its gateway is killed", "gateway", "SIGKILL"],
  ["its gateway is stopped", "gateway", "SIGTERM"],
  ["files-svc is killed", "files-svc", "SIGKILL"],
  ["files-svc is stopped", "files-svc", "SIGTERM"],
] as const)("accepts an upload token again when %s during the upload", async (_name, name, signal) => {
  const granted = await grant();
  await beginHalf(granted);
  await own.stack.kill(name, signal);
  await own.stack.start(name);
  expect(await repeat(granted.upload_token)).toBe(200);
  expect(["quarantined", "available"]).toContain(await stateOf(granted.file_object_id));
});
