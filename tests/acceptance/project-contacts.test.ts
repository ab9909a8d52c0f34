import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arrived } from "./notify-sink.ts";
import { acceptanceStack, api, ctl, newClient, type TestClient } from "./stack.ts";

const target = createServer((_request, response) => response.writeHead(410).end("This endpoint was retired."));
beforeAll(() => new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve)));
afterAll(() => void target.close());

/** Adds a contact and confirms its address by the emailed link. */
async function newContact(client: TestClient): Promise<string> {
  const email = `contact-${randomUUID()}@team.example`;
  await ctl(["contacts", "add", "--client", client.id, "--email", email, "--kind", "technical"]);
  const [mail] = await arrived("email", email);
  const [link = ""] = /http\S+\/identity-migration\/contacts\/[0-9a-f]{64}/.exec(mail?.parsed.text) ?? [];
  const page = await (await fetch(link)).text();
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(page) ?? [];
  const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const body = new URLSearchParams(Object.fromEntries(fields));
  expect((await fetch(new URL(action, acceptanceStack.baseUrl), { method: "POST", body })).status).toBe(200);
  const { items } = await ctl(["contacts", "list", "--client", client.id]);
  expect(items).toEqual([
    { id: expect.any(String), email_hint: "c***@team.example", kind: "technical", status: "confirmed" },
  ]);
  return email;
}

test("emails a contact of a project without platform events that a credential was issued and that an endpoint is gone", async () => {
  const client = await newClient();
  const email = await newContact(client);
  await ctl(["credentials", "issue", "--client", client.id, "--scopes", "events:write"]);
  await api("POST", "/domain-events", {
    credential: client.credential,
    body: { type: "order.placed", schema_version: 1, data: {} },
  });
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const { json } = await api("POST", "/scheduled-operations", {
    credential: client.credential,
    body: { name: "hook", url, secret },
  });
  await ctl(["subscriptions", "create", "--operation", json.data.id, "--types", "order.*", "--from", "0"]);
  const mails = await eventually(async () => {
    const all = await arrived("email", email, 3);
    return all.length >= 3 ? all : null;
  });
  const bySubject = new Map(mails.map(({ parsed }) => [parsed.subject.replace(/^.*: /, ""), parsed.text]));
  expect(bySubject.get("A credential was issued")).toContain("events:write");
  expect(bySubject.get("A subscription has ended")).toContain(
    'Beginning of the response: "This endpoint was retired."',
  );
  const [shown] = (await ctl(["subscriptions", "list", "--client", client.id])).items;
  expect(shown).toMatchObject({
    status: "ended",
    status_reason: { status_code: 410, at: expect.any(String), body_start: "This endpoint was retired." },
  });
  await ctl(["contacts", "remove", "--client", client.id, "--email", email]);
  expect((await ctl(["contacts", "list", "--client", client.id])).items).toEqual([]);
});
