import { execFile } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames as services } from "@platform/contracts/services";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo } from "@platform/test-kit/mongo";
import { afterEach, expect, test } from "vitest";
import { freePortBase } from "../src/ports.ts";
import { runCtl } from "../src/run-ctl.ts";
import { loadSecrets, readEnvFile, writeSecrets } from "../src/settings.ts";
import { repositoryRoot, type Stack, startStack } from "../src/stack.ts";

const run = promisify(execFile);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}, 120_000);

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "platform-backup-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

type Api = (method: string, path: string, options?: { body?: unknown; key?: string }) => Promise<Record<string, any>>;

function apiOf(stack: Stack, credential: string): Api {
  return async (method, path, { body, key = randomUUID() } = {}) => {
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        "idempotency-key": key,
        ...(body === undefined ? {} : { "content-type": isBytes ? "text/plain" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
    return (JSON.parse(text) as { data: Record<string, any> }).data;
  };
}

/** Stores something in each domain that must be restored. */
async function leaveWork(api: Api, demo: Readonly<Record<string, string>>) {
  const transaction = {
    project_client_id: demo.PROJECT_CLIENT_ID,
    legacy_subject: `legacy-${randomUUID()}`,
    email: "person@example.com",
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const transactionKey = randomUUID();
  const created = await api("POST", "/identity-migration-transactions", { body: transaction, key: transactionKey });
  const eventKey = randomUUID();
  const event = { type: "order.placed", schema_version: 1, data: { order: 1 } };
  const published = await api("POST", "/domain-events", { body: event, key: eventKey });
  const audit = {
    actor_id: "user-1",
    action: "a.b",
    resource_type: "document",
    resource_id: "1",
    outcome: "succeeded",
  };
  await api("POST", "/project-audits", { body: audit });
  const bytes = new Uint8Array(Buffer.from("what must not be lost\n"));
  const grant = await api("POST", "/file-objects/upload-grants", {
    body: {
      expected_sha256: createHash("sha256").update(bytes).digest("hex"),
      expected_content_type: "text/plain",
      maximum_bytes: bytes.byteLength,
    },
  });
  await api("PUT", `/file-uploads/${grant.upload_token}`, { body: bytes });
  await eventually(
    async () => (await api("POST", `/file-objects/${grant.file_object_id}/complete`)).status === "available",
    { what: "the file is available" },
  );
  const endpoint = await api("POST", "/email-delivery-endpoints", { body: { address: `${randomUUID()}@example.com` } });
  await api("POST", `/email-delivery-endpoints/${endpoint.id}/verify`, {
    body: { token: endpoint.verification_token },
  });
  return { transaction, transactionKey, created, event, eventKey, published, bytes, grant, endpoint };
}

test("restores all acknowledged data from a copy of the files, under new keys", async () => {
  const original = await temporaryDirectory();
  const first = await startStack({ directory: original, portBase: await freePortBase() });
  cleanups.push(() => first.stop());
  await runCtl(original, ["demo", "seed"]);
  const demo = readEnvFile(join(original, "demo.env"));
  const credential = demo.PROJECT_CREDENTIAL ?? "";
  const left = await leaveWork(apiOf(first, credential), demo);
  await first.stop();

  const copy = await temporaryDirectory();
  await cp(original, copy, { recursive: true });
  // Redis is not part of a backup, so it starts empty.
  await rm(join(copy, "redis"), { recursive: true });
  const old = loadSecrets(copy);
  const names = Object.keys(old.serviceKeys);
  const serviceKeys = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString("base64")]));
  writeSecrets(copy, { ...old, serviceKeys });
  const second = await startStack({
    directory: copy,
    portBase: first.ports.base,
    componentEnv: (name) => ({ SERVICE_KEY_PREVIOUS: old.serviceKeys[name.split("-")[0] ?? ""] ?? "" }),
  });
  cleanups.push(() => second.stop());
  const api = apiOf(second, credential);

  // The same requests are recognized and get the same responses. The derived token is recovered, although Redis and the key are new.
  const again = await api("POST", "/identity-migration-transactions", {
    body: left.transaction,
    key: left.transactionKey,
  });
  expect(again).toEqual(left.created);
  expect(await api("POST", "/domain-events", { body: left.event, key: left.eventKey })).toEqual(left.published);
  const download = await api("POST", `/file-objects/${left.grant.file_object_id}/download-grants`);
  expect(new Uint8Array(await (await fetch(download.download_url)).arrayBuffer())).toEqual(left.bytes);
  const audits = (await runCtl(copy, ["audits", "verify", "--client", demo.PROJECT_CLIENT_ID ?? ""])) as {
    valid: boolean;
  };
  expect(audits.valid).toBe(true);

  // The sender profile was encrypted with the old key and can still send.
  const intent = await api("POST", "/notification-intents", {
    body: {
      sender_profile_id: demo.SENDER_PROFILE_EMAIL,
      template_key: demo.DEMO_TEMPLATE_EMAIL,
      locale: "en",
      endpoint_id: left.endpoint.id,
      variables: { name: "Ada" },
    },
  });
  await eventually(async () => (await api("GET", `/notification-deliveries/${intent.delivery_id}`)).status === "sent", {
    what: "the notification is sent",
  });
}, 300_000);

/** Runs a service's backup program as an operator does; returns its output. */
async function backupProgram(service: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const entry = join(repositoryRoot, `apps/${service}-svc/src/backup.ts`);
  const { stdout } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", entry, ...args], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

test("restores every service's own backup into an empty store under new keys, after the platform was killed", async () => {
  const original = await temporaryDirectory();
  const first = await startStack({ directory: original, portBase: await freePortBase() });
  cleanups.push(() => first.stop());
  await runCtl(original, ["demo", "seed"]);
  const demo = readEnvFile(join(original, "demo.env"));
  const credential = demo.PROJECT_CREDENTIAL ?? "";
  const left = await leaveWork(apiOf(first, credential), demo);
  const account = ["accounts", "create", "--email", left.transaction.email, "--password", randomUUID(), "--verified"];
  const { id: accountId } = (await runCtl(original, account)) as { id: string };
  const { session } = (await runCtl(original, ["sessions", "create", "--account", accountId])) as { session: string };
  const campaign = demo.CAMPAIGN_ID ?? "";
  const decided = (await runCtl(original, ["ads", "decide", "--campaign", campaign, "--format", "display"])) as {
    token: string;
  };
  const impression = { token: decided.token, visible_ratio_basis_points: 8_000, duration_milliseconds: 1_500 };
  const charged = await apiOf(first, credential)("POST", "/advertising/viewable-impressions", { body: impression });
  const tail = ["events", "tail", "--client", demo.PROJECT_CLIENT_ID ?? "", "--from", "0", "--limit", "1"];
  const logged = await runCtl(original, tail);

  // The backups are taken while everything runs; then everything is killed.
  const oldKeys = loadSecrets(original).serviceKeys;
  const folders = await temporaryDirectory();
  for (const service of services) {
    const env = { MONGODB_URI: first.mongodbUri, SERVICE_KEY: oldKeys[service] ?? "" };
    const folder = join(folders, service);
    expect(await backupProgram(service, ["create", folder], env)).toContain("is backed up");
    expect(await backupProgram(service, ["verify", folder], env)).toContain("is whole");
  }
  for (const name of first.names()) await first.kill(name, "SIGKILL");

  const mongo = await startTestMongo();
  cleanups.push(() => mongo.close());
  const fresh = await temporaryDirectory();
  await cp(join(original, "blobs"), join(fresh, "blobs"), { recursive: true });
  const newKeys = Object.fromEntries(services.map((service) => [service, randomBytes(32).toString("base64")]));
  writeSecrets(fresh, { operatorToken: randomBytes(32).toString("hex"), serviceKeys: newKeys });
  const store = { MONGODB_URI: mongo.uri, MONGODB_DATABASE_PREFIX: `restored_${process.pid}_` };
  for (const service of services) {
    const keys = { SERVICE_KEY: newKeys[service] ?? "", SERVICE_KEY_PREVIOUS: oldKeys[service] ?? "" };
    const printed = await backupProgram(service, ["restore", join(folders, service)], { ...store, ...keys });
    expect(printed).toMatch(/is restored: \d+ documents/);
    expect(printed).toContain("secrets are sealed with the current key");
  }
  const second = await startStack({
    directory: fresh,
    portBase: first.ports.base,
    // The indexes must exist, because the processes wait for them before they become ready.
    env: { ...store, MONGODB_AUTO_INDEX: "false" },
    componentEnv: (name) => ({ SERVICE_KEY_PREVIOUS: oldKeys[name.split("-")[0] ?? ""] ?? "" }),
  });
  cleanups.push(() => second.stop());
  const api = apiOf(second, credential);

  expect(
    await api("POST", "/identity-migration-transactions", { body: left.transaction, key: left.transactionKey }),
  ).toEqual(left.created);
  expect(await api("POST", "/domain-events", { body: left.event, key: left.eventKey })).toEqual(left.published);
  expect(await runCtl(fresh, tail)).toEqual(logged);
  const download = await api("POST", `/file-objects/${left.grant.file_object_id}/download-grants`);
  expect(new Uint8Array(await (await fetch(download.download_url)).arrayBuffer())).toEqual(left.bytes);
  const verified = (await runCtl(fresh, ["audits", "verify", "--client", demo.PROJECT_CLIENT_ID ?? ""])) as {
    valid: boolean;
  };
  expect(verified.valid).toBe(true);
  // The ledger must be complete, and a token that its key has signed must be accepted once.
  expect(await runCtl(fresh, ["campaigns", "verify", "--campaign", campaign])).toMatchObject({ valid: true });
  expect(await api("POST", "/advertising/viewable-impressions", { body: impression })).toMatchObject({
    charged_minor: charged.charged_minor,
  });
  // The person must still be signed in.
  const verification = `/identity-migration-transactions/${left.created.id}/email-verification`;
  expect(
    await apiOf(second, session)("POST", verification, { body: { flow_token: left.created.flow_token } }),
  ).toMatchObject({ status: "verification_pending" });
  const intent = await api("POST", "/notification-intents", {
    body: {
      sender_profile_id: demo.SENDER_PROFILE_EMAIL,
      template_key: demo.DEMO_TEMPLATE_EMAIL,
      locale: "en",
      endpoint_id: left.endpoint.id,
      variables: { name: "Ada" },
    },
  });
  await eventually(async () => (await api("GET", `/notification-deliveries/${intent.delivery_id}`)).status === "sent", {
    what: "the notification is sent",
  });
}, 600_000);
