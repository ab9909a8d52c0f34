import { randomUUID } from "node:crypto";
import { runCtlText } from "@platform/stack/run-ctl";
import { eventually } from "@platform/test-kit/eventually";
import { expect, test } from "vitest";
import { acceptanceStack } from "./stack.ts";

const { api, ctl, newClient, env } = acceptanceStack;
const reason = ["--reason", "acceptance test"];

/** Creates a client with an email profile, a template and a verified address. */
async function mailingClient() {
  const client = await newClient();
  const config = JSON.stringify({ from: "Shop <no-reply@shop.example>", default_locale: "en" });
  const profile = await ctl([
    "sender-profiles", "create", "--client", client.id, "--channel", "email", "--name", "Mail", "--config", config,
  ]); // biome-ignore format: one command
  const address = `ann-${randomUUID().slice(0, 8)}@people.example`;
  const { credential } = client;
  const made = await api("POST", "/email-delivery-endpoints", { credential, idempotencyKey: null, body: { address } });
  const { id: endpointId, verification_token: token } = made.json.data;
  await api("POST", `/email-delivery-endpoints/${endpointId}/verify`, {
    credential,
    idempotencyKey: null,
    body: { token },
  });
  return { client, profileId: profile.id as string, endpointId: endpointId as string, address };
}

test("finds an address, its deliveries and its account, masked unless revealed", async () => {
  const { client, endpointId, address } = await mailingClient();
  const find = ["endpoints", "find", "--client", client.id, "--address", address.toUpperCase()];
  const found = await ctl(find);
  expect(found).toMatchObject({ items: [{ id: endpointId, channel: "email", status: "verified" }], next_cursor: null });
  expect(found.items[0].address_hint).toBe(`a***@people.example`);
  expect(JSON.stringify(found)).not.toContain(address);
  expect((await ctl([...find, "--reveal", ...reason])).items[0].address).toBe(address);

  const email = `kim-${randomUUID().slice(0, 8)}@example.com`;
  const { id } = await ctl([
    "accounts",
    "create",
    "--email",
    email,
    "--password",
    "correct horse battery",
    "--verified",
  ]);
  const accounts = await ctl(["accounts", "find", "--email", email]);
  expect(accounts.items).toMatchObject([{ id, status: "active" }]);
  expect(JSON.stringify(accounts)).not.toContain(email);
});

test("lists deliveries by page and retries failed ones of a filter", async () => {
  const { client } = await mailingClient();
  const page = await ctl(["deliveries", "list", "--client", client.id, "--status", "failed", "--since", "2h"]);
  expect(page).toEqual({ items: [], next_cursor: null });
  const retry = ["deliveries", "retry", "--client", client.id, "--status", "failed", "--since", "2h"];
  expect(await ctl([...retry, "--dry-run"])).toEqual({ matched: 0, retried: 0, skipped: 0 });
  await expect(ctl(["deliveries", "list", "--client", client.id, "--limit", "201"])).rejects.toThrow(
    /^platformctl: usage: .*\n?$/m,
  );
});

test("replaces, tests, disables and enables a sender profile under its id", async () => {
  const { profileId, address } = await mailingClient();
  const config = JSON.stringify({ from: "Shop <orders@shop.example>", default_locale: "en" });
  const updated = await ctl(["sender-profiles", "update", "--profile", profileId, "--config", config]);
  expect(updated).toMatchObject({ id: profileId, status: "active", updated_at: expect.any(String) });
  expect(await ctl(["sender-profiles", "test", "--profile", profileId, "--to", address])).toEqual({
    accepted: true,
    detail: "accepted",
  });
  expect((await ctl(["sender-profiles", "disable", "--profile", profileId])).status).toBe("disabled");
  expect((await ctl(["sender-profiles", "enable", "--profile", profileId])).status).toBe("active");
});

test("counts a client's use by hour within a minute", async () => {
  const { id, credential } = await newClient();
  for (let at = 0; at < 3; at += 1) await api("GET", "/project-client", { credential, idempotencyKey: null });
  const body = {
    type: "order.placed",
    schema_version: 1,
    data: {},
    stream_id: null,
    sequence: null,
    occurred_at: null,
  };
  await api("POST", "/domain-events", { credential, body });
  const { items } = await eventually(
    async () => {
      const usage = await ctl(["usage", "--client", id]);
      const requests = usage.items.filter(({ kind }: { kind: string }) => kind === "requests");
      return requests.reduce((sum: number, { count }: { count: number }) => sum + count, 0) === 4 ? usage : null;
    },
    { what: "usage counted" },
  );
  const ofKind = (name: string) =>
    items
      .filter(({ kind }: { kind: string }) => kind === name)
      .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  expect([ofKind("api_traffic"), ofKind("events")]).toEqual([4, 1]);
});

test("exports and prunes audits, and still verifies the chain", async () => {
  const { id, credential } = await newClient();
  for (const actor of ["user:1", "user:2", "user:1"]) {
    const body = { actor_id: actor, action: "a.b", resource_type: "record", resource_id: "1", outcome: "succeeded" };
    await api("POST", "/project-audits", { credential, body });
  }
  const rows = await ctl(["audits", "list", "--client", id, "--actor", "user:1"]);
  expect(rows.map(({ seq }: { seq: number }) => seq)).toEqual([1, 3]);
  const head = rows.at(-1).hash;
  const prune = ["audits", "prune", "--client", id, "--until", "0s", ...reason];
  await expect(ctl(prune)).rejects.toThrow(/export_required/);
  const exported = await runCtlText(acceptanceStack.directory, ["audits", "export", "--client", id]);
  const lines = exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ seq, actor_id }) => [seq, actor_id])).toEqual([
    [1, "user:1"],
    [2, "user:2"],
    [3, "user:1"],
  ]);
  expect(await ctl(prune)).toMatchObject({ pruned: 3 });
  expect(await ctl(["audits", "list", "--client", id])).toEqual([]);
  expect(await ctl(["audits", "verify", "--client", id, "--head", head])).toEqual({ valid: true, length: 3 });
});

test("pauses, ends and reports a campaign, and takes an asset down", async () => {
  const campaign = await ctl([
    "campaigns", "create", "--name", "C", "--currency", "JPY", "--cpm-minor", "1000", "--budget-minor", "1",
    "--destination-url", "https://example.com/",
  ]); // biome-ignore format: one command
  const of = (name: string, ...more: string[]) => ctl(["campaigns", name, "--campaign", campaign.id, ...more]);
  expect((await of("pause")).status).toBe("paused");
  expect((await of("resume")).status).toBe("active");
  expect((await of("raise-budget", "--budget-minor", "5")).budget_minor).toBe(5);
  expect(await of("report", "--by", "day")).toEqual({ items: [], next_cursor: null });
  expect((await of("end")).status).toBe("ended");
  expect(await ctl(["public-assets", "list", "--client", env.PROJECT_CLIENT_ID ?? ""])).toMatchObject({
    next_cursor: null,
  });
  await expect(ctl(["public-assets", "take-down", "--asset", randomUUID(), ...reason])).rejects.toThrow(/not_found/);
});

test("erases a person in every service, and keeps the chains of audits valid", async () => {
  const { client, address } = await mailingClient();
  const { id: accountId } = await ctl([
    "accounts", "create", "--email", address, "--password", "correct horse battery", "--verified",
  ]); // biome-ignore format: one command
  const { credential } = client;
  const body = { actor_id: accountId, action: "a.b", resource_type: "record", resource_id: "1", outcome: "succeeded" };
  await api("POST", "/project-audits", { credential, body });
  const [{ hash }] = await ctl(["audits", "list", "--client", client.id]);
  const { erasure_id: erasure } = await ctl(["persons", "erase", "--account", accountId, ...reason]);
  const shown = await eventually(
    async () => {
      const state = await ctl(["erasures", "show", "--erasure", erasure]);
      return state.status === "done" ? state : null;
    },
    { what: "the erasure done" },
  );
  expect(shown.steps.map(({ service }: { service: string }) => service)).toEqual([
    "identity",
    "notify",
    "events",
    "files",
    "ads",
  ]);
  expect((await ctl(["accounts", "find", "--email", address])).items).toEqual([]);
  expect((await ctl(["endpoints", "find", "--client", client.id, "--address", address])).items).toEqual([]);
  expect(await ctl(["audits", "list", "--client", client.id])).toMatchObject([{ actor_id: null, action: "a.b" }]);
  expect(await ctl(["audits", "verify", "--client", client.id, "--head", hash])).toEqual({ valid: true, length: 1 });
});

test("erases a Project Client in every service", async () => {
  const { client } = await mailingClient();
  const { erasure_id: erasure } = await ctl(["clients", "erase", "--client", client.id, ...reason]);
  await eventually(async () => (await ctl(["erasures", "show", "--erasure", erasure])).status === "done", {
    what: "the erasure done",
  });
  const refused = await api("GET", "/project-client", { credential: client.credential, idempotencyKey: null });
  // The status is 403 while a gateway still caches the credential of the disabled client.
  expect([401, 403]).toContain(refused.status);
  expect(await ctl(["clients", "show", "--client", client.id])).toMatchObject({ name: "erased", disabled: true });
  expect(await ctl(["sender-profiles", "list", "--client", client.id])).toEqual([]);
  expect((await ctl(["deliveries", "list", "--client", client.id])).items).toEqual([]);
});
