import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { expect, it } from "vitest";
import { signIn } from "./console-person.ts";
import { api, ctl, newClient } from "./stack.ts";

it("finds by one correlation id the event and the audit of a request, on the console and on the command line", async () => {
  const viewer = await signIn("viewer");
  const { id, credential } = await newClient();
  const correlationId = randomUUID();
  const headers = { "x-correlation-id": correlationId };
  const event = { type: "order.placed", schema_version: 1, data: {} };
  const fact = {
    actor_id: "a",
    action: "order.refund",
    resource_type: "order",
    resource_id: "1",
    outcome: "succeeded",
  };
  const published = await api("POST", "/domain-events", { credential, headers, body: event });
  const audited = await api("POST", "/project-audits", { credential, headers, body: fact });
  // The contract's responses have no field for the correlation id.
  for (const { status, text } of [published, audited]) {
    expect(status).toBeLessThan(300);
    expect(text).not.toContain(correlationId);
  }
  // The console learns of a new client within seconds.
  const html = await eventually(async () => {
    const page = await viewer.get(`/search?q=${correlationId}`);
    return page.html.includes(`/events?client=${id}`) && page.html;
  });
  expect(html).toContain(`/audits?client=${id}&amp;action=order.refund`);
  const { items } = await ctl(["find", "--text", correlationId, "--client", id]);
  expect(items.map(({ kind, matched }: Record<string, string>) => `${kind} by ${matched}`).sort()).toEqual([
    "domain_event by correlation_id",
    "project_audit by correlation_id",
  ]);
});
