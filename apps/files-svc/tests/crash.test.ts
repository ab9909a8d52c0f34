import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesWorker } from "../src/create-files-worker.ts";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { beginPut } from "./raw-request.ts";

let harness: FilesHarness;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await harness.close();
});

/** A files-svc in a separate process, with the database, Redis and blobs of the harness. */
async function spawnServer(crashAt = "") {
  const script = fileURLToPath(new URL("./crashing-server.ts", import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...harness.env, CRASH_AT: crashAt },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const exited = once(child, "exit");
  const ports = await new Promise<{ grpcPort: number; httpPort: number }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
    exited.then(() => reject(new Error("the server ended before it was ready")));
  });
  return {
    client: connectFilesClient(ports),
    exited,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * Runs a worker whose clock is ahead by `laterMs`, until `settled` has resolved. With the default of two minutes,
 * leases have expired and compensations are due.
 */
async function whileSweeping(settled: () => Promise<void>, laterMs = 120_000): Promise<void> {
  const clock = () => new Date(Date.now() + laterMs);
  const worker = await createFilesWorker(readServerConfig(harness.env), { logger: silentLogger(), clock });
  try {
    await settled();
  } finally {
    await worker.close();
  }
}

async function gaugeInDocuments(): Promise<number> {
  return Number((await harness.quotaLevels.getQuotaLevel({ resource: "storage_bytes" }, harness.call())).used);
}

const storedOf = async (fileObjectId: string): Promise<number> =>
  (await harness.storedFiles()).filter((name) => name.includes(fileObjectId)).length;

const stateOf = async (fileObjectId: string): Promise<string> =>
  (await harness.admin.getFileObject({ projectClientId: harness.clientId, fileObjectId }, harness.call())).state;

/**
 * Expects that there are no readable bytes, as before the upload, and that the grant can be used and expires like an
 * unused one.
 */
async function expectReleased(fileObjectId: string, usedBefore: number): Promise<void> {
  await whileSweeping(async () => {
    await eventually(async () => (await stateOf(fileObjectId)) === "pending_upload", {
      what: "the grant usable again",
    });
  });
  await expect(harness.files.completeFileObject({ fileObjectId }, harness.call())).rejects.toMatchObject({
    code: "file_object_not_uploaded",
  });
  await expect(
    harness.files.createDownloadGrant({ fileObjectId }, harness.call(`gone-${fileObjectId}`)),
  ).rejects.toMatchObject({ code: "file_object_not_available" });
  await whileSweeping(async () => {
    await eventually(async () => (await stateOf(fileObjectId)) === "expired", { what: "the grant expired" });
    await eventually(async () => (await harness.storageUsed()) === usedBefore, { what: "the reservation is released" });
    await eventually(async () => (await storedOf(fileObjectId)) === 0, { what: "the bytes removed" });
  }, 20 * 60_000);
}

const bytes = Buffer.alloc(2_500_000, "Some plain text that is uploaded.\n");

describe("a server of files-svc that is killed in the middle of an upload", () => {
  it.each([["created"], ["written"], ["committed"]])(
    "leaves no readable bytes and a usable grant if it is killed at the step %s",
    async (step) => {
      const before = await harness.storageUsed();
      const server = await spawnServer(step);
      const grant = await harness.grant(bytes, "text/plain");
      await expect(server.client.put(grant.uploadToken, bytes)).rejects.toThrow();
      await server.exited;
      expect(await stateOf(grant.fileObjectId)).toBe("uploading");
      await expectReleased(grant.fileObjectId, before);
      server.client.close();
    },
  );

  it("removes a partial upload if it is killed while bytes arrive, and the charge when the grant expires", async () => {
    const before = await harness.storageUsed();
    const server = await spawnServer();
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginPut(server.client.baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, {
      "content-type": "text/plain",
      "content-length": String(bytes.byteLength),
    });
    put.socket.write(bytes.subarray(0, 2_000_000));
    await eventually(async () => (await harness.storedFiles()).some((name) => name.includes(grant.fileObjectId)));
    await server.kill();
    await expectReleased(grant.fileObjectId, before);
    server.client.close();
  });

  it("classifies an accepted upload in another process after a kill, and charges its real size", async () => {
    const before = await harness.storageUsed();
    const server = await spawnServer();
    const grant = await harness.grant(bytes, "text/plain", bytes.byteLength + 1_000_000);
    const [answer] = await Promise.all([
      server.client.put(grant.uploadToken, bytes).catch(() => null),
      eventually(async () => ["quarantined", "available"].includes(await stateOf(grant.fileObjectId)), {
        everyMs: 1,
      }).then(server.kill),
    ]);
    expect([200, undefined]).toContain(answer?.status);
    await whileSweeping(async () => {
      await eventually(async () => (await stateOf(grant.fileObjectId)) === "available");
      await eventually(async () => (await harness.storageUsed()) === before + bytes.byteLength, { what: "settled" });
    });
    server.client.close();
  });

  it("keeps acknowledged uploads and leaves no partial ones, whenever it is killed", async () => {
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      const server = await spawnServer();
      const grants = await Promise.all(Array.from({ length: 8 }, () => harness.grant(bytes, "text/plain")));
      const puts = grants.map((grant) => server.client.put(grant.uploadToken, bytes).catch(() => null));
      // The process is killed after a number of uploads have started. The number is different in each round.
      await eventually(
        async () => {
          const states = await Promise.all(grants.map((grant) => stateOf(grant.fileObjectId)));
          return states.filter((state) => state !== "pending_upload").length > round;
        },
        { everyMs: 1 },
      );
      await server.kill();
      const answers = await Promise.all(puts);
      await whileSweeping(async () => {
        for (const [index, grant] of grants.entries()) {
          const state = await eventually(async () => {
            const now = await stateOf(grant.fileObjectId);
            return now === "uploading" || now === "quarantined" ? null : now;
          });
          if (answers[index]?.status === 200) expect(state).toBe("available");
          const isKept = state === "available";
          // An upload that is killed after its commit leaves complete bytes, which the next attempt or the expiry of
          // its grant removes.
          const most = isKept || state === "pending_upload" ? 1 : 0;
          await eventually(async () => (await storedOf(grant.fileObjectId)) <= most, { what: "no orphans" });
          if (isKept) expect(await storedOf(grant.fileObjectId)).toBe(1);
        }
        await eventually(async () => (await harness.storageUsed()) === (await gaugeInDocuments()), { what: "settled" });
      });
      server.client.close();
    }
  });
});
