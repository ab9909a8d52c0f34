import { randomBytes, randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc } from "@platform/kit/rpc/client";
import { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createIdentityServer } from "../src/create-identity-server.ts";
import { refusal } from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

/** Runs `work` with a second server that uses the same database and other keys. */
async function withKeys<T>(
  keys: { SERVICE_KEY: string; SERVICE_KEY_PREVIOUS?: string },
  work: (migration: TestIdentity["migration"]) => Promise<T>,
): Promise<T> {
  const config = readServerConfig({ ...identity.settings, ...keys });
  const server = await createIdentityServer(config, { logger: silentLogger(), clock: identity.clock.now });
  const connection = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null });
  try {
    return await work(connection.service(IdentityMigrationService));
  } finally {
    connection.close();
    await server.close();
  }
}

test("rejects a repeated creation after its service key was removed, and creates no second transaction", async () => {
  const clientId = await makeClient(identity);
  const request = {
    projectClientId: clientId,
    legacySubject: "legacy-of-a-lost-key",
    email: "lost-key@example.com",
    locale: "en",
    correlationId: randomUUID(),
    expiresAt: timestampFromDate(new Date(identity.clock.now().getTime() + 3_600_000)),
  };
  const create = (migration: TestIdentity["migration"]) =>
    migration.createIdentityMigrationTransaction(request, callAs(clientId, "lost-key"));
  const first = await create(identity.migration);
  const newKey = randomBytes(32).toString("base64");

  const whileKept = await withKeys(
    { SERVICE_KEY: newKey, SERVICE_KEY_PREVIOUS: identity.settings.SERVICE_KEY },
    create,
  );
  expect(whileKept).toMatchObject({ replayed: true, flowToken: first.flowToken });
  const onceDropped = await withKeys({ SERVICE_KEY: newKey }, (migration) => refusal(create(migration)));
  expect(onceDropped).toBe("identity_migration_transaction_expired");
});
