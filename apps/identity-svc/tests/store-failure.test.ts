import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

test("returns dependency_unavailable while the store fails, and creates one transaction when the request is repeated", async () => {
  const { mongo, migration, clock } = identity;
  const clientId = await makeClient(identity);
  const request = {
    projectClientId: clientId,
    legacySubject: "legacy-1",
    email: "person@example.com",
    locale: "en",
    correlationId: randomUUID(),
    expiresAt: timestampFromDate(new Date(clock.now().getTime() + 3_600_000)),
  };
  const create = () => migration.createIdentityMigrationTransaction(request, callAs(clientId, "key"));
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1_000 });
  await expect(create()).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  mongo.fail({ command: "insert", code: 112, message: "WriteConflict", times: 1, isDone: true });
  expect(await create()).toMatchObject({ replayed: false });
  expect(await create()).toMatchObject({ replayed: true });
});

test("returns dependency_unavailable for a conflict inside findAndModify, whatever its code", async () => {
  const { mongo, clients } = identity;
  const clientId = await makeClient(identity);
  mongo.fail({ command: "findAndModify", collection: "project_clients", code: 1, message: "", times: 1 });
  const disabled = clients.disableProjectClient({ projectClientId: clientId }, callAs(null));
  await expect(disabled).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
});
