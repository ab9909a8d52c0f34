import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { QuotaLevelService } from "@platform/proto/events/v1/events_service";
import { createTestAuthority, type TestAuthority, writeTlsFiles } from "@platform/test-kit/certificates";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import { type GrpcServer, serveGrpc } from "../src/rpc/serve.ts";
import { implement } from "../src/rpc/served-service.ts";

const run = promisify(execFile);
const buf = resolve(import.meta.dirname, "../../../node_modules/.bin/buf");
let directory: string;
let authority: TestAuthority;
let server: GrpcServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "reflection-"));
  authority = await createTestAuthority();
  server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: await writeTlsFiles(join(directory, "server"), [authority], await authority.issue("events-svc")),
    services: [implement(QuotaLevelService, { getQuotaLevel: async () => ({ used: 7n }) })],
    logger: silentLogger(),
    metrics: createMetrics("events-svc", { processMetrics: false }),
  });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the output of `buf curl` for server reflection with a caller's certificate. */
async function describeAs(caller: string, ...args: string[]): Promise<string> {
  const { caPath, certPath, keyPath } = await writeTlsFiles(
    join(directory, caller),
    [authority],
    await authority.issue(caller),
  );
  const tls = ["--cacert", caPath, "--cert", certPath, "--key", keyPath];
  const { stdout } = await run(buf, ["curl", "--protocol", "grpc", ...tls, ...args]);
  return stdout;
}

test("lists services and methods to a caller with an operator's certificate", async () => {
  const origin = `https://localhost:${server.port}`;
  expect(await describeAs("operator", "--list-services", origin)).toBe(
    "projectintegration.events.v1.QuotaLevelService\n",
  );
  const methods = await describeAs("operator", "--list-methods", origin);
  expect(methods).toContain("projectintegration.events.v1.QuotaLevelService/GetQuotaLevel");
});

test("refuses reflection to callers with any other certificate", async () => {
  const asked = describeAs("gateway", "--list-services", `https://localhost:${server.port}`);
  await expect(asked).rejects.toThrow(/not authenticated/);
});
