import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenCtl, openCtl } from "@platform/stack/open-ctl";
import { freePortBase, stackPorts } from "@platform/stack/ports";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listsOf, nameOf } from "./operators-day/lists.ts";
import { apnsConfig, arrived, type DayProject, makeProject } from "./operators-day/project.ts";
import { type Measured, tableOf, writeReport } from "./operators-day/report.ts";
import { fullVolume, personAddress, type Seeded, seed } from "./operators-day/seed.ts";
import { type WatchedStore, watchStore } from "./operators-day/watched-store.ts";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

/**
 * `npm run operators-day` uses the full volume and records the measured times. Other runs use a tenth of it, which is
 * enough to detect a missing index.
 */
const isFull = process.env.OPERATORS_DAY === "full";
const part = isFull ? 1 : 0.1;
const volume = {
  deliveries: fullVolume.deliveries * part,
  accounts: fullVolume.accounts * part,
  files: fullVolume.files * part,
};
const roles = ["viewer", "support", "operator", "security"] as const;
type Role = (typeof roles)[number];

let own: OwnStack;
let store: WatchedStore;
let project: DayProject;
let seeded: Seeded;
const homes = mkdtempSync(join(tmpdir(), "operators-day-"));
const day: Measured[] = [];
const lists: Measured[] = [];
const reason = ["--reason", "ticket 4711"];

const as =
  (role: Role) =>
  (...args: string[]): Promise<any> =>
    own.ctl(args, { PLATFORMCTL_HOME: join(homes, role) });
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "allowed",
    (error: Error) => error.message,
  );

beforeAll(async () => {
  const portBase = await freePortBase();
  const target = process.env.MONGODB_URI ?? `mongodb://127.0.0.1:${stackPorts(portBase).mongo}`;
  store = await watchStore(target, (database) => own === undefined || database.startsWith(own.stack.databaseOf("")));
  own = await startOwnStack(
    {},
    {
      portBase,
      hasSecondGateway: false,
      // Servers return the lists. Workers poll the same collections, more often the longer a list takes.
      componentEnv: (name) => (name.endsWith("-svc") ? { MONGODB_URI: store.uri } : {}),
    },
  );
  project = await makeProject(own);
  for (const role of roles) await as(role)("login", "--as", role);
  const startedAtMs = Date.now();
  seeded = await seed(own, project, volume);
  process.stdout.write(`seeded ${JSON.stringify(volume)} in ${Date.now() - startedAtMs} ms\n`);
});
afterAll(async () => {
  process.stdout.write(`${tableOf("An operator's day", day)}\n${tableOf("Lists, without the CLI's start", lists)}\n`);
  if (isFull && day.length > 0) writeReport(volume, day, lists);
  await own?.close();
  await store?.close();
  rmSync(homes, { recursive: true, force: true });
});

/** Runs the commands of one request and records how long they took. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  day.push({ what, ms: performance.now() - startedAt });
  return result;
}

describe("every list", () => {
  let ctl: OpenCtl;
  beforeAll(() => {
    ctl = openCtl(own.stack.directory);
  });
  afterAll(() => ctl.close());

  it("examines about as many documents as it shows, however many there are", async () => {
    const wasteful: string[] = [];
    for (const list of listsOf(project)) {
      const queries = await store.queriesOf(list.collection, () => ctl.run(list.args));
      for (const { documentsExamined, returned, query } of queries) {
        if (documentsExamined > 2 * returned + 10)
          wasteful.push(`${nameOf(list)}: ${documentsExamined} examined for ${returned}: ${query}`);
      }
      if (queries.length > 10) wasteful.push(`${nameOf(list)}: ${queries.length} queries`);
    }
    expect(wasteful).toEqual([]);
  });

  it("returns every list, and prints the times", async () => {
    for (const list of listsOf(project)) {
      const times: number[] = [];
      for (let run = 0; run < 5; run += 1) {
        const startedAt = performance.now();
        await ctl.run(list.args);
        times.push(performance.now() - startedAt);
      }
      times.sort((a, b) => a - b);
      lists.push({ what: nameOf(list), ms: times[2] ?? 0 });
    }
    expect(lists.length).toBeGreaterThan(40);
  });
});

describe("a person in the right role, and nobody in the wrong one", () => {
  it("shows support why no email reached an address", async () => {
    const { client } = project;
    const address = personAddress(100 % volume.accounts);
    const find = ["endpoints", "find", "--client", client.id, "--address", address];
    expect(await refusal(as("viewer")(...find, "--reveal", ...reason))).toMatch(/^platformctl: permission_denied: /);
    const [delivery] = await timed("no mail came to this address", async () => {
      const { items } = await as("viewer")(...find);
      const list = ["deliveries", "list", "--client", client.id, "--endpoint", items[0].id, "--status", "failed"];
      return (await as("viewer")(...list)).items;
    });
    expect(delivery).toMatchObject({
      status: "failed",
      last_error_code: "smtp_451",
      address_hint: "p***@people.example",
    });
  });

  it("retries last night's failures, each once", async () => {
    const { client } = project;
    const of = ["--client", client.id, "--status", "failed", "--error-code", "smtp_451", "--since", "12h"];
    expect(await refusal(as("viewer")("deliveries", "retry", ...of))).toMatch(/^platformctl: permission_denied: /);
    const expected = seeded.lastNight.length;
    const retried = await timed("send again what failed last night", async () => {
      expect(await as("support")("deliveries", "retry", ...of, "--dry-run")).toMatchObject({ matched: expected });
      return as("support")("deliveries", "retry", ...of);
    });
    expect(retried).toEqual({ matched: expected, retried: expected, skipped: 0 });
    const mails = await eventually(
      async () => {
        const response = await fetch(`${own.stack.settings.SINK_URL}/messages?channel=email`);
        const all = ((await response.json()) as { to: string }[]).filter(({ to }) => to.startsWith("person-"));
        return all.length >= expected ? all : null;
      },
      { timeoutMs: 60_000, everyMs: 200, what: "the mails arrived" },
    );
    expect(mails.map(({ to }) => to).sort()).toEqual([...seeded.lastNight].sort());
  });

  it("replaces an APNs key without a release, under the same profile", async () => {
    const { apnsProfileId, make } = project;
    const device = await project.device();
    const home = (role: Role) => ({ PLATFORMCTL_HOME: join(homes, role) });
    const update = (role: Role) =>
      own.ctl(
        ["sender-profiles", "update", "--profile", apnsProfileId, "--config", "-"],
        home(role),
        apnsConfig("SECONDKEY2"),
      );
    expect(await refusal(update("support"))).toMatch(/^platformctl: permission_denied: /);
    await timed("rotate this APNs key without a release", () => update("operator"));
    const keyIds = await eventually(
      async () => {
        await make("POST", "/channel-notification-intents", {
          sender_profile_id: apnsProfileId,
          endpoint_id: device.endpointId,
          template_key: "order-shipped",
          locale: "en",
          variables: {},
          purpose: "orders",
        });
        const pushes = await arrived(own, "apns", device.token);
        const ids = pushes.map(({ headers }) => keyIdOf(headers.authorization ?? ""));
        return ids.includes("SECONDKEY2") ? ids : null;
      },
      { everyMs: 300, what: "a push under the new key" },
    );
    expect(keyIds[0]).toBe("FIRSTKEY01");
  });

  it("takes a public asset down", async () => {
    const { client, assetUrl } = project;
    expect((await fetch(assetUrl)).status).toBe(200);
    const [, assetId = ""] = /public-assets\/([0-9a-f-]{36})/.exec(assetUrl) ?? [];
    const takeDown = ["public-assets", "take-down", "--asset", assetId];
    expect(await refusal(as("support")(...takeDown, ...reason))).toMatch(/^platformctl: permission_denied: /);
    expect(await refusal(as("operator")(...takeDown))).toMatch(/^platformctl: reason_required: /);
    await timed("take this picture down", async () => {
      const { items } = await as("operator")("public-assets", "list", "--client", client.id, "--limit", "200");
      expect(items.map(({ id }: { id: string }) => id)).toContain(assetId);
      await as("operator")(...takeDown, ...reason);
    });
    expect((await fetch(assetUrl)).status).toBe(410);
  });

  it("erases a person in every service", async () => {
    const { address, client } = project;
    const { items } = await as("security")("accounts", "find", "--email", address);
    const erase = ["persons", "erase", "--account", items[0].id, ...reason];
    expect(await refusal(as("operator")(...erase))).toMatch(/^platformctl: permission_denied: /);
    await timed("erase this person", async () => {
      const { erasure_id: id } = await as("security")(...erase);
      await eventually(async () => (await as("security")("erasures", "show", "--erasure", id)).status === "done", {
        timeoutMs: 60_000,
        what: "the erasure is done",
      });
    });
    expect((await as("security")("accounts", "find", "--email", address)).items).toEqual([]);
    expect((await as("viewer")("endpoints", "find", "--client", client.id, "--address", address)).items).toEqual([]);
    expect(await as("viewer")("audits", "verify", "--client", client.id)).toEqual({ valid: true, length: 300 });
  });

  it("shows who raised a limit, and why", async () => {
    const { client } = project;
    const raise = ["quotas", "set", "--client", client.id, "--resource", "events", "--limit", "123456"];
    expect(await refusal(as("support")(...raise))).toMatch(/^platformctl: permission_denied: /);
    await as("operator")(...raise, "--reason", "spring sale");
    const list = ["operator-actions", "list", "--client", client.id, "--rpc", "SetQuota"];
    expect(await refusal(as("operator")(...list))).toMatch(/^platformctl: permission_denied: /);
    const { items } = await timed("who raised that limit", () => as("security")(...list));
    expect(items[0]).toMatchObject({
      who: "operator",
      reason: "spring sale",
      outcome: "succeeded",
      request: { resource: "events", limit: "123456" },
    });
  });

  it("stops a client everywhere within a second", async () => {
    const { client } = project;
    const disable = ["clients", "disable", "--client", client.id, ...reason];
    const status = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${client.credential}` };
      return (await fetch(`${own.stack.baseUrl}/api/v1/project-client`, { headers })).status;
    };
    expect(await status()).toBe(200);
    expect(await refusal(as("operator")(...disable))).toMatch(/^platformctl: permission_denied: /);
    await timed("stop this client now", () => as("security")(...disable));
    await eventually(async () => (await status()) === 403, { timeoutMs: 3_000, what: "refused within a second" });
  });

  it("records all of it, in a chain that verifies", async () => {
    const { items } = await as("security")("operator-actions", "list", "--limit", "200");
    expect(items.filter(({ outcome }: { outcome: string }) => outcome === "started")).toEqual([]);
    const done = new Set(
      items.map(({ rpc, outcome }: { rpc: string; outcome: string }) => `${rpc.split("/")[1]} ${outcome}`),
    );
    for (const rpc of [
      "RetryDeliveries",
      "UpdateSenderProfile",
      "TakeDownPublicAsset",
      "ErasePerson",
      "SetQuota",
      "DisableProjectClient",
    ])
      expect(done).toContain(`${rpc} succeeded`);
    expect(await as("security")("operator-actions", "verify")).toMatchObject({ valid: true });
  });
});

/** Returns the id of the key that signed a push, from its provider token. */
function keyIdOf(authorization: string): string {
  const [header = ""] = authorization.replace(/^bearer /i, "").split(".");
  return JSON.parse(Buffer.from(header, "base64url").toString() || "{}").kid ?? "";
}
