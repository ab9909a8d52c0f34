import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applySeed } from "@platform/platform-local/apply-seed";
import { readSeedFile } from "@platform/platform-local/seed-file";
import { openCtl } from "@platform/stack/open-ctl";
import { afterAll, expect, it } from "vitest";
import { acceptanceStack } from "./stack.ts";

const folder = mkdtempSync(join(tmpdir(), "seeded-"));
const ctl = openCtl(acceptanceStack.directory);
afterAll(() => {
  ctl.close();
  rmSync(folder, { recursive: true });
});

const template = (key: string) => ({ key, channel: "email", locale: "en", subject: "s", text: "t", variables: {} });
const seedWith = (credentials: readonly string[], keys: readonly string[]) => {
  const path = join(folder, "seed.json");
  const shop = {
    name: "Seeded shop",
    return_uris: ["http://127.0.0.1:3000/linked"],
    platform_events: "on",
    credentials: credentials.map((name) => ({ name, scopes: ["events:write"] })),
    catalog: { templates: keys.map(template) },
    sender_profiles: [{ name: "Mail", channel: "email", config: { from: "Shop <no-reply@shop.example>" } }],
  };
  writeFileSync(path, JSON.stringify({ clients: [shop] }));
  return readSeedFile(path);
};

it("creates the clients, credentials, senders and catalogs of a seed file, and only new ones at a later start", async () => {
  const keptIn = join(folder, "seeded.json");
  const [first] = await applySeed(ctl, seedWith(["ci"], ["one"]), keptIn);
  const [again] = await applySeed(ctl, seedWith(["ci"], ["one"]), keptIn);
  expect(again).toEqual(first);
  expect(first).toMatchObject({
    name: "Seeded shop",
    credentials: [{ name: "ci" }],
    sender_profiles: [{ name: "Mail" }],
  });

  const [later] = await applySeed(ctl, seedWith(["ci", "laptop"], ["one", "two"]), keptIn);
  expect(later?.id).toBe(first?.id);
  expect(later?.credentials[0]).toEqual(first?.credentials[0]);
  expect(later?.credentials[1]).toMatchObject({ name: "laptop" });
  const of = `--client=${first?.id}`;
  expect(await ctl.run(["clients", "show", of])).toMatchObject({
    return_uris: ["http://127.0.0.1:3000/linked"],
    platform_events: "on",
  });
  expect(await ctl.run(["catalog", "show", of])).toMatchObject({ templates: [{ key: "one" }, { key: "two" }] });

  const event = { type: "order.placed", schema_version: 1, data: {} };
  const credential = later?.credentials[1]?.credential ?? null;
  const { status } = await acceptanceStack.api("POST", "/domain-events", { credential, body: event });
  expect(status).toBe(200);
});
