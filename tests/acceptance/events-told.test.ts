import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { exampleRequests } from "@platform/contracts/examples";
import { platformEvents } from "@platform/contracts/platform-events";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantUpload } from "./file-grants.ts";
import { acceptanceStack, api, ctl, type TestClient } from "./stack.ts";
import { newProject } from "./walk/project.ts";

type Arrival = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

const arrivals: Arrival[] = [];
const children: ChildProcess[] = [];
const target = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    arrivals.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(request.url?.startsWith("/gone") === true ? 410 : 204).end();
  });
});
let base = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const child of children) child.kill("SIGTERM");
  target.close();
});

const post = (client: TestClient, path: string, body?: unknown) =>
  api("POST", path, { credential: client.credential, body });
const register = async (client: TestClient, path: string, secret: string, fields: object = {}): Promise<string> => {
  const body = { name: "events.hook", url: `${base}${path}`, secret, ...fields };
  return (await post(client, "/scheduled-operations", body)).json.data.id;
};
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const on = (client: TestClient) => ctl(["clients", "update", "--client", client.id, "--platform-events", "on"]);

async function upload(client: TestClient, bytes: Buffer): Promise<string> {
  const grant = await grantUpload(client, createHash("sha256").update(bytes).digest("hex"), bytes.byteLength);
  const headers = { "content-type": "text/plain" };
  await api("PUT", `/file-uploads/${grant.upload_token}`, { credential: null, body: bytes, headers });
  return grant.file_object_id;
}

describe("platform events", () => {
  test("sends platform events about deliveries, endpoints, files, migrations, runs, quotas and credentials to a client that has turned them on", async () => {
    const { client, emailProfileId } = await newProject();
    expect(await on(client)).toMatchObject({ id: client.id, platform_events: "on" });
    const secret = newSecret();
    const operation = await register(client, `/told-${client.id}`, secret);
    const subscription = await ctl([
      "subscriptions", "create", "--operation", operation, "--types", "platform.*", "--from", "0",
    ]); // biome-ignore format: one command
    // By then every service has received the change.
    await eventually(async () => {
      const [fileId, told] = [await upload(client, Buffer.from(randomUUID())), () => arrivals.map(({ body }) => body)];
      return eventually(() => told().some((body) => body.includes(fileId)), { timeoutMs: 3_000 }).catch(() => false);
    });
    const rejected = await upload(client, Buffer.from([0x61, 0xff, 0xfe]));
    const address = `${randomUUID()}@people.example`;
    const endpoint = (await post(client, "/email-delivery-endpoints", { address })).json.data;
    await post(client, `/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
    const intent = await post(client, "/notification-intents", {
      ...exampleRequests["notify.createNotificationIntent"].body,
      sender_profile_id: emailProfileId,
      endpoint_id: endpoint.id,
    });
    const migration = await post(client, "/identity-migration-transactions", {
      ...exampleRequests["identity.createIdentityMigrationTransaction"].body,
      project_client_id: client.id,
      legacy_subject: randomUUID(),
      expires_at: new Date(Date.now() + 2_000).toISOString(),
    });
    const gone = await register(client, `/gone-${client.id}`, secret);
    await ctl(["schedules", "invoke", "--operation", gone]);
    await ctl(["quotas", "set", "--client", client.id, "--resource", "deliveries", "--limit", "1"]);
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString();
    await ctl(["credentials", "issue", "--client", client.id, "--scopes", "clients:read", "--expires-at", soon]);

    const events = () =>
      arrivals
        .filter(({ path }) => path === `/told-${client.id}`)
        .map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>) as any);
    const eventWith = (type: string, fields: object) =>
      eventually(
        () => {
          const ofType = events().filter((event) => event.type === type);
          return ofType.find(({ data }) => Object.entries(fields).every(([name, value]) => data[name] === value));
        },
        { what: `${type} ${JSON.stringify(fields)}` },
      );
    const sent = await eventWith("platform.notification_delivery.sent", {
      notification_delivery_id: intent.json.data.delivery_id,
    });
    expect(sent).toMatchObject({ source: `/platform/project-clients/${client.id}`, specversion: "1.0" });
    await eventWith("platform.delivery_endpoint.verified", { delivery_endpoint_id: endpoint.id });
    await eventWith("platform.file_object.rejected", { file_object_id: rejected, rejection_reason: "text_not_utf8" });
    await eventWith("platform.identity_migration.expired", { identity_migration_id: migration.json.data.id });
    await eventWith("platform.scheduled_run.failed", { operation_id: gone });
    await eventWith("platform.quota.threshold_reached", { resource: "deliveries", percent: 80 });
    await eventWith("platform.quota.threshold_reached", { resource: "deliveries", percent: 100 });
    await eventWith("platform.credential.expiring", { days: 14 });
    await eventWith("platform.credential.expiring", { days: 3 });

    // The received event must have exactly the documented fields.
    for (const { type, data } of events()) {
      const shown = Object.keys(platformEvents[type]?.data ?? {});
      expect(Object.keys(data).toSorted(), type).toEqual(shown.toSorted());
    }
    const all = JSON.stringify(events());
    for (const personal of [address, exampleRequests["identity.createIdentityMigrationTransaction"].body.email]) {
      expect(all).not.toContain(personal);
    }
    const keys = events().map(({ id }) => id);
    expect(new Set(keys).size).toBe(keys.length);
    const shown = await ctl(["subscriptions", "show", "--subscription", subscription.id]);
    expect(shown).toMatchObject({ status: "active", failures: 0 });
    // Platform events do not count against the quota of events.
    const quotas = await ctl(["quotas", "show", "--client", client.id]);
    expect(quotas.find(({ resource }: { resource: string }) => resource === "events").used).toBe(0);
    const [logged] = [await ctl(["events", "tail", "--client", client.id, "--from", "0", "--limit", "1"])];
    expect(logged.event).toMatchObject({ origin: "platform", project_client_id: client.id });
  });

  test("sends no platform event before it is turned on, and triggers samples only then", async () => {
    const client = await acceptanceStack.newClient();
    const trigger = () => ctl(["trigger", "platform.file_object.rejected", "--client", client.id]);
    await expect(trigger()).rejects.toThrow(/platformctl: platform_events_off: /);
    await on(client);
    expect(await trigger()).toMatchObject({ type: "platform.file_object.rejected", origin: "platform" });
    await expect(ctl(["trigger", "platform.unknown.thing", "--client", client.id])).rejects.toThrow(
      'platformctl: contract_violation: "platform.unknown.thing" is no platform event. docs/events.md lists them',
    );
    await ctl(["clients", "update", "--client", client.id, "--platform-events", "off"]);
    await expect(trigger()).rejects.toThrow(/platform_events_off/);
    const line = await ctl(["events", "tail", "--client", client.id, "--from", "0", "--limit", "1"]);
    expect(line.position).toBe(1);
  });
});

describe("self-service of a team", () => {
  test("reads only the team's own log with a consumer token", async () => {
    const client = await acceptanceStack.newClient();
    const other = await acceptanceStack.newClient();
    const { id, token } = await ctl(["consumers", "issue", "--client", client.id, "--name", "reports"]);
    const event = (await post(client, "/domain-events", { type: "order.placed", schema_version: 1, data: {} })).json
      .data;
    const asTeam = (args: readonly string[]) => runAs(token, args);
    const [line] = await asTeam(["events", "tail", "--client", client.id, "--from", "0", "--limit", "1"]);
    expect(line.event.id).toBe(event.id);
    await expect(asTeam(["events", "tail", "--client", other.id, "--from", "0", "--limit", "1"])).rejects.toThrow(
      "permission_denied",
    );
    const { items } = await ctl(["consumers", "list", "--client", client.id]);
    expect(items).toMatchObject([{ id, name: "reports", revoked_at: null }]);
    const rotated = await ctl(["consumers", "rotate", "--consumer", id, "--overlap-seconds", "0"]);
    expect(rotated.id).toBe(id);
    await expect(asTeam(["events", "tail", "--client", client.id, "--from", "0", "--limit", "1"])).rejects.toThrow(
      "unauthenticated",
    );
    await ctl(["consumers", "revoke", "--consumer", id]);
    await expect(
      runAs(rotated.token, ["events", "tail", "--client", client.id, "--from", "0", "--limit", "1"]),
    ).rejects.toThrow("unauthenticated");
  });

  test("prints the signing secret of a listener, then forwards signed events to a URL on its own machine", async () => {
    const client = await acceptanceStack.newClient();
    const { token } = await ctl(["consumers", "issue", "--client", client.id]);
    const child = startCtl(token, [
      "listen", "--client", client.id, "--types", "order.*", "--forward-to", `${base}/listen-${client.id}`,
    ]); // biome-ignore format: one command
    const lines: any[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    const { secret } = await eventually(() => lines[0]);
    const forwarded = () => arrivals.filter(({ path }) => path === `/listen-${client.id}`);
    // The stream starts with new events, so the first one may be published too early.
    await eventually(async () => {
      await post(client, "/domain-events", { type: "order.placed", schema_version: 1, data: { n: 1 } });
      await post(client, "/domain-events", { type: "invoice.paid", schema_version: 1, data: {} });
      return eventually(() => forwarded().length > 0, { timeoutMs: 2_000 }).catch(() => false);
    });
    const [first] = forwarded();
    const event: any = new Webhook(secret).verify(first?.body ?? "", first?.headers as Record<string, string>);
    expect(event).toMatchObject({ type: "order.placed", specversion: "1.0", data: { n: 1 } });
    const line = await eventually(() => lines[1]);
    expect(line).toMatchObject({ id: event.id, type: "order.placed", status_code: 204 });
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect((await exited)[0]).toBe(0);
  });

  test("issues only decisions of its own campaign with an ad server token", async () => {
    const create = (name: string) =>
      ctl([
        "campaigns", "create", "--name", name, "--currency", "JPY", "--cpm-minor", "1000", "--budget-minor", "100000",
        "--destination-url", "https://advertiser.example/",
      ]); // biome-ignore format: one command
    const [own] = await Promise.all([create("own"), create("other")]);
    const { id, token } = await ctl(["ad-servers", "issue", "--campaign", own.id, "--name", "edge"]);
    expect(token).toMatch(/^padsv_/);
    expect((await ctl(["ad-servers", "list", "--campaign", own.id])).items).toMatchObject([{ id, name: "edge" }]);
    expect((await ctl(["ad-servers", "revoke", "--ad-server", id])).revoked_at).not.toBeNull();
  });
});

describe("subscriptions", () => {
  test("creates, shows, lists, pauses, resumes, replays and deletes subscriptions", async () => {
    const client = await acceptanceStack.newClient();
    const secret = newSecret();
    const operation = await register(client, `/sub-${client.id}`, secret);
    const { id } = await ctl([
      "subscriptions",
      "create",
      "--operation",
      operation,
      "--types",
      "order.*",
      "--order",
      "stream",
    ]);
    const of = (command: string, ...more: string[]) => ctl(["subscriptions", command, "--subscription", id, ...more]);
    const publish = async (sequence: number): Promise<string> => {
      const body = { type: "order.placed", schema_version: 1, data: {}, stream_id: "s", sequence };
      return (await post(client, "/domain-events", body)).json.data.id;
    };
    const published = [await publish(1), await publish(2), await publish(3)];
    const arrived = () => arrivals.filter(({ path }) => path === `/sub-${client.id}`);
    await eventually(async () => (await of("show")).position === 3);
    expect(await of("show")).toMatchObject({ status: "active", position: 3, lag: 0, failures: 0 });
    expect(arrived().map(({ headers }) => headers["webhook-id"])).toEqual(published);
    await of("replay", "--from", "1", "--to", "2");
    await eventually(() => arrived().length === 4);
    expect(arrived().at(-1)?.headers["webhook-id"]).toBe(published[1]);
    expect((await of("pause")).status).toBe("paused");
    expect((await ctl(["subscriptions", "list", "--client", client.id])).items).toMatchObject([
      { id, status: "paused" },
    ]);
    expect((await of("resume")).status).toBe("active");
    await of("delete");
    expect(await ctl(["subscriptions", "list", "--client", client.id])).toEqual({ items: [], next_cursor: null });
  });
});

function startCtl(token: string, args: readonly string[]) {
  const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
  const { directory } = acceptanceStack;
  const env = {
    ...process.env,
    ...acceptanceStack.certificateOf("consumer"),
    STACK_DIR: directory,
    PLATFORMCTL_HOME: join(directory, "team"),
    OPERATOR_TOKEN: "none",
    CONSUMER_TOKEN: token,
  };
  const child = spawn(process.execPath, [script, "--json", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  return child;
}

/** Runs a command with only a consumer token. Returns its output lines, parsed. */
async function runAs(token: string, args: readonly string[]): Promise<any[]> {
  const child = startCtl(token, args);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stderr !== "") throw new Error(stderr);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
