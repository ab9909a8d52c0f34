import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { eventually } from "@platform/test-kit/eventually";
import { startTestS3, type TestS3 } from "@platform/test-kit/s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { beginPut } from "./raw-request.ts";

let s3: TestS3;
let harness: FilesHarness;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  s3 = await startTestS3();
  harness = await startFilesHarness({ env: { ...s3.env, UPLOAD_LEASE_SECONDS: "2" } });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await harness?.close();
  await s3?.close();
});

async function startServer() {
  const script = fileURLToPath(new URL("./crashing-server.ts", import.meta.url));
  const env = { ...process.env, ...harness.env };
  const child: ChildProcess = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  return { client: connectFilesClient(JSON.parse(line as string)), child };
}

const bytes = Buffer.alloc(16_000_000, "A line of a file whose service is killed in the middle of its upload.\n");

test("accepts an interrupted S3 upload again with the same token after the service was killed and restarted", async () => {
  const first = await startServer();
  const grant = await harness.grant(bytes, "text/plain");
  const put = await beginPut(first.client.baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, {
    "content-type": "text/plain",
    "content-length": String(bytes.byteLength),
  });
  put.socket.write(bytes.subarray(0, 12_000_000));
  const of = { projectClientId: harness.clientId, fileObjectId: grant.fileObjectId };
  const stateOf = async (): Promise<string> => (await harness.admin.getFileObject(of, harness.call())).state;
  await eventually(async () => (await stateOf()) === "uploading");
  const exited = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await exited;
  first.client.close();

  const second = await startServer();
  const codes = new Set<string | null>();
  await eventually(
    async () => {
      const answer = await second.client.put(grant.uploadToken, bytes);
      codes.add(answer.code);
      return answer.status === 200;
    },
    { timeoutMs: 60_000, what: "the repeat is accepted" },
  );
  expect(codes.has("upload_token_invalid")).toBe(false);
  await eventually(async () => (await stateOf()) === "available", { timeoutMs: 60_000, what: "available" });
  const { fileObjectId } = grant;
  const { downloadUrl } = await harness.files.createDownloadGrant({ fileObjectId }, harness.call("whole"));
  const download = await second.client.get(downloadUrl);
  expect(download.body.equals(bytes)).toBe(true);
  second.client.close();
});
