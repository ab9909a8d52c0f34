import { eventually } from "@platform/test-kit/eventually";
import { expect, test } from "vitest";
import { startFilesHarness } from "./files-harness.ts";
import { startClamd } from "./start-clamd.ts";

const get = async (port: number | undefined, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

/**
 * Waits until the readiness probe contains this text. On a busy machine, the probe may also name a slow store until
 * its next check.
 */
const readyzShows = (port: number | undefined, text: string) =>
  eventually(
    async () => {
      const reply = await get(port, "/readyz");
      return reply.status === 200 && reply.text === text;
    },
    { what: `readyz shows ${JSON.stringify(text)}` },
  );

const upload = async (harness: Awaited<ReturnType<typeof startFilesHarness>>, text: string): Promise<string> => {
  const bytes = Buffer.from(text);
  const grant = await harness.grant(bytes, "text/plain");
  expect((await harness.put(grant.uploadToken, bytes)).status).toBe(200);
  return grant.fileObjectId;
};

test("reports the age of the oldest quarantined file, and names clamd while clamd is unavailable", async () => {
  const clamd = await startClamd();
  const harness = await startFilesHarness({ env: { CLAMD_URL: clamd.url } });
  const oldest = async (): Promise<number> => {
    const { text } = await get(harness.worker?.probePort, "/metrics");
    return Number(/^platform_files_oldest_quarantined_seconds\S* (\S+)$/m.exec(text)?.[1]);
  };
  try {
    await clamd.kill();
    const fileObjectId = await upload(harness, "Nobody scans this yet.");
    await eventually(async () => (await oldest()) > 0, { what: "the gauge shows the file" });
    for (const process of [harness.server, harness.worker])
      await readyzShows(process?.probePort, "ok\nclamd: unavailable\n");
    await clamd.start();
    const stateOf = async () =>
      (await harness.admin.getFileObject({ projectClientId: harness.clientId, fileObjectId }, harness.call())).state;
    await eventually(async () => (await stateOf()) === "available", { timeoutMs: 60_000, what: "classified" });
    await eventually(async () => (await oldest()) === 0, { what: "the gauge is back at 0" });
    await readyzShows(harness.server.probePort, "ok\n");
  } finally {
    await harness.close();
    await clamd.close();
  }
});

test("keeps files in quarantine without a worker", async () => {
  const harness = await startFilesHarness({ hasWorker: false });
  try {
    const fileObjectId = await upload(harness, "The server does not look into this.");
    const soon = { ...harness.call(), deadlineMs: Date.now() + 2_000 };
    const { rejectionReason } = await harness.files.completeFileObject({ fileObjectId }, soon);
    const { state } = await harness.admin.getFileObject(
      { projectClientId: harness.clientId, fileObjectId },
      harness.call(),
    );
    expect([state, rejectionReason]).toEqual(["quarantined", undefined]);
  } finally {
    await harness.close();
  }
});
