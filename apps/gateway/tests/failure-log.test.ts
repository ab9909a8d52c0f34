import { randomUUID } from "node:crypto";
import { createLogger } from "@platform/kit/process/telemetry";
import { startTestRedis } from "@platform/test-kit/redis";
import { expect, test } from "vitest";
import { startLoneGateway } from "./lone-gateway.ts";

test("logs a failed call with the service, the RPC and the correlation id", async () => {
  const lines: string[] = [];
  const redis = await startTestRedis();
  const logger = createLogger("gateway", "error", { write: (line) => void lines.push(line) });
  const gateway = await startLoneGateway(redis.url, {}, logger);
  const correlationId = randomUUID();
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/project-client`, {
    headers: { authorization: `Bearer pcred_${"0".repeat(32)}_${"0".repeat(64)}`, "x-correlation-id": correlationId },
  });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  const { error } = (await response.json()) as { error: { code: string; correlation_id: string } };
  expect(error.code).toBe("dependency_unavailable");
  const logged = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "a request failed");
  expect(logged).toMatchObject({ code: "dependency_unavailable", correlation_id: error.correlation_id });
  expect(logged.err.message).toMatch(
    /^projectintegration\.identity\.v1\.AuthenticationService\/AuthenticateProjectCredential failed with UNAVAILABLE: /,
  );
  await gateway.close();
  await redis.close();
});
